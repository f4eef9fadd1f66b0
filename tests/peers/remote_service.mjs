// A remote application written from its schema and the published rules alone: `ws` and plain JSON.
// `remote_service.mjs TOKEN ORIGIN SCHEMA` prints its URL and serves until it is ended. For each
// delegation it looks something up, notes it in its state, says so and is done.
import { createServer } from "node:http";
import { timingSafeEqual } from "node:crypto";
import { WebSocketServer } from "ws";
import { readerOf } from "./contract.mjs";

const [token, origin, schema] = process.argv.slice(2);
const read = readerOf(schema);
const MOST_BYTES = 256 * 1024;
const MOST_CONNECTIONS = 8;
const CONFIGURE_WITHIN_MS = 10_000;

function converse(socket) {
  const state = { looked_up: [] };
  const known = new Set();
  let phase = "open";
  const send = (message) => socket.send(JSON.stringify(message));
  const report = (event) => send({ type: "assistant.event", event });
  const giveUp = (code, message) => {
    phase = "over";
    send({ type: "error", error: { code, message } });
    socket.close(1008);
  };
  const broken = () => giveUp("client_protocol_error", "That was not of the contract.");
  const late = setTimeout(() => giveUp("client_session_timeout", "Too late."), CONFIGURE_WITHIN_MS);

  function work(delegation_id) {
    if (known.has(delegation_id)) return;
    known.add(delegation_id);
    const call_id = `call_${known.size}`;
    const response_id = `response_${known.size}`;
    const owner = { response_id, delegation_id };
    report({ type: "response.created", ...owner });
    report({ type: "tool.called", call_id, name: "look_up", arguments: "{}", ...owner });
    state.looked_up.push(delegation_id);
    report({ type: "tool.completed", call_id, result: { ok: true }, application_state: state });
    report({ type: "response.completed", ...owner, usage: { total_tokens: 7 } });
    send({
      type: "live.send",
      event: { type: "session.commentary.append", delegation_id, content: "It is looked up." },
    });
    report({ type: "client_delegation.completed", delegation_id });
  }

  function follow(event) {
    if (event.type === "session.delegation.created") {
      work(event.delegation.id);
    } else if (event.type === "session.closed") {
      phase = "over";
      send({ type: "session.closed" });
      socket.close(1000);
    }
  }

  socket.on("error", () => {});
  socket.on("close", () => clearTimeout(late));
  socket.on("message", (data, isBinary) => {
    if (phase === "over") return;
    const message = read(data, isBinary, "MessageToApplication");
    if (message === undefined) {
      broken();
    } else if (message.type === "session.configure" && phase === "open") {
      clearTimeout(late);
      phase = "ready";
      send({ type: "session.ready", version: 1, application_state: state });
    } else if (message.type === "live.event" && phase === "ready") {
      follow(message.event);
    } else {
      broken();
    }
  });
}

const all = (request, name) =>
  request.rawHeaders.filter((_, at) => at % 2 && request.rawHeaders[at - 1].toLowerCase() === name);

function refusal(request, open) {
  const [credential = "", ...more] = all(request, "authorization").map((text) => Buffer.from(text));
  const expected = Buffer.from(`Bearer ${token}`);
  const isKnown =
    !more.length && credential.length === expected.length && timingSafeEqual(credential, expected);
  if (!isKnown) return "401 Unauthorized";
  const origins = all(request, "origin");
  if (origins.length && (origins.length > 1 || origins[0] !== origin)) return "403 Forbidden";
  return open >= MOST_CONNECTIONS ? "503 Service Unavailable" : undefined;
}

const sockets = new WebSocketServer({ noServer: true, maxPayload: MOST_BYTES });
const server = createServer((request, response) => {
  response.statusCode = request.url === "/health" ? 200 : 404;
  response.end();
});
server.on("upgrade", (request, socket, head) => {
  const refused = request.url === "/ws/assistant" ? refusal(request, sockets.clients.size) : "404 Not Found";
  if (refused) {
    socket.end(`HTTP/1.1 ${refused}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  } else {
    sockets.handleUpgrade(request, socket, head, converse);
  }
});
server.listen(0, "127.0.0.1", () => {
  console.log(`ws://127.0.0.1:${server.address().port}/ws/assistant`);
});
