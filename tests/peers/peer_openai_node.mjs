// One round with openai-node: `peer_openai_node.mjs PORT KEY responses|failing|client`.
// Streams silence, answers every tool call (or the delegation itself), waits for speech, closes,
// and prints what it saw as JSON lines. In the mode `failing` its second tool fails, and it says so
// to the backend. Exits with 0 only if all of that happened.
import OpenAI from "openai";
import { LiveWS } from "openai/resources/live/ws";

const [port, key, mode] = process.argv.slice(2);
const FRAME_MS = 50;
const FRAME = Buffer.alloc(2400).toString("base64");
const WITHIN_MS = 20_000;

const say = (facts) => console.log(JSON.stringify(facts));
const tools = ["first", "second"].map((name) => ({ type: "function", name }));
const responses = { model: "a-backend", tools };
const delegation = mode === "client" ? { type: "client" } : { type: "responses", responses };
const FAILED = '{"ok":false,"error":"the tool broke"}';
const run = (tool) => (mode === "failing" && tool === "second" ? FAILED : "ok");

const client = new OpenAI({ apiKey: key, baseURL: `http://127.0.0.1:${port}/v1` });
const socket = new LiveWS(client);
const seen = { calls: [], callsAnswered: 0, pieces: 0, hasSpoken: false, isClosing: false, errors: 0 };
let sender;

const fail = (why) => {
  say({ saw: "failure", why });
  process.exit(1);
};
setTimeout(() => fail("nothing came of it in time"), WITHIN_MS);

function streamSilence() {
  const began = performance.now();
  let frames = 0;
  const next = () => {
    socket.send({ type: "session.input_audio.append", audio: FRAME });
    frames += 1;
    sender = setTimeout(next, Math.max(0, began + frames * FRAME_MS - performance.now()));
  };
  next();
}

function listen(audio) {
  seen.pieces += 1;
  if (audio.some((byte) => byte !== 0)) {
    seen.hasSpoken = true;
  } else if (seen.hasSpoken && !seen.isClosing) {
    seen.isClosing = true;
    socket.send({ type: "session.close", event_id: "bye" });
  }
}

function follow(event) {
  say({ saw: event.type, sequence_number: event.sequence_number });
  if (event.type === "response.output_item.done" && event.item.type === "function_call") {
    seen.calls.push(event.item);
  } else if (event.type === "response.completed" && seen.calls.length) {
    for (const { call_id, name } of seen.calls) {
      socket.send({
        type: "response.item.create",
        item: { type: "function_call_output", call_id, output: run(name) },
      });
    }
    seen.callsAnswered += seen.calls.length;
    seen.calls = [];
    socket.send({ type: "response.create" });
  }
}

function finish(event) {
  clearTimeout(sender);
  const seconds = event.usage.seconds;
  say({
    saw: "the end",
    seconds,
    pieces: seen.pieces,
    calls_answered: seen.callsAnswered,
    errors: seen.errors,
  });
  const isWhole = seen.hasSpoken && seconds > 0 && !seen.errors;
  const answered = mode === "client" ? 0 : 2;
  process.exit(isWhole && seen.callsAnswered === answered ? 0 : 1);
}

socket.on("error", (error) => fail(error.message));
socket.on("event", (event) => {
  switch (event.type) {
    case "session.started":
      say({ saw: event.type, client_event_id: event.client_event_id });
      return streamSilence();
    case "session.output_audio.delta":
      return listen(Buffer.from(event.delta, "base64"));
    case "response.event":
      return follow(event.event);
    case "session.delegation.created":
      say({ saw: event.type, offset_ms: event.offset_ms, goes_to: event.delegation.target });
      if (event.delegation.target === "client") {
        const told = { content: "It is done.", delegation_id: event.delegation.id };
        socket.send({ type: "session.commentary.append", event_id: "told", ...told });
      }
      return undefined;
    case "session.closed":
      return finish(event);
    default:
      return say({ saw: event.type, text: event.delta });
  }
});
socket.send({
  type: "session.start",
  event_id: "begin",
  session: { model: "gpt-live-1", delegation },
});
