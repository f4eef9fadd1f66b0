// The page as a whole: which attempt is open, and who is told when the playhead moves.

const LEAD_MS = 1500;
const SPOKEN_EVERY_MS = 500;

const index = readIndex();
const entries = makeEntries(index, { onChange: () => showIndex(false) });
const timeline = makeTimeline(byId("timeline"), { seek: seekByHand, onEvent: openEvent });
const transcript = makeTranscript(byId("transcript"), { seek: seekByHand, onEvent: openEvent });
const player = makePlayer(byId("audio"), { onMove: moved, onState: soundState });
let opened = null; // { number, entry, events } of the attempt that is shown
let wanted = null;
let spokenAt = 0;

async function openAttempt(number, at_ms) {
  const entry = index.entries[number];
  wanted = number;
  player.pause();
  entries.mark(number);
  tellWaiting(`Reading ${line(entry.title || entry.scenario_id)}…`);
  let attempt;
  try {
    attempt = await readAttempt(number);
  } catch (error) {
    if (wanted === number) tellWaiting(error.message);
    return;
  }
  if (wanted !== number) return;
  const events = eventsOf(attempt);
  opened = { number, entry, events };
  document.title = `${line(entry.title || entry.scenario_id, 80)} · ${line(index.run.id, 60)}`;
  byId("waiting").hidden = true;
  byId("attempt").hidden = false;
  byId("head").replaceChildren(...headOf(attempt, events, { seek: seekByHand, hear }));
  const isKnown = isAnythingKnown(attempt, events);
  for (const id of ["transport", "timeline"]) byId(id).hidden = !isKnown;
  byId("remarks").replaceChildren(...remarks(attempt));
  byId("evidence").replaceChildren(...evidenceOf(attempt));
  transcript.show(attempt, events);
  timeline.show(attempt, events, index.peak_ms);
  byId("clock-end").textContent = clock(extentOf(attempt, index.peak_ms));
  player.open(number, index.sounds[number] || null, extentOf(attempt, index.peak_ms), at_ms);
  if (at_ms > 0) player.seek(at_ms);
  writeLink(entry.key, at_ms);
  say(`${STANDINGS[entry.standing] || "Not known"}: ${line(entry.title || entry.scenario_id)}`);
}

function evidenceOf(attempt) {
  return [
    verdictPanel(attempt, seekByHand),
    delegationsPanel(attempt.course, seekByHand),
    figuresPanel(attempt.figures, seekByHand),
    decisionsPanel(attempt.course, seekByHand),
    measurementPanel(attempt),
    configurationPanel(index.run),
  ].filter(Boolean);
}

/** Whether there is anything at all to lay out in time. */
function isAnythingKnown({ course, waveform }, events) {
  const { caller, assistant, turns } = course;
  return waveform !== null || events.length + caller.voiced.length + assistant.voiced.length + turns.length > 0;
}

function tellWaiting(text) {
  byId("waiting").textContent = text;
  byId("waiting").hidden = false;
  byId("attempt").hidden = true;
  say(text);
}

function seekByHand(at_ms) {
  if (opened === null) return;
  player.seek(at_ms);
  writeLink(opened.entry.key, player.at_ms());
  // The playhead tells its own value while it has the focus.
  if (document.activeElement !== byId("playhead")) say(clock(player.at_ms()));
}

/** Plays from a little before a moment, so that what led to it is heard too. */
function hear(at_ms) {
  seekByHand(Math.max(0, at_ms - LEAD_MS));
  player.play();
}

function moved(at_ms) {
  const how = { isPlaying: player.isPlaying() };
  timeline.moved(at_ms, how);
  transcript.moved(at_ms, how);
  byId("clock-at").textContent = clock(at_ms);
  const now = performance.now();
  if (how.isPlaying && now - spokenAt < SPOKEN_EVERY_MS) return;
  spokenAt = now;
  timeline.describe(`${clock(at_ms)} of ${clock(player.extent_ms())}`);
  linkElsewhere();
}

/** Moves to an event and shows what more there is to tell of it. */
function openEvent(event) {
  seekByHand(event.at_ms);
  const card = event.card === null ? null : byId(event.card);
  if (card === null) return;
  card.scrollIntoView({ block: "nearest" });
  card.focus({ preventScroll: true });
}

function stepEvent(steps) {
  if (opened === null) return;
  const at_ms = Math.round(player.at_ms());
  const later = opened.events.filter((event) => event.at_ms > at_ms);
  const earlier = opened.events.filter((event) => event.at_ms < at_ms);
  const event = steps > 0 ? later[0] : earlier[earlier.length - 1];
  if (event === undefined) {
    say(steps > 0 ? "No later event" : "No earlier event");
    return;
  }
  seekByHand(event.at_ms);
  say(`${clock(event.at_ms)} ${event.text}`);
}

function stepAttempt(steps) {
  const number = entries.beside(steps);
  if (number === null) say(steps > 0 ? "That was the last one" : "That was the first one");
  else openAttempt(number, 0);
}

function stepTime(event, sign) {
  seekByHand(player.at_ms() + sign * (event.shiftKey ? 5 : 1) * SECOND_MS);
}

// The recording

const STATES = {
  empty: "",
  asleep: "",
  ready: "",
  none: "No recording: the playhead can be moved, nothing is heard.",
};

