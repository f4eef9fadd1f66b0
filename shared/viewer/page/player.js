// One playhead. Where there is sound it follows the sound; where there is none it can be moved.

const END_MS = 40;

/** `onMove(at_ms)` at every change of position, `onState(state)` at every other change. */
function makePlayer(audio, { onMove, onState }) {
  const mixer = sideMixer(audio);
  const muted = { caller: false, assistant: false };
  let load = { number: null, place: null, extent_ms: 0 };
  let at_ms = 0;
  let state = "empty"; // empty, asleep, decoding, ready, failed, none, elsewhere
  let progress = 0;
  let problem = "";
  let url = null;
  let wake = null;
  let isWantedPlaying = false;
  let rate = 1;

  function tell() {
    onState({ state, progress, problem, isPlaying: !audio.paused, place: load.place, muted });
  }

  function become(next) {
    state = next;
    tell();
  }

  function open(number, place, extent_ms, start_ms) {
    close();
    load = { number, place, extent_ms };
    at_ms = bounded(start_ms, 0, extent_ms);
    become(place === null ? "none" : place.page === null ? "asleep" : "elsewhere");
    onMove(at_ms);
  }

  function close() {
    isWantedPlaying = false;
    audio.pause();
    if (url !== null) {
      audio.removeAttribute("src");
      audio.load();
      URL.revokeObjectURL(url);
    }
    url = null;
    wake = null;
    progress = 0;
    problem = "";
  }

  /** Has the sound ready, once; what fails is told and can be tried again. */
  function awake() {
    if (state === "none" || state === "elsewhere") return Promise.resolve(false);
    wake = wake || decode(load);
    return wake;
  }

  async function decode(mine) {
    const isWanted = () => load === mine;
    become("decoding");
    try {
      const onProgress = (share) => {
        progress = share;
        if (isWanted()) tell();
      };
      const blob = await decodedSound(mine.number, mine.place.mime, onProgress, isWanted);
      if (blob === null || !isWanted()) return false;
      url = URL.createObjectURL(blob);
      await metadata(url);
      if (!isWanted()) return false;
    } catch (error) {
      if (!isWanted()) return false;
      problem = error.message;
      wake = null;
      isWantedPlaying = false;
      become("failed");
      return false;
    }
    audio.playbackRate = rate;
    place();
    become("ready");
    return true;
  }

  function metadata(source) {
    return new Promise((resolve, reject) => {
      const unheard = () => reject(new Error(`This browser does not play ${load.place.mime}.`));
      audio.addEventListener("loadedmetadata", () => resolve(), { once: true });
      audio.addEventListener("error", unheard, { once: true });
      audio.src = source;
      audio.load();
    });
  }

  function place() {
    const end = Number.isFinite(audio.duration) ? audio.duration : Infinity;
    audio.currentTime = Math.min(at_ms / 1000, end);
  }

  function seek(to_ms) {
    at_ms = bounded(to_ms, 0, load.extent_ms);
    if (state === "ready") place();
    else awake();
    onMove(at_ms);
  }

  async function play() {
    isWantedPlaying = true;
    const mine = load;
    mixer.wake();
    if (!(await awake()) || load !== mine || !isWantedPlaying) return;
    const end_ms = Math.min(load.extent_ms, audio.duration * 1000 || Infinity);
    if (at_ms >= end_ms - END_MS) seek(0);
    try {
      await audio.play();
      run();
    } catch (error) {
      if (error.name !== "AbortError") {
        problem = "The browser refused to play. Press play again.";
        tell();
      }
    }
  }

  function pause() {
    isWantedPlaying = false;
    audio.pause();
  }

  function run() {
    if (audio.paused) return;
    follow();
    requestAnimationFrame(run);
  }

  function follow() {
    if (state !== "ready" || audio.seeking) return;
    at_ms = Math.min(audio.currentTime * 1000, load.extent_ms);
    onMove(at_ms);
  }

  audio.addEventListener("play", tell);
  audio.addEventListener("pause", () => {
    if (state === "ready" && !audio.ended && !audio.seeking) follow();
    tell();
  });
  audio.addEventListener("ended", () => {
    isWantedPlaying = false;
    at_ms = load.extent_ms;
    onMove(at_ms);
    tell();
  });
  // A hidden page draws no frames, and the playhead still has to be right when it returns.
  audio.addEventListener("timeupdate", () => {
    if (!audio.paused) follow();
  });

  return {
    open,
    seek,
    play,
    pause,
    toggle: () => (isWantedPlaying || !audio.paused ? pause() : play()),
    setRate(next) {
      rate = next;
      audio.defaultPlaybackRate = next;
      audio.playbackRate = next;
      audio.preservesPitch = true;
    },
    mute(side, isMuted) {
      muted[side] = isMuted;
      mixer.set(side, isMuted);
      tell();
    },
    at_ms: () => at_ms,
    extent_ms: () => load.extent_ms,
    isPlaying: () => !audio.paused,
  };
}
