// What the attempt was judged by: verdict, figures, delegations, decisions, configuration. Every
// moment is a button that moves the playhead there.

const MOMENTS = 8;
const SIGNS = {
  passed: "passed", failed: "failed", completed: "passed", error: "infrastructure_error",
  not_applicable: "not_applicable", unscored: "unknown", not_assessed: "unknown",
};
const DECIDERS = { deterministic: "deterministic checks", semantic_judge: "checks and a judge" };
const RANKS = { failed: 0, error: 0, unscored: 1, not_assessed: 1, passed: 2, not_applicable: 3 };

function panel(id, title, ...children) {
  const heading = make("h3", { id: `${id}-title`, text: title });
  return make("section", { class: `card panel ${id}`, id, "aria-labelledby": `${id}-title` },
    make("div", { class: "card-head" }, heading), ...children);
}

function fold(id, title, isOpen, ...children) {
  const details = make("details", { class: "fold", id }, make("summary", { text: title }), ...children);
  details.open = isOpen;
  return details;
}

function momentButton(moment, seek, isBrief = false) {
  const text = isBrief ? "" : line(moment.what, 60);
  const whole = `${clock(moment.at_ms)} ${line(moment.what, 300)}`;
  return make(
    "button",
    { type: "button", class: "moment", "aria-label": isBrief ? whole : null, title: whole,
      on: { click: () => seek(moment.at_ms) } },
    make("span", { class: "moment-at", text: clock(moment.at_ms) }),
    text ? make("span", { class: "moment-what", dir: "auto", text }) : null,
  );
}

/** The moments something rests on; of many, the first few until more are asked for. */
function momentList(moments, seek, isBrief = false) {
  if (!moments.length) return null;
  const list = make("div", { class: "moments" }, ...moments.slice(0, MOMENTS).map((one) => momentButton(one, seek, isBrief)));
  if (moments.length <= MOMENTS) return list;
  const more = make("button", { type: "button", class: "link", text: `${count(moments.length - MOMENTS)} more` });
  more.addEventListener("click", () => {
    const rest = moments.slice(MOMENTS).map((one) => momentButton(one, seek, isBrief));
    more.replaceWith(...rest);
    rest[0].focus();
  });
  list.append(more);
  return list;
}

function status(name) {
  const sign = SIGNS[name] || "unknown";
  return make("span", { class: `status ${sign}` }, icon(sign), spoken(name));
}

function verdictPanel({ verdict, entry }, seek) {
  if (verdict === null) return panel("verdict", "Verdict", make("p", { class: "muted", text: "No verdict was recorded." }));
  const passed = verdict.passed === null ? "undecided" : verdict.passed ? "passed" : "failed";
  const source = verdict.source ? make("span", { class: "muted", text: `by ${DECIDERS[verdict.source] || spoken(verdict.source)}` }) : null;
  const checks = [...verdict.checks].sort((one, other) => rank(one) - rank(other));
  return panel(
    "verdict", "Verdict",
    entry.standing === "infrastructure_error"
      ? make("p", { class: "verdict-line" }, "No measurement: what follows is how it stood, for and against nobody.")
      : make("p", { class: "verdict-line" }, status(passed), " ", source),
    verdict.rationale ? words(verdict.rationale, { tag: "p" }) : null,
    checks.length
      ? make("ul", { class: "checks" }, ...checks.map((check) => checkRow(check, seek)))
      : make("p", { class: "muted", text: "No checks were recorded." }),
    dimensionFold(verdict.dimensions),
    stepFold(verdict.steps, seek),
  );
}

function rank(check) {
  const known = RANKS[check.status];
  return (known === undefined ? 1 : known) + (check.is_required ? 0 : 0.5);
}

function checkRow(check, seek) {
  return make(
    "li",
    { class: `check ${SIGNS[check.status] || "unknown"}` },
    make("div", { class: "check-line" }, words(spoken(check.id), { name: "check-id" }), status(check.status),
      check.is_required ? null : make("span", { class: "tag", text: "not required" })),
    check.reason ? words(check.reason, { tag: "p", limit: 400 }) : null,
    momentList(check.moments, seek),
  );
}

