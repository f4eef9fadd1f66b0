// What was said, and between it what happened, in order of time. It follows the playhead and leads it.

function makeTranscript(list, { seek, onEvent }) {
  const withEvents = byId("with-events");
  const follow = byId("follow");
  let said = [];
  let current = null;

  function show(attempt, events) {
    const rows = [
      ...attempt.course.turns.map((turn) => ({ at_ms: turn.start_ms, make: () => turnRow(turn) })),
      ...events.map((event) => ({ at_ms: event.at_ms, make: () => eventRow(event) })),
    ];
    rows.sort((one, other) => one.at_ms - other.at_ms);
    said = [];
    current = null;
    press(follow, true);
    list.replaceChildren(...rows.map((row) => row.make()));
    list.scrollTop = 0;
    if (!rows.length) list.append(make("li", { class: "empty", text: "Nothing that was said is known." }));
  }

  function turnRow(turn) {
    const row = make(
      "li",
      { class: `row turn ${turn.role}` },
      timeButton(turn.start_ms, `${spoken(turn.role)} at`, () => leadTo(turn.start_ms)),
      make("div", { class: "row-text" }, who(turn), words(turn.text, { tag: "p" })),
    );
    row.addEventListener("click", (event) => {
      const isSelecting = String(getSelection()) !== "";
      if (!isSelecting && !event.target.closest("button")) leadTo(turn.start_ms);
    });
    said.push({ start_ms: turn.start_ms, end_ms: turn.end_ms, row });
    return row;
  }

  function who(turn) {
    const line_ = make("div", { class: "who" }, make("span", { class: "role", text: spoken(turn.role) }));
    if (turn.action) {
      const source = turn.action_source ? ` (by ${spoken(turn.action_source)})` : "";
      line_.append(make("span", { class: "tag", text: `${spoken(turn.action)}${source}` }));
    }
    if (turn.overlap_ms) {
      line_.append(make("span", { class: "tag overlapping" }, icon("overlap"), `both speak ${lasting(turn.overlap_ms)}`));
    }
    return line_;
  }

  function eventRow(event) {
    const text = make("div", { class: "row-text" }, icon(event.picture), words(event.text, { limit: LINE }));
    if (event.detail) text.append(" · ", words(event.detail, { limit: LINE, name: "muted" }));
    if (event.kind === "delegation") {
      text.append(
        " ",
        make("button", { type: "button", class: "link", text: "Details", on: { click: () => onEvent(event) } }),
      );
    }
    return make(
      "li",
      { class: `row event kind-${event.kind} ${event.isTrouble ? "trouble" : ""}` },
      timeButton(event.at_ms, `${line(event.text, 60)}, at`, () => leadTo(event.at_ms)),
      text,
    );
  }

  function leadTo(at_ms) {
    press(follow, true);
    seek(at_ms);
  }

  function moved(at_ms, { isPlaying }) {
    let latest = null;
    for (const one of said) {
      const isNow = one.start_ms <= at_ms && at_ms < one.end_ms;
      if (one.isNow !== isNow) {
        one.isNow = isNow;
        one.row.classList.toggle("now", isNow);
      }
      if (one.start_ms <= at_ms) latest = one;
    }
    if (latest === current) return;
    if (current) current.row.removeAttribute("aria-current");
    current = latest;
    if (current === null) return;
    current.row.setAttribute("aria-current", "true");
    if (isPressed(follow)) bringIntoSight(current.row, isPlaying);
  }

  function bringIntoSight(row, isPlaying) {
    const top = row.offsetTop - list.clientHeight / 3;
    const isStill = !isPlaying || matchMedia("(prefers-reduced-motion: reduce)").matches;
    list.scrollTo({ top, behavior: isStill ? "auto" : "smooth" });
  }

  // Who scrolls wants to read there.
  for (const kind of ["wheel", "touchmove"]) {
    list.addEventListener(kind, () => press(follow, false), { passive: true });
  }
  follow.addEventListener("click", () => {
    press(follow, !isPressed(follow));
    if (isPressed(follow) && current) bringIntoSight(current.row, false);
  });
  withEvents.addEventListener("click", () => {
    press(withEvents, !isPressed(withEvents));
    list.classList.toggle("words-only", !isPressed(withEvents));
  });
  return { show, moved };
}

/** A button that shows a time; `what` says to those who hear it what is there. */
function timeButton(at_ms, what, onClick) {
  const label = `${what} ${clock(at_ms)}`;
  return make("button", { type: "button", class: "time", "aria-label": label, on: { click: onClick } }, clock(at_ms));
}
