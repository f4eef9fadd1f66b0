// The lanes below the waveforms, as elements placed by shares of the whole: zooming moves none.

/** Puts an element at its time. `end_ms` makes it a stretch. */
function placed(element, extent_ms, start_ms, end_ms = null) {
  element.style.left = `${(start_ms / extent_ms) * 100}%`;
  if (end_ms !== null) element.style.width = `${((end_ms - start_ms) / extent_ms) * 100}%`;
  return element;
}

/** A button on a lane. It is reached by pointer; the transcript has the same for keys. */
function onLane(name, label, onClick, ...children) {
  return make(
    "button",
    { type: "button", class: name, title: label, "aria-label": label, tabindex: "-1", on: { click: onClick } },
    ...children,
  );
}

/** Words at a time that may run on until something else of the lane begins. */
function runningText(name, extent_ms, start_ms, until_ms, ...children) {
  const text = make("span", { class: `running ${name}`, "aria-hidden": "true", dir: "auto" }, ...children);
  text.style.maxWidth = `${(Math.max(0, until_ms - start_ms) / extent_ms) * 100}%`;
  return placed(text, extent_ms, start_ms);
}

function turnBars(attempt, role, extent_ms, seek) {
  const turns = attempt.course.turns.filter((turn) => turn.role === role);
  return turns.flatMap((turn, place) => {
    const next_ms = place + 1 < turns.length ? turns[place + 1].start_ms : extent_ms;
    const label = `${clock(turn.start_ms)} ${spoken(role)}: ${line(turn.text, 300)}`;
    const bar = onLane(`bar ${role}`, label, () => seek(turn.start_ms));
    return [
      placed(bar, extent_ms, turn.start_ms, turn.end_ms),
      runningText("turn-text", extent_ms, turn.start_ms, next_ms, line(turn.text, LINE)),
    ];
  });
}

function responseBars(attempt, extent_ms, seek) {
  const all = attempt.course.opportunities;
  return all.flatMap((one, place) => {
    const next_ms = place + 1 < all.length ? all[place + 1].request_end_ms : extent_ms;
    const outcome = outcomeOf(one);
    const last_ms = Math.max(one.request_end_ms + 1, one.deadline_at_ms || 0, one.answer_at_ms || 0);
    const label = [opportunityText(one), opportunityDetail(one)].filter(Boolean).join(", ");
    const share = (at_ms) => `${((at_ms - one.request_end_ms) / (last_ms - one.request_end_ms)) * 100}%`;
    const bar = onLane(`response ${outcome}`, `${clock(one.request_end_ms)} ${label}`, () =>
      seek(outcome === "answered" && isTime(one.answer_at_ms) ? one.answer_at_ms : one.request_end_ms),
    );
    if (isTime(one.answer_at_ms)) {
      const wait = make("span", { class: "wait" });
      wait.style.width = share(one.answer_at_ms);
      bar.append(wait);
    }
    if (isTime(one.deadline_at_ms)) {
      const deadline = make("span", { class: "deadline", title: `Deadline ${clock(one.deadline_at_ms)}` });
      deadline.style.left = share(one.deadline_at_ms);
      bar.append(deadline);
    }
    const short = outcome === "answered" ? lasting(one.latency_ms) : outcome;
    return [
      placed(bar, extent_ms, one.request_end_ms, Math.min(last_ms, extent_ms)),
      runningText(`response-text ${outcome}`, extent_ms, one.request_end_ms, next_ms, icon(outcome), make("span", { text: short })),
    ];
  });
}

/** Marks with words that last until the next mark of the lane, so that no two words collide. */
function marks(events, extent_ms, onEvent, wordsOf) {
  return events.map((event, place) => {
    const next_ms = place + 1 < events.length ? events[place + 1].at_ms : extent_ms;
    const label = `${clock(event.at_ms)} ${event.text}${event.detail ? `. ${line(event.detail)}` : ""}`;
    const mark = onLane(
      `mark ${event.kind} ${event.isTrouble ? "trouble" : ""}`,
      label,
      () => onEvent(event),
      icon(event.picture),
      make("span", { class: "mark-text", dir: "auto", text: wordsOf(event) }),
    );
    mark.style.maxWidth = `${(Math.max(0, next_ms - event.at_ms) / extent_ms) * 100}%`;
    return placed(mark, extent_ms, event.at_ms);
  });
}

function stretches(spans, extent_ms, name, label) {
  return spans.map(([start_ms, end_ms]) =>
    placed(
      make("span", { class: name, title: `${clock(start_ms)} ${label}, ${lasting(end_ms - start_ms)}` }),
      extent_ms,
      start_ms,
      end_ms,
    ),
  );
}

function delegationBars(attempt, extent_ms, onEvent, events) {
  const { course } = attempt;
  const work = course.delegations.flatMap((one) =>
    stretches(one.work, extent_ms, "work", `work by ${line(one.target, 60)}`),
  );
  const hold = stretches(course.floor_hold, extent_ms, "hold", "silence while work was under way");
  const mine = events.filter((event) => event.kind === "delegation");
  return [...work, ...hold, ...marks(mine, extent_ms, onEvent, (event) => targetOf(course, event))];
}

function targetOf(course, event) {
  return line(course.delegations[event.index].target, 40);
}