function stepFold(steps, seek) {
  if (!steps.length) return null;
  const rows = steps.map((step) =>
    make(
      "li",
      { class: `check ${SIGNS[step.status] || "unknown"}` },
      make("div", { class: "check-line" }, words(spoken(step.id), { name: "check-id" }), status(step.status),
        make("span", { class: "tag", text: spoken(step.kind) }),
        step.is_critical ? make("span", { class: "tag", text: "critical" }) : null,
        step.is_required ? null : make("span", { class: "tag", text: "not required" })),
      step.reason ? words(step.reason, { tag: "p", limit: 400 }) : null,
      momentList(step.moments, seek),
    ),
  );
  return fold("steps", `Procedure, ${plural(steps.length, "step")}`, false, make("ul", { class: "checks" }, ...rows));
}

function dimensionFold(dimensions) {
  if (!dimensions.length) return null;
  const rows = dimensions.map((one) =>
    make(
      "li",
      { class: "check" },
      make("div", { class: "check-line" }, words(spoken(one.name), { name: "check-id" }),
        one.score === null ? status(one.status) : make("span", { class: "score", text: String(one.score) }),
        make("span", { class: "tag", text: one.version ? `rubric ${line(one.version, 40)}` : "rubric version unknown" }),
        one.judge_model ? make("span", { class: "tag", text: line(one.judge_model, 60) }) : null),
      one.reason ? words(one.reason, { tag: "p", limit: 400 }) : null,
    ),
  );
  return fold("dimensions", `Judged, ${plural(dimensions.length, "dimension")}`, true, make("ul", { class: "checks" }, ...rows));
}

function figuresPanel(groups, seek) {
  if (!groups.length) return panel("figures", "Figures", make("p", { class: "muted", text: "No figures were recorded." }));
  return panel("figures", "Figures", ...groups.map((group) => figureGroup(group, seek)));
}

function figureGroup(group, seek) {
  const version = group.version === null ? null : `version ${line(group.version, 40)}`;
  const list = make("dl", { class: "figure-list" }, ...group.figures.map((figure) => figureRow(figure, seek)));
  if (group.is_detail) {
    const told = [group.title, version, plural(group.figures.length, "figure")].filter(Boolean).join(", ");
    return make("details", { class: "fold figure-group" }, make("summary", {}, words(told, { limit: LINE })), list);
  }
  return make(
    "div",
    { class: "figure-group" },
    make("h4", {}, words(group.title, { limit: LINE }), " ", version ? make("span", { class: "muted", text: version }) : null),
    list,
  );
}

function figureRow(figure, seek) {
  const value = figure.value === null
    ? make("span", { class: "gap" }, "not known", figure.gap ? words(`: ${figure.gap}`, { limit: LINE }) : null)
    : words(figure.value, { limit: LINE, name: "figure-value" });
  return make(
    "div",
    { class: "figure-row", "data-figure": line(figure.name) },
    make("dt", {}, words(figure.label, { limit: LINE })),
    make("dd", {}, value,
      figure.population ? words(figure.population, { limit: LINE, name: "muted population" }) : null,
      figure.value !== null && figure.gap ? words(figure.gap, { limit: LINE, name: "gap" }) : null,
      momentList(figure.moments, seek, true)),
  );
}

function delegationsPanel(course, seek) {
  const { delegations, tools } = course;
  const loose = tools.filter((tool) => tool.delegation === null || !delegations[tool.delegation]);
  if (!delegations.length && !tools.length) return null;
  return panel(
    "delegations", "Delegated work",
    ...delegations.map((one, place) => delegationCard(one, place, tools.filter((tool) => tool.delegation === place), seek)),
    loose.length
      ? make("div", { class: "work-card", id: "loose-tools", tabindex: "-1" },
          make("h4", { text: delegations.length ? "Tools of no known delegation" : "Tools" }), toolList(loose, seek))
      : null,
  );
}

