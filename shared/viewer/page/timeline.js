// The time axis: lanes over one strip that grows with the zoom and scrolls natively.

const WAVE_PX = 60;
const LANE_PX = 92;
const RULER_PX = 40;
const OVERVIEW_PX = 34;
const SHOWN_AT_LEAST_MS = 500;
const STEP = 1.6;
const DRAG_PX = 4;
const FOLLOW_SHARE = 0.94;

/** `seek(ms)` moves the playhead, `onEvent(event)` opens what a mark stands for. */
function makeTimeline(root, { seek, onEvent }) {
  let attempt = null;
  let events = [];
  let peak_ms = 10;
  let peaks = null;
  let extent_ms = 1;
  let zoom = 1;
  let at_ms = 0;
  let colours = palette();
  let isHeld = false;

  const overview = make("canvas", { class: "overview-wave" });
  const frame = make("div", { class: "overview-frame" });
  const overviewHead = make("div", { class: "overview-head" });
  const whole = make("div", { class: "overview", "aria-hidden": "true" }, overview, frame, overviewHead);
  const gutter = make("div", { class: "gutter", "aria-hidden": "true" });
  const head = make("div", {
    class: "grip",
    id: "playhead",
    role: "slider",
    tabindex: "0",
    "aria-label": "Playhead",
    "aria-orientation": "horizontal",
    "aria-valuemin": "0",
  });
  const needle = make("div", { class: "needle", "aria-hidden": "true" });
  const strip = make("div", { class: "strip" });
  const scroller = make("div", { class: "scroller" }, strip);
  root.replaceChildren(whole, make("div", { class: "lanes" }, gutter, scroller));

  const canvases = { ruler: null, caller: null, assistant: null };

  function lane(name, label, height_px, hasCanvas, ...children) {
    const row = make("div", { class: `lane ${name}` });
    row.style.height = `${height_px}px`;
    if (hasCanvas) {
      canvases[name] = make("canvas", { "aria-hidden": "true" });
      row.append(canvases[name]);
    }
    row.append(...children);
    const title = make("div", { class: `lane-name ${name}` }, label);
    title.style.height = `${height_px}px`;
    gutter.append(title);
    strip.append(row);
  }

  function show(next, nextEvents, peakMs) {
    attempt = next;
    events = nextEvents;
    peak_ms = peakMs;
    zoom = 1;
    peaks = attempt.waveform && {
      caller: fromBase64(attempt.waveform.caller),
      assistant: fromBase64(attempt.waveform.assistant),
    };
    extent_ms = extentOf(attempt, peak_ms);
    gutter.replaceChildren();
    strip.replaceChildren();
    build();
    head.setAttribute("aria-valuemax", String(extent_ms));
    fitStrip();
    redraw();
  }

  function build() {
    const { course } = attempt;
    const of = (kind) => events.filter((event) => event.kind === kind);
    lane("ruler", "Time", RULER_PX, true, head);
    lane("caller", "Caller", LANE_PX, true, ...turnBars(attempt, "caller", extent_ms, seek));
    lane("assistant", "Assistant", LANE_PX, true, ...turnBars(attempt, "assistant", extent_ms, seek));
    if (course.opportunities.length) {
      lane("responses", "Answers", 38, false, ...responseBars(attempt, extent_ms, seek));
    }
    if (of("floor").length) {
      const said = (event) => spoken(course.floor_events[event.index].kind);
      lane("floor", "Floor", 34, false, ...marks(of("floor"), extent_ms, onEvent, said));
    }
    if (course.delegations.length || course.floor_hold.length) {
      lane("backend", "Backend", 38, false, ...delegationBars(attempt, extent_ms, onEvent, events));
    }
    if (of("tool").length) {
      const said = (event) => line(course.tools[event.index].name, 40);
      lane("tools", "Tools", 34, false, ...marks(of("tool"), extent_ms, onEvent, said));
    }
    const ends = [...of("decision"), ...of("problem")].sort((a, b) => a.at_ms - b.at_ms);
    if (ends.length) {
      const said = (event) => (event.kind === "problem" ? "problem" : spoken(course.decisions[event.index].status));
      lane("ending", "Ending", 34, false, ...marks(ends, extent_ms, onEvent, said));
    }
    strip.append(needle);
  }

  function shownWidth() {
    return scroller.clientWidth || 1;
  }

  function view() {
    const width_px = shownWidth();
    const total_px = width_px * zoom;
    const from_ms = (scroller.scrollLeft / total_px) * extent_ms;
    return { from_ms, to_ms: from_ms + extent_ms / zoom, width_px };
  }

  function fitStrip() {
    strip.style.width = `${zoom * 100}%`;
  }

  function draw() {
    const now = view();
    drawRuler(prepared(canvases.ruler, now.width_px, RULER_PX), now, RULER_PX, colours);
    for (const side of ["caller", "assistant"]) {
      const pen = prepared(canvases[side], now.width_px, WAVE_PX);
      drawGrid(pen, now, WAVE_PX, colours);
      drawSide(pen, now, side, WAVE_PX);
      drawHatch(pen, now, attempt.course.overlaps, WAVE_PX, colours.overlap);
    }
    placeHead();
    placeFrame(now);
  }

  function drawSide(pen, now, side, height_px) {
    const { voiced } = attempt.course[side];
    if (peaks === null) {
      drawSpans(pen, now, voiced, height_px * 0.3, height_px * 0.4, colours[side]);
      return;
    }
    drawSpans(pen, now, voiced, 2, height_px - 4, colours[`${side}-soft`]);
    drawWave(pen, now, peaks[side], peak_ms, 2, height_px - 4, colours[side]);
  }

  function drawOverview() {
    const width_px = whole.clientWidth || 1;
    const pen = prepared(overview, width_px, OVERVIEW_PX);
    const now = { from_ms: 0, to_ms: extent_ms, width_px };
    const half = OVERVIEW_PX / 2;
    for (const [place, side] of ["caller", "assistant"].entries()) {
      pen.save();
      pen.translate(0, place * half);
      drawSide(pen, now, side, half);
      pen.restore();
    }
    pen.fillStyle = colours.text;
    for (const event of events) {
      if (event.isTrouble) pen.fillRect(xOf(now, event.at_ms) - 1, half - 4, 2, 8);
    }
  }

  function placeFrame(now) {
    const share = (ms) => `${(ms / extent_ms) * 100}%`;
    frame.style.left = share(now.from_ms);
    frame.style.width = share(Math.min(now.to_ms, extent_ms) - now.from_ms);
    whole.classList.toggle("zoomed", zoom > 1);
    byId("zoom-out").disabled = zoom <= 1;
    byId("zoom-fit").disabled = zoom <= 1;
    byId("zoom-in").disabled = zoom >= most();
  }

  function placeHead() {
    const x = (at_ms / extent_ms) * shownWidth() * zoom;
    needle.style.transform = `translateX(${x}px)`;
    head.style.transform = `translateX(${bounded(x, 7, shownWidth() * zoom - 7)}px)`;
    overviewHead.style.left = `${(at_ms / extent_ms) * 100}%`;
  }

  function redraw() {
    if (attempt === null) return;
    colours = palette();
    draw();
    drawOverview();
  }

  const drawSoon = oncePerFrame(() => attempt && draw());
  const redrawSoon = oncePerFrame(redraw);

  function most() {
    return Math.max(1, extent_ms / SHOWN_AT_LEAST_MS);
  }

  /** Zooms to `next` times the whole, with `around_ms` staying where it is on the screen. */
  function zoomTo(next, around_ms) {
    if (attempt === null) return;
    const now = view();
    const x = xOf(now, around_ms);
    zoom = bounded(next, 1, most());
    fitStrip();
    scroller.scrollLeft = (around_ms / extent_ms) * now.width_px * zoom - x;
    drawSoon();
  }

  /** Where a zoom by keys holds on to: the playhead while it is in sight, else the middle. */
  function hold_ms() {
    const now = view();
    const isSeen = at_ms >= now.from_ms && at_ms <= now.to_ms;
    return isSeen ? at_ms : (now.from_ms + now.to_ms) / 2;
  }

  function timeAt(clientX) {
    const box = strip.getBoundingClientRect();
    return bounded(((clientX - box.left) / box.width) * extent_ms, 0, extent_ms);
  }

  function moved(next_ms, { isPlaying }) {
    at_ms = next_ms;
    placeHead();
    if (zoom > 1 && !isHeld) keepInSight(isPlaying);
  }

  function keepInSight(isPlaying) {
    const now = view();
    const share = (at_ms - now.from_ms) / (now.to_ms - now.from_ms);
    if (share >= 0 && share <= (isPlaying ? FOLLOW_SHARE : 1)) return;
    const lead = isPlaying ? 0.08 : 0.5;
    scroller.scrollLeft = (at_ms / extent_ms) * now.width_px * zoom - now.width_px * lead;
  }

  function describe(text) {
    head.setAttribute("aria-valuenow", String(Math.round(at_ms)));
    head.setAttribute("aria-valuetext", text);
  }

  // A press on the ruler drags the playhead; elsewhere a drag pans and a click seeks.
  scroller.addEventListener("pointerdown", (press) => {
    if (press.button !== 0 || press.target.closest("button")) return;
    const isRuler = press.target.closest(".ruler") !== null;
    const start = { x: press.clientX, left: scroller.scrollLeft };
    const isTouch = press.pointerType === "touch";
    let isDrag = false;
    isHeld = true;
    if (isRuler) seek(timeAt(press.clientX));
    const move = (event) => {
      isDrag = isDrag || Math.abs(event.clientX - start.x) > DRAG_PX;
      if (isRuler) seek(timeAt(event.clientX));
      else if (isDrag && !isTouch) scroller.scrollLeft = start.left - (event.clientX - start.x);
    };
    const end = (event) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      isHeld = false;
      if (!isRuler && !isDrag && event.type === "pointerup") seek(timeAt(event.clientX));
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  });

  scroller.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoomTo(zoom * Math.exp(-bounded(event.deltaY, -120, 120) / 240), timeAt(event.clientX));
      } else if (event.shiftKey && event.deltaX === 0) {
        event.preventDefault();
        scroller.scrollLeft += event.deltaY;
      }
    },
    { passive: false },
  );

  let pinch = null;
  const apart = (touches) => Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  scroller.addEventListener(
    "touchmove",
    (event) => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const middle = (event.touches[0].clientX + event.touches[1].clientX) / 2;
      if (pinch === null) pinch = { zoom, apart: apart(event.touches), at_ms: timeAt(middle) };
      zoomTo((pinch.zoom * apart(event.touches)) / Math.max(1, pinch.apart), pinch.at_ms);
    },
    { passive: false },
  );
  scroller.addEventListener("touchend", () => {
    pinch = null;
  });

  whole.addEventListener("pointerdown", (press) => {
    if (press.button !== 0) return;
    press.preventDefault();
    const box = whole.getBoundingClientRect();
    const centre = (event) => {
      const share = bounded((event.clientX - box.left) / box.width, 0, 1);
      if (zoom <= 1) seek(share * extent_ms);
      else scroller.scrollLeft = share * shownWidth() * zoom - shownWidth() / 2;
    };
    const end = () => {
      removeEventListener("pointermove", centre);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    centre(press);
    addEventListener("pointermove", centre);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  });

  scroller.addEventListener("scroll", drawSoon, { passive: true });
  new ResizeObserver(redrawSoon).observe(scroller);

  return {
    show,
    moved,
    describe,
    redraw,
    zoomIn: () => zoomTo(zoom * STEP, hold_ms()),
    zoomOut: () => zoomTo(zoom / STEP, hold_ms()),
    fit: () => zoomTo(1, 0),
  };
}

/** The axis ends where the last thing known of the attempt does. */
function extentOf(attempt, peak_ms) {
  const { course, waveform } = attempt;
  const recorded_ms = waveform ? (atob(waveform.caller).length || 0) * peak_ms : 0;
  const ends = [
    course.extent_ms,
    recorded_ms,
    ...course.turns.map((turn) => turn.end_ms),
    ...course.caller.voiced.map((span) => span[1]),
    ...course.assistant.voiced.map((span) => span[1]),
  ];
  return ends.reduce((most, one) => Math.max(most, one), 1);
}
