// A client of GPT Live with the official SDK: silence in, tool calls answered, a proper end.
import OpenAI from "openai";
import { LiveWS } from "openai/resources/live/ws";

const FRAME_MS = 50;
const FRAME = Buffer.alloc(2400).toString("base64");
const tools = ["find_loan", "find_member", "renew_loan"].map((name) => ({ type: "function", name }));

// The SDK makes ws out of http and appends /live/sessions by itself.
const baseURL = process.env.LIVE_URL.replace(/^ws/, "http").replace(/\/live\/sessions$/, "");
const socket = new LiveWS(new OpenAI({ baseURL }));
let calls = [];
let hasSpoken = false;
let isClosing = false;
let sender;

// A tool that fails is an answer too.
function runTool(name, given) {
  try {
    const found = JSON.parse(given);
    if (name === "renew_loan") throw new Error("it was renewed too often");
    return JSON.stringify({ ok: true, found });
  } catch (error) {
    return JSON.stringify({ ok: false, error: error.message });
  }
}

// Audio goes as it sounds, by the clock and without ever stopping.
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
  if (audio.some((byte) => byte !== 0)) {
    hasSpoken = true;
  } else if (hasSpoken && !isClosing) {
    isClosing = true;
    socket.send({ type: "session.close", event_id: "close" });
  }
}

function follow(event) {
  if (event.type === "response.output_item.done" && event.item.type === "function_call") {
    calls.push(event.item);
  } else if (event.type === "response.completed" && calls.length) {
    for (const { call_id, name, arguments: given } of calls) {
      const output = runTool(name, given);
      const item = { type: "function_call_output", call_id, output };
      socket.send({ type: "response.item.create", item });
    }
    calls = [];
    socket.send({ type: "response.create" });
  }
}

socket.on("error", () => {}); // A refused command, or work that failed: the session goes on.
socket.on("event", (event) => {
  switch (event.type) {
    case "session.started":
      return streamSilence();
    case "response.event":
      return follow(event.event);
    case "session.output_audio.delta":
      return listen(Buffer.from(event.delta, "base64"));
    case "session.closed":
      clearTimeout(sender);
      return socket.close();
    default:
      return undefined; // Unknown events are for later versions.
  }
});
setTimeout(() => process.exit(1), 30_000).unref();
const delegation = { type: "responses", responses: { model: "a-backend", tools } };
socket.send({ type: "session.start", event_id: "start", session: { model: "gpt-live-1", delegation } });