function delegationCard(one, place, tools, seek) {
  const facts = [];
  if (one.responses !== null) facts.push(plural(one.responses, "response"));
  for (const [start_ms, end_ms] of one.work) facts.push(`worked ${clock(start_ms)} to ${clock(end_ms)}`);
  if (one.is_timeline_only) facts.push("only the moment is known: no trace names its answer or tools");
  const texts = one.texts.length
    ? one.texts.map((text) => make("blockquote", {}, words(text, { tag: "p" })))
    : [make("p", { class: "muted", text: "No final text is recorded." })];
  return make(
    "div",
    { class: "work-card", id: `delegation-${place}`, tabindex: "-1" },
    make("h4", {}, icon("delegation"), " ", words(one.target, { limit: LINE }), " ", status(one.status)),
    isTime(one.at_ms)
      ? make("div", { class: "moments" }, momentButton({ at_ms: one.at_ms, what: "delegated" }, seek))
      : make("p", { class: "muted", text: "When it began is not known." }),
    facts.length ? make("p", { class: "muted", text: facts.join(" · ") }) : null,
    ...texts,
    tools.length ? toolList(tools, seek) : make("p", { class: "muted", text: "No tool call is tied to it." }),
  );
}

function toolList(tools, seek) {
  const rows = tools.map((tool) =>
    make(
      "li", {},
      icon(toolPicture(tool.status)), words(tool.name, { limit: LINE, name: "tool-name" }),
      make("span", { class: "muted", text: tool.status === "called" ? "called, never returned" : spoken(tool.status) }),
      isTime(tool.at_ms) ? momentButton({ at_ms: tool.at_ms, what: "called" }, seek) : null,
      isTime(tool.returned_at_ms) ? momentButton({ at_ms: tool.returned_at_ms, what: "returned" }, seek) : null,
    ),
  );
  return make("ul", { class: "tools" }, ...rows);
}

function decisionsPanel(course, seek) {
  if (!course.decisions.length && !course.ending) return null;
  const rows = course.decisions.map((one) =>
    make(
      "li", { class: "check" },
      make("div", { class: "check-line" }, momentButton({ at_ms: one.asked_ms, what: "" }, seek),
        make("span", { text: decisionText(one) }),
        isTime(one.settled_ms) ? make("span", { class: "muted", text: `settled ${clock(one.settled_ms)}` }) : null),
      one.reason ? words(one.reason, { tag: "p", limit: 400 }) : null,
    ),
  );
  return panel(
    "decisions", "How it ended",
    course.ending ? words(spoken(course.ending), { tag: "p" }) : null,
    rows.length ? make("ul", { class: "checks" }, ...rows) : null,
  );
}

function measurementPanel(attempt) {
  const { course } = attempt;
  const rows = [
    ["Times read from", spoken(course.timing_source)],
    ["Times of delegations from", course.delegation_timing_source ? spoken(course.delegation_timing_source) : "not known"],
    ["Caller's speech", detectorText(course.caller)],
    ["Assistant's speech", detectorText(course.assistant)],
    ["Recording", { synthetic_fixture: "of an offline fixture: a script spoke, no live model", live: "live speech" }[attempt.audio_origin] || "origin not known"],
  ];
  return panel("measurement", "How it was measured", definitions(rows));
}

function detectorText(track) {
  const detector = track.detector ? `found by ${line(track.detector, 60)}` : "detector not known";
  return track.measured_on ? `${detector}, on ${spoken(track.measured_on)}` : detector;
}

function definitions(rows) {
  return make("dl", { class: "figure-list" }, ...rows.map(([name, value]) =>
    make("div", { class: "figure-row" }, make("dt", {}, words(name, { limit: LINE })), make("dd", {}, words(value, { limit: 400 })))));
}

function configurationPanel(run) {
  const rows = [
    ["Run", run.id], ["Suite", run.module], ["Mode", spoken(run.execution_mode)],
    ["Report schema", run.schema_version || "not known"], ["Metrics", run.metrics_version || "version not known"],
    ["Started", run.started_at || "not known"], ...run.settings.map((one) => [one.name, one.value]),
  ];
  const list = definitions(rows);
  return panel("configuration", "Run",
    ...run.notes.map((note) => words(note, { tag: "p" })),
    fold("settings", `Configuration, ${plural(run.settings.length, "setting")}`, false, list));
}
