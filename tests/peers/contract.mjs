// A reader of remote-application.schema.json: whether a value is of one of its definitions.
// Knows the keywords that stand in that file and refuses to guess about others.
import { readFileSync } from "node:fs";

const ANNOTATIONS = new Set(["title", "description", "default", "discriminator", "$schema", "$defs"]);
const KINDS = {
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};
const length = (text) => [...text].length;

export function readerOf(path) {
  const schema = JSON.parse(readFileSync(path, "utf8"));
  const fits = (value, rules) =>
    Object.entries(rules).every(([keyword, rule]) => {
      switch (keyword) {
        case "$ref":
          return fits(value, schema.$defs[rule.split("/").at(-1)]);
        case "type":
          return KINDS[rule](value);
        case "const":
          return value === rule;
        case "enum":
          return rule.includes(value);
        case "anyOf":
          return rule.some((one) => fits(value, one));
        case "oneOf":
          return rule.filter((one) => fits(value, one)).length === 1;
        case "required":
          return !KINDS.object(value) || rule.every((key) => key in value);
        case "properties":
          return (
            !KINDS.object(value) ||
            Object.entries(rule).every(([key, one]) => !(key in value) || fits(value[key], one))
          );
        case "additionalProperties":
          return (
            !KINDS.object(value) ||
            Object.keys(value).every(
              (key) => key in (rules.properties ?? {}) || (rule !== false && fits(value[key], rule)),
            )
          );
        case "items":
          return !KINDS.array(value) || value.every((one) => fits(one, rule));
        case "prefixItems":
          return !KINDS.array(value) || value.every((one, at) => !rule[at] || fits(one, rule[at]));
        case "minItems":
          return !KINDS.array(value) || value.length >= rule;
        case "maxItems":
          return !KINDS.array(value) || value.length <= rule;
        case "minLength":
          return !KINDS.string(value) || length(value) >= rule;
        case "maxLength":
          return !KINDS.string(value) || length(value) <= rule;
        case "pattern":
          return !KINDS.string(value) || new RegExp(rule, "u").test(value);
        case "minimum":
          return !KINDS.number(value) || value >= rule;
        case "maximum":
          return !KINDS.number(value) || value <= rule;
        default:
          if (ANNOTATIONS.has(keyword)) return true;
          throw new Error(`the schema says ${keyword}, which nobody here reads`);
      }
    });

  // The message in a frame, if it is one of this definition; else nothing.
  return (data, isBinary, definition) => {
    if (isBinary) return undefined;
    try {
      const message = JSON.parse(data.toString());
      return fits(message, { $ref: definition }) ? message : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  };
}