function soundState(now) {
  const button = byId("play");
  const isSilent = now.state === "none" || now.state === "elsewhere";
  setIcon(button, now.isPlaying ? "pause" : "play");
  button.setAttribute("aria-label", now.isPlaying ? "Pause" : "Play");
  button.disabled = isSilent;
  for (const side of ["caller", "assistant"]) {
    const mute = byId(`mute-${side}`);
    press(mute, now.muted[side]);
    mute.disabled = isSilent;
  }
  byId("speed").disabled = isSilent;
  const place = byId("recording");
  place.dataset.state = now.state;
  if (now.state === "elsewhere") {
    if (!place.querySelector("a")) place.replaceChildren("The sound is in ", make("a", { text: line(now.place.page, 60) }));
    linkElsewhere();
  } else if (now.state === "decoding") {
    const percent = Math.floor(now.progress * 100);
    place.textContent = `Reading the recording (${megabytes(now.place.size_bytes)}), ${percent} %`;
  } else {
    place.textContent = now.problem || STATES[now.state] || "";
  }
  if (now.problem && place.dataset.told !== now.problem) say(now.problem);
  place.dataset.told = now.problem;
}

function megabytes(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** The link to the page with the sound leads to the same moment. */
function linkElsewhere() {
  const link = byId("recording").querySelector("a");
  const place = opened === null ? null : index.sounds[opened.number];
  if (link === null || !place || place.page === null) return;
  link.setAttribute("href", encodeURIComponent(place.page) + linkTo(opened.entry.key, player.at_ms()));
}

// The frame of the page

function showRun() {
  const { run } = index;
  byId("run-name").replaceChildren(make("span", { class: "suite", text: line(run.module.toUpperCase(), 40) }), " ", words(run.id, { limit: 60 }));
  const told = [
    [run.passed, "passed"], [run.failed, "failed"], [run.infrastructure_errors, "infrastructure_error"],
  ].filter(([number]) => number !== null);
  byId("run-counts").replaceChildren(...told.map(([number, kind]) =>
    make("span", { class: `tally ${kind} ${number ? "" : "none"}` }, icon(kind), count(number), make("span", { class: "tally-name", text: ` ${kind === "infrastructure_error" && number !== 1 ? "infrastructure errors" : STANDINGS[kind].toLowerCase()}` }))));
  if (run.audio_origin === "synthetic_fixture") byId("run-counts").append(make("span", { class: "tag", text: "offline fixture" }));
  const here = index.pages[index.number - 1];
  byId("pages").hidden = index.pages.length < 2;
  byId("pages").replaceChildren(...index.pages.map((page, place) =>
    make("a", { href: encodeURIComponent(page), title: line(page), "aria-label": `Page ${place + 1}: ${line(page)}`,
      "aria-current": page === here ? "page" : null, text: String(place + 1) })));
}

function showIndex(isShown) {
  document.body.classList.toggle("index-open", isShown);
  byId("attempts-toggle").setAttribute("aria-expanded", String(isShown));
}

function fromLink() {
  forgetLink();
  const link = readLink();
  if (link === null) return false;
  const number = entries.find(link.key);
  if (number < 0) {
    say("The link names no attempt of this page");
    byId("matches").textContent = `The link names no attempt of this page: ${line(link.key, 80)}`;
    return false;
  }
  if (opened !== null && opened.number === number && wanted === number) player.seek(link.at_ms);
  else openAttempt(number, link.at_ms);
  return true;
}

function wire() {
  const on = (id, action) => byId(id).addEventListener("click", action);
  on("play", () => player.toggle());
  on("event-previous", () => stepEvent(-1));
  on("event-next", () => stepEvent(1));
  on("zoom-in", timeline.zoomIn);
  on("zoom-out", timeline.zoomOut);
  on("zoom-fit", timeline.fit);
  for (const side of ["caller", "assistant"]) {
    on(`mute-${side}`, () => player.mute(side, !isPressed(byId(`mute-${side}`))));
  }
  byId("speed").addEventListener("change", (event) => player.setRate(Number(event.target.value)));
  on("help-open", () => byId("help").showModal());
  on("attempts-toggle", () => showIndex(!document.body.classList.contains("index-open")));
  on("skip", (event) => {
    event.preventDefault();
    byId("main").focus();
  });
  schemeButton(timeline.redraw);
  addEventListener("hashchange", fromLink);
  const isOnPlayhead = () => document.activeElement === byId("playhead");
  listenToKeys({
    " ": () => player.toggle(),
    ArrowLeft: (event) => stepTime(event, -1),
    ArrowRight: (event) => stepTime(event, 1),
    ArrowUp: (event) => (isOnPlayhead() ? stepTime(event, 1) : false),
    ArrowDown: (event) => (isOnPlayhead() ? stepTime(event, -1) : false),
    Home: () => isOnPlayhead() && seekByHand(0),
    End: () => isOnPlayhead() && seekByHand(player.extent_ms()),
    n: () => stepEvent(1),
    p: () => stepEvent(-1),
    "+": timeline.zoomIn,
    "=": timeline.zoomIn,
    "-": timeline.zoomOut,
    0: timeline.fit,
    "[": () => stepAttempt(-1),
    "]": () => stepAttempt(1),
    "/": () => {
      showIndex(true);
      byId("search").focus();
    },
    "?": () => byId("help").showModal(),
  });
}

function begin() {
  showRun();
  wire();
  if (!index.entries.length) {
    tellWaiting("This run has no attempts.");
    return;
  }
  if (fromLink()) return;
  showIndex(index.entries.length > 1 && matchMedia("(max-width: 860px)").matches);
  openAttempt(entries.first(), 0);
}

begin();
