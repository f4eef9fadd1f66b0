// The recording of an attempt: decoded from its text when it is first wanted, in slices, so that
// the page answers meanwhile.

const SLICE = 1 << 20;

/** A Blob of the recording in block `sound-<number>`. `onProgress` takes a share of one. */
async function decodedSound(number, mime, onProgress, isWanted) {
  const block = await whenArrived(`sound-${number}`);
  if (block === null) throw new Error("This file does not hold the recording: it may be cut short.");
  const text = block.textContent.trim();
  const parts = [];
  for (let from = 0; from < text.length; from += SLICE) {
    if (!isWanted()) return null;
    try {
      parts.push(fromBase64(text.slice(from, from + SLICE)));
    } catch {
      throw new Error("The recording cannot be read: the file is damaged.");
    }
    onProgress(Math.min(1, (from + SLICE) / text.length));
    await new Promise((resume) => setTimeout(resume));
  }
  return new Blob(parts, { type: mime });
}

/** Lets either side be silenced. The sound runs through it from the first time one is. */
function sideMixer(audio) {
  let gains = null;
  function built() {
    const context = new AudioContext();
    const source = context.createMediaElementSource(audio);
    const splitter = context.createChannelSplitter(2);
    const merger = context.createChannelMerger(2);
    source.connect(splitter);
    const made = [0, 1].map((side) => {
      const gain = context.createGain();
      splitter.connect(gain, side);
      gain.connect(merger, 0, side);
      return gain;
    });
    merger.connect(context.destination);
    return { context, caller: made[0], assistant: made[1] };
  }
  return {
    set(side, isMuted) {
      if (gains === null && !isMuted) return;
      gains = gains || built();
      gains[side].gain.value = isMuted ? 0 : 1;
    },
    wake() {
      if (gains !== null) gains.context.resume();
    },
  };
}
