// Words of a conversation are anyone's words. Here they become text that cannot reorder, hide or
// stretch what stands beside it: characters that are not seen are told by their number.

const SHORT = 600;
const LINE = 160;
const UNSEEN =
  /(?![\n\t\u0600-\u0605\u06dd\u070f\u08e2\u{110bd}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\u034f\u115f\u1160\u3164\uffa0]/u;
// Marks piled on one letter would cover the lines around it; no script needs so many.
const PILE = /(?<=\p{M}{4})\p{M}+/u;
const NAMED = new RegExp(`(${UNSEEN.source})\\1*|${PILE.source}`, "gu");
// A joiner belongs to the letters of some scripts and to joined pictures, and is kept there.
const JOINABLE = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;

/** The text with each unseen character named, as pieces: strings, and `{told}`. */
function pieces(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(NAMED)) {
    if (joins(text, match)) continue;
    if (match.index > from) found.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    found.push(match[1] === undefined ? pile(match[0]) : unseen(match[0], match[1]));
  }
  if (from < text.length) found.push(text.slice(from));
  return found;
}

function joins(text, match) {
  if (match[0] !== "\u200d" && match[0] !== "\u200c") return false;
  const before = [...text.slice(Math.max(0, match.index - 2), match.index)].pop() || "";
  const after = [...text.slice(match.index + 1, match.index + 3)][0] || "";
  const isPlain = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;
  return [before, after].every((one) => JOINABLE.test(one) && !isPlain.test(one));
}

function unseen(run, character) {
  const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  const times = run.length / character.length;
  return { told: times > 1 ? `${code}×${count(times)}` : code };
}

function pile(marks) {
  return { told: `+${plural([...marks].length, "mark")}` };
}

/** At most `limit` characters of a text, without half of one at the end. */
function cut(text, limit) {
  if (text.length <= limit) return text;
  const end = /[\ud800-\udbff]/.test(text[limit - 1]) ? limit - 1 : limit;
  return text.slice(0, end);
}

/** One line as a plain string, for labels and tooltips. */
function line(value, limit = LINE) {
  const text = String(value === null || value === undefined ? "" : value);
  const short = cut(text, limit);
  const flat = pieces(short).map((one) => (typeof one === "string" ? one : `⟨${one.told}⟩`));
  return flat.join("").replace(/\s+/gu, " ") + (short.length < text.length ? "…" : "");
}

/** A text as an element. Beyond `limit` characters a button shows the rest. */
function words(value, { limit = SHORT, tag = "span", name = "" } = {}) {
  const text = String(value === null || value === undefined ? "" : value).replace(/\r\n/gu, "\n");
  const element = make(tag, { class: `words ${name}`, dir: "auto" });
  const short = cut(text, limit);
  element.append(...shown(short));
  if (short.length === text.length) return element;
  const rest = make("button", {
    type: "button",
    class: "link",
    text: `Show all ${count(text.length)} characters`,
    on: {
      click: (event) => {
        event.stopPropagation();
        element.replaceChildren(...shown(text));
        element.classList.add("whole");
        element.tabIndex = 0;
        element.focus({ preventScroll: true });
      },
    },
  });
  element.append("… ", rest);
  return element;
}

const MANY_PIECES = 2000;

function shown(text) {
  const all = pieces(text);
  if (all.length > MANY_PIECES) {
    return [all.map((one) => (typeof one === "string" ? one : `⟨${one.told}⟩`)).join("")];
  }
  return all.map((one) =>
    typeof one === "string" ? one : make("span", { class: "unseen-character", text: one.told }),
  );
}

function count(number) {
  return number.toLocaleString("en");
}

function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** `a_name_of_ours` as words. */
function spoken(name) {
  return line(String(name).replaceAll("_", " "));
}
