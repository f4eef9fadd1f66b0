// The first thing seen of an attempt: how it ended, why, and where to hear it.

const STANDINGS = {
  passed: "Passed",
  failed: "Failed",
  infrastructure_error: "Infrastructure error",
  unknown: "Not known",
};
const CHIPS = 10;
const FAILURES = 4;

function pill(standing) {
  const known = STANDINGS[standing] ? standing : "unknown";
  return make("span", { class: `pill ${known}` }, icon(known), STANDINGS[known]);
}

function invalidPill() {
  return make("span", { class: "pill invalid" }, icon("invalid"), "Unfit caller");
}

function headOf(attempt, events, { seek, hear }) {
  const { entry } = attempt;
  return [
    make("div", { class: "head-line" }, pill(entry.standing), entry.is_valid === false ? invalidPill() : null,
      make("h2", { id: "attempt-title" }, words(entry.title || entry.scenario_id, { limit: 300 }))),
    make("p", { class: "ids muted" }, ...identity(entry), fixtureLabel(attempt)),
    ...notices(attempt, { seek, hear }),
    why(attempt, events, { seek, hear }),
  ].filter(Boolean);
}

function fixtureLabel(attempt) {
  if (attempt.audio_origin !== "synthetic_fixture") return null;
  return make("span", { class: "fixture" }, make("strong", { text: "Offline fixture" }), ": a script spoke, no live model");
}

function identity(entry) {
  // A key tells its scenario, unless another build named it.
  const names = entry.key.startsWith(entry.scenario_id) ? [entry.key] : [entry.scenario_id, entry.key];
  const facts = names.map((name) => words(name, { limit: LINE, name: "id" }));
  if (entry.repeat !== null) facts.push(`repeat ${entry.repeat}`);
  if (entry.condition !== null) facts.push(words(`condition ${entry.condition}`, { limit: LINE }));
  if (entry.script !== null) facts.push(words(`script ${entry.script}`, { limit: LINE }));
  if (isTime(entry.duration_ms)) facts.push(clock(entry.duration_ms, 0));
  facts.push(...interactionFacts(entry));
  return facts.map((fact, place) => make("span", { class: "fact" }, place ? "· " : "", fact));
}

function interactionFacts(entry) {
  const facts = [];
  if (entry.asked !== null && entry.answered !== null) facts.push(`${count(entry.answered)} of ${count(entry.asked)} answered`);
  if (isTime(entry.latency_ms)) facts.push(`mean latency ${lasting(entry.latency_ms)}`);
  if (entry.interruptions !== null) facts.push(plural(entry.interruptions, "interruption"));
  return facts;
}

function notice(kind, picture, title, ...children) {
  return make("div", { class: `notice ${kind}` }, icon(picture),
    make("div", { class: "notice-body" }, make("strong", { text: title }), ...children));
}

function notices(attempt, { seek, hear }) {
  const { problem, validity } = attempt;
  const found = [];
  if (problem !== null) {
    const moment = isTime(problem.at_ms) ? [{ at_ms: problem.at_ms, what: "here" }] : [];
    const moments = momentList(moment, seek);
    if (moments && attempt.waveform !== null) moments.prepend(hearButton(problem.at_ms, hear));
    found.push(notice("infrastructure_error", "infrastructure_error", `No measurement: ${spoken(problem.stage)}`,
      words(problem.message, { tag: "p" }), moments));
  }
  if (validity !== null && validity.is_valid === false) {
    found.push(notice("invalid", "invalid", "The caller was unfit: nothing here is said of the assistant",
      words(spoken(validity.reason), { tag: "p" }), momentList(validity.notes, seek)));
  }
  return found;
}

/** What takes nothing from the attempt's end, yet has to be known: gaps and warnings. */
function remarks(attempt) {
  const { warnings } = attempt;
  const found = [];
  const missing = [...attempt.missing, ...attempt.course.missing];
  if (missing.length) {
    found.push(notice("missing", "unknown", "What is missing",
      make("ul", {}, ...missing.map((one) => make("li", {}, words(one, { limit: 300 }))))));
  }
  if (warnings.length) {
    const list = make("ul", {}, ...warnings.map((one) => make("li", {}, words(one, { limit: 300 }))));
    found.push(warnings.length > 2
      ? notice("warning", "infrastructure_error", plural(warnings.length, "warning"), fold("warnings", "Show", false, list))
      : notice("warning", "infrastructure_error", plural(warnings.length, "warning"), list));
  }
  return found;
}

/** Why it ended as it did: each failed check or else the reason, and the trouble on the timeline. */
function why(attempt, events, { seek, hear }) {
  const { entry, verdict } = attempt;
  // Checks of what was no measurement are for and against nobody: they stand below, in the verdict.
  const isDecided = verdict !== null && entry.standing !== "infrastructure_error";
  const failed = isDecided ? verdict.checks.filter((check) => check.status === "failed" && check.is_required) : [];
  const trouble = events.filter((event) => event.isTrouble && event.kind !== "problem");
  // A problem has told already why the attempt ended, and failed checks tell it themselves.
  const reason = attempt.problem === null && !failed.length ? entry.reason : "";
  if (!reason && !failed.length && !trouble.length) return null;
  return make(
    "div", { class: `why ${entry.standing}` },
    reason ? words(reason, { tag: "p", name: "reason", limit: 400 }) : null,
    failed.length ? make("ul", { class: "failures" }, ...failed.slice(0, FAILURES).map((check) => failure(check, { seek, hear }))) : null,
    failed.length > FAILURES ? make("p", { class: "muted", text: `${count(failed.length - FAILURES)} more failed; all are in the verdict below.` }) : null,
    trouble.length ? make("div", { class: "trouble-line" }, make("span", { class: "muted", text: "Listen to:" }),
      ...trouble.slice(0, CHIPS).map((event) => troubleChip(event, hear)),
      trouble.length > CHIPS ? make("span", { class: "muted", text: `and ${count(trouble.length - CHIPS)} more below` }) : null) : null,
  );
}

function failure(check, { seek, hear }) {
  const first = check.moments[0];
  const moments = momentList(check.moments, seek);
  if (moments) moments.prepend(hearButton(first.at_ms, hear));
  return make(
    "li", { class: "failure" }, icon("failed"),
    make("div", {},
      make("p", { class: "failure-text" }, words(spoken(check.id), { name: "check-id" }),
        check.reason ? words(check.reason, { limit: 300 }) : null),
      moments),
  );
}

function hearButton(at_ms, hear) {
  return make("button", { type: "button", class: "hear", "aria-label": `Hear it from just before ${clock(at_ms)}`,
    on: { click: () => hear(at_ms) } }, icon("play"), "Hear it");
}

function troubleChip(event, hear) {
  return make("button", { type: "button", class: "moment trouble", title: `Hear it from just before ${clock(event.at_ms)}`,
    on: { click: () => hear(event.at_ms) } },
    icon(event.picture), make("span", { class: "moment-at", text: clock(event.at_ms) }),
    make("span", { class: "moment-what", dir: "auto", text: line(event.text, 60) }));
}
