// What happened when, as one list in order of time. Nothing is worked out here: every event is a
// record of the attempt under a name for people.

const OUTCOMES = {
  answered: "Answered",
  missed: "No answer in time",
  censored: "Cut off before the deadline",
  excluded: "Not counted",
};
const FLOOR = { yield: "Yield", interruption: "Interruption by the assistant", backchannel: "Backchannel" };
const BAD_OUTCOMES = new Set(["missed", "false_yield", "not_yielded", "failed", "error", "no_yield"]);

/** An opportunity answered, but too late, is told apart from one not answered at all. */
function outcomeOf(opportunity) {
  const isLate = opportunity.outcome === "missed" && isTime(opportunity.answer_at_ms);
  return isLate ? "late" : opportunity.outcome;
}

function opportunityText(one) {
  const outcome = outcomeOf(one);
  if (outcome === "answered") return `Answered after ${lasting(one.latency_ms) || "an unknown time"}`;
  if (outcome === "late") {
    const after = isTime(one.latency_ms) ? ` after ${lasting(one.latency_ms)}` : "";
    return `Answered too late${after}, at ${clock(one.answer_at_ms)}`;
  }
  return OUTCOMES[outcome] || spoken(outcome);
}

// The figures end the assistant's speech at a pause between two words, the limits of a scenario do not.
const AT_A_PAUSE = new Set(["yielded", "false_yield"]);

function floorText(one, timing) {
  const name = FLOOR[one.kind] || spoken(one.kind);
  if (one.kind === one.outcome) return name;
  const after = isTime(one.latency_ms) ? ` after ${lasting(one.latency_ms)}` : "";
  const where = timing === "evidence" && AT_A_PAUSE.has(one.outcome) ? ", at the first pause" : "";
  return `${name}: ${spoken(one.outcome)}${after}${where}`;
}

function decisionText(one) {
  const drains = one.should_drain === null ? "" : one.should_drain ? ", may end" : ", goes on";
  return `Observer: ${spoken(one.status)}${one.outcome ? `, ${spoken(one.outcome)}` : ""}${drains}`;
}

function toolPicture(status) {
  return `tool-${["completed", "failed", "called"].includes(status) ? status : "unknown"}`;
}

function toolText(tool) {
  const how = tool.status === "called" ? "called, never returned" : spoken(tool.status);
  return `Tool ${line(tool.name, 80)}: ${how}`;
}

/**
 * `{at_ms, kind, picture, text, detail, isTrouble, index, card}` of an attempt, in order of time.
 * `index` is the record's place among its kind, `card` the id of what tells more of it.
 */
function eventsOf(attempt) {
  const { course, problem } = attempt;
  const found = [];
  const add = (at_ms, kind, picture, text, more = {}) => {
    if (isTime(at_ms)) found.push({ at_ms, kind, picture, text, detail: "", isTrouble: false, card: null, ...more });
  };
  course.opportunities.forEach((one, place) => {
    const outcome = outcomeOf(one);
    const at_ms = outcome === "answered" && isTime(one.answer_at_ms) ? one.answer_at_ms : one.request_end_ms;
    add(at_ms, "response", outcome, opportunityText(one), {
      detail: opportunityDetail(one),
      isTrouble: outcome === "missed" || outcome === "late",
      index: place,
    });
  });
  course.floor_events.forEach((one, place) =>
    add(one.at_ms, "floor", FLOOR[one.kind] ? one.kind : "unknown", floorText(one, course.timing_source), {
      isTrouble: one.kind === "interruption" || BAD_OUTCOMES.has(one.outcome),
      index: place,
    }),
  );
  course.overlaps.forEach(([start_ms, end_ms]) =>
    add(start_ms, "overlap", "overlap", `Both speak for ${lasting(end_ms - start_ms)}`),
  );
  course.delegations.forEach((one, place) =>
    add(one.at_ms, "delegation", "delegation", `Delegated to ${line(one.target, 80)}: ${spoken(one.status)}`, {
      isTrouble: one.status === "failed",
      index: place,
      card: `delegation-${place}`,
    }),
  );
  course.tools.forEach((one, place) =>
    add(one.at_ms, "tool", toolPicture(one.status), toolText(one), {
      isTrouble: one.status === "failed",
      index: place,
      card: course.delegations[one.delegation] ? `delegation-${one.delegation}` : "loose-tools",
    }),
  );
  course.decisions.forEach((one, place) =>
    add(one.asked_ms, "decision", "decision", decisionText(one), { detail: one.reason, index: place }),
  );
  if (problem !== null) {
    add(problem.at_ms, "problem", "infrastructure_error", `Problem in ${spoken(problem.stage)}`, {
      detail: problem.message,
      isTrouble: true,
    });
  }
  return found.sort((one, other) => one.at_ms - other.at_ms);
}

function opportunityDetail(one) {
  const parts = [];
  if (one.reason && one.outcome !== "answered") parts.push(spoken(one.reason));
  if (isTime(one.deadline_at_ms)) parts.push(`deadline ${clock(one.deadline_at_ms)}`);
  return parts.join(", ");
}
