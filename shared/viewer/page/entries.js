// The index of attempts: found by words, narrowed by how they ended, opened by a link.

const TROUBLE = { failed: 0, infrastructure_error: 1, unknown: 2, passed: 3 };

function makeEntries(index, { onChange }) {
  const list = byId("entries");
  const search = byId("search");
  const condition = byId("condition");
  const order = byId("order");
  const wanted = new Set();
  const rows = index.entries.map((entry, number) => ({ entry, number, item: row(entry, number), words: haystack(entry) }));
  let shown = rows;
  let opened = null;

  function row(entry) {
    const facts = [];
    if (entry.repeat !== null) facts.push(`repeat ${entry.repeat}`);
    if (entry.condition !== null) facts.push(line(entry.condition, 40));
    if (entry.script !== null) facts.push(line(entry.script, 40));
    if (isTime(entry.duration_ms)) facts.push(clock(entry.duration_ms, 0));
    if (entry.asked !== null && entry.answered !== null) facts.push(`${entry.answered}/${entry.asked} answered`);
    const standing = STANDINGS[entry.standing] ? entry.standing : "unknown";
    const name = STANDINGS[standing] + (entry.is_valid === false ? ", unfit caller" : "");
    return make("li", {}, make("a", { class: `entry ${standing}`, href: linkTo(entry.key, 0) },
      make("span", { class: `sign ${standing}`, title: name }, icon(standing), make("span", { class: "unseen", text: `${name}: ` })),
      make("span", { class: "entry-words" },
        make("span", { class: "entry-title", dir: "auto", text: line(entry.title || entry.scenario_id, 120) }),
        make("span", { class: "entry-facts" }, entry.is_valid === false ? make("span", { class: "tag", text: "unfit caller" }) : null,
          make("span", { dir: "auto", text: line(entry.scenario_id, 80) }), ...facts.map((fact) => make("span", { dir: "auto", text: fact }))),
        entry.reason && standing !== "passed" ? make("span", { class: "entry-reason", dir: "auto", text: line(entry.reason, 200) }) : null)));
  }

  function haystack(entry) {
    return [entry.title, entry.scenario_id, entry.key, entry.reason].join("\n").toLowerCase();
  }

  function narrow() {
    const sought = search.value.trim().toLowerCase().split(/\s+/u).filter(Boolean);
    const standings = [...wanted].filter((one) => one !== "invalid");
    shown = rows.filter(({ entry, words: text }) =>
      sought.every((one) => text.includes(one)) &&
      (!standings.length || standings.includes(STANDINGS[entry.standing] ? entry.standing : "unknown")) &&
      (!wanted.has("invalid") || entry.is_valid === false) &&
      (condition.value === "" || conditionOf(entry) === condition.value));
    if (order.value === "trouble") shown = [...shown].sort((one, other) => trouble(one) - trouble(other));
    list.replaceChildren(...shown.map((one) => one.item));
    const all = rows.length;
    byId("matches").textContent = shown.length === all ? plural(all, "attempt") : `${count(shown.length)} of ${plural(all, "attempt")}`;
  }

  function narrowed() {
    narrow();
    say(byId("matches").textContent);
  }

  function trouble({ entry }) {
    const rank = TROUBLE[entry.standing];
    return (rank === undefined ? 2 : rank) - (entry.is_valid === false ? 0.5 : 0);
  }

  function conditionOf(entry) {
    return entry.condition === null ? "-" : `=${entry.condition}`;
  }

  function buildFilters() {
    const counts = {};
    for (const { entry } of rows) {
      const standing = STANDINGS[entry.standing] ? entry.standing : "unknown";
      counts[standing] = (counts[standing] || 0) + 1;
      if (entry.is_valid === false) counts.invalid = (counts.invalid || 0) + 1;
    }
    for (const [kind, name] of Object.entries({ ...STANDINGS, invalid: "Unfit caller" })) {
      if (counts[kind]) byId("filters").append(chip(kind, name, counts[kind]));
    }
    const conditions = [...new Set(rows.map(({ entry }) => conditionOf(entry)))].sort();
    byId("condition-label").hidden = conditions.length < 2;
    condition.append(make("option", { value: "", text: "any" }), ...conditions.map((one) =>
      make("option", { value: one, text: one === "-" ? "none" : line(one.slice(1), 60) })));
  }

  function chip(kind, name, number) {
    const button = make("button", { type: "button", class: `chip ${kind}`, "aria-pressed": "false", "data-kind": kind },
      icon(kind), `${name} `, make("span", { class: "chip-count", text: count(number) }));
    button.addEventListener("click", () => {
      press(button, !isPressed(button));
      if (isPressed(button)) wanted.add(kind);
      else wanted.delete(kind);
      narrowed();
    });
    return button;
  }

  function mark(number) {
    if (opened !== null) rows[opened].item.firstChild.removeAttribute("aria-current");
    opened = number;
    const link = rows[number].item.firstChild;
    link.setAttribute("aria-current", "true");
    const box = link.getBoundingClientRect();
    const frame = list.getBoundingClientRect();
    if (box.top < frame.top || box.bottom > frame.bottom) list.scrollTop += box.top - frame.top - frame.height / 3;
  }

  /** The number of the attempt `steps` after the opened one in the list as it is shown. */
  function beside(steps) {
    const place = shown.findIndex((one) => one.number === opened);
    const next = place < 0 ? shown[0] : shown[place + steps];
    return next === undefined ? null : next.number;
  }

  function find(key) {
    const byKey = index.entries.findIndex((entry) => entry.key === key);
    return byKey >= 0 ? byKey : index.entries.findIndex((entry) => entry.scenario_id === key);
  }

  /** Where to begin: at the first that needs to be looked at. */
  function first() {
    const troubled = index.entries.findIndex((entry) => entry.standing !== "passed" || entry.is_valid === false);
    return Math.max(0, troubled);
  }

  search.addEventListener("input", narrowed);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    search.value = "";
    search.blur();
    narrowed();
  });
  condition.addEventListener("change", narrowed);
  order.addEventListener("change", narrowed);
  list.addEventListener("click", (event) => {
    if (event.target.closest("a")) onChange();
  });
  buildFilters();
  narrow();
  return { mark, beside, find, first };
}
