// Deep links: `#scenario=<key>&t=<seconds>`.

const WRITE_AFTER_MS = 250;

function linkTo(key, at_ms) {
  const seconds = Math.round(at_ms) / 1000;
  return `#scenario=${encodeURIComponent(key)}${seconds ? `&t=${seconds}` : ""}`;
}

/** `{key, at_ms}` of the address, or nothing where it names no attempt. */
function readLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  const key = given.get("scenario");
  if (key === null) return null;
  const seconds = Number(given.get("t") || 0);
  return { key, at_ms: Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0 };
}

let waiting = 0;

/** Writes the address soon: a browser refuses one that changes at every step of a drag. */
function writeLink(key, at_ms) {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    try {
      history.replaceState(null, "", linkTo(key, at_ms));
    } catch {
      // Where the address cannot be written, the page works without it.
    }
  }, WRITE_AFTER_MS);
}

function forgetLink() {
  clearTimeout(waiting);
}
