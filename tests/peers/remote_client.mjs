// The harness's end of the contract, written from its schema alone: `ws` and plain JSON.
// `remote_client.mjs URL TOKEN SCHEMA` has one delegation done, prints what it saw as JSON lines,
// and exits with 0 only if every message was of the contract and came in its order.
import WebSocket from "ws";
import { readerOf } from "./contract.mjs";

const [url, token, schema] = process.argv.slice(2);
const read = readerOf(schema);
const WITHIN_MS = 20_000;
const DELEGATION = "delegation_1";

const say = (facts) => console.log(JSON.stringify(facts));
const fail = (why) => {
  say({ saw: "failure", why });
  process.exit(1);
};
setTimeout(() => fail("nothing came of it in time"), WITHIN_MS);

const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${token}` } });
const send = (message) => socket.send(JSON.stringify(message));
const live = (event) => send({ type: "live.event", event });
const calls = new Set();
let results = 0;
let isReady = false;
let isDone = false;

function follow(event) {
  say({ saw: event.type });
  if (event.type === "tool.called") calls.add(event.call_id);
  const isOutcome = event.type === "tool.completed" || event.type === "tool.failed";
  if (isOutcome && !calls.delete(event.call_id)) fail("a result of no call");
  if (event.type === "client_delegation.completed") {
    if (!results || calls.size) fail("done before it was done");
    isDone = true;
    live({ type: "session.closed", reason: "close_requested" });
  }
}

socket.on("error", (error) => fail(error.message));
socket.on("close", () => fail("closed without a word"));
socket.on("open", () => send({ type: "session.configure", version: 1, initial_items: [] }));
socket.on("message", (data, isBinary) => {
  const message = read(data, isBinary, "MessageToHarness");
  if (message === undefined) fail("a message that is not of the contract");
  if (!isReady && message.type !== "session.ready") fail(`${message.type} before session.ready`);
  switch (message.type) {
    case "session.ready":
      isReady = true;
      say({ saw: message.type, state: message.application_state });
      live({ type: "session.input_transcript.delta", start_ms: 0, end_ms: 900, delta: "Please." });
      live({
        type: "session.delegation.created",
        offset_ms: 900,
        delegation: { id: DELEGATION, target: "client" },
      });
      return undefined;
    case "assistant.event":
      return follow(message.event);
    case "live.send":
      results += 1;
      return say({ saw: message.event.type, content: message.event.content });
    case "session.closed":
      say({ saw: message.type });
      process.exit(isDone ? 0 : 1);
    default:
      return fail(message.error.code);
  }
});
