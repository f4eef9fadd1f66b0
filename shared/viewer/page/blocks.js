// The data of the page. The index stands before the program; attempts may still be arriving, and
// an attempt is parsed when it is opened.

const WAIT_MS = 60;
const KEPT = 6;

function readIndex() {
  return JSON.parse(byId("index").textContent);
}

/** A block that is there to its end: something follows it, or nothing will. */
function arrived(id) {
  const block = byId(id);
  if (block === null) return null;
  return block.nextSibling !== null || document.readyState !== "loading" ? block : null;
}

/** The block, as soon as it has come; nothing where the document ended without it. */
async function whenArrived(id) {
  for (;;) {
    const isWhole = document.readyState !== "loading";
    const block = arrived(id);
    if (block !== null || isWhole) return block;
    await new Promise((resume) => setTimeout(resume, WAIT_MS));
  }
}

const parsed = new Map();

/** An attempt by its number, or an error whose message can be shown. */
async function readAttempt(number) {
  if (parsed.has(number)) return parsed.get(number);
  const block = await whenArrived(`attempt-${number}`);
  if (block === null) throw new Error("This file does not hold the attempt: it may be cut short.");
  let attempt;
  try {
    attempt = JSON.parse(block.textContent);
  } catch {
    throw new Error("The attempt cannot be read: the file is damaged or cut short.");
  }
  parsed.set(number, attempt);
  if (parsed.size > KEPT) parsed.delete(parsed.keys().next().value);
  return attempt;
}

function fromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) bytes[place] = letters.charCodeAt(place);
  return bytes;
}
