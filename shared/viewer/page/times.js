// Media time is in whole milliseconds everywhere; here it becomes words.

/** `1:02.3`, or `1:01:02.3` from an hour on. */
function clock(at_ms, digits = 1) {
  const unit = 10 ** (3 - digits);
  const parts = Math.max(0, Math.round(at_ms / unit));
  const perSecond = 10 ** digits;
  const seconds = Math.floor(parts / perSecond);
  const fraction = digits ? `.${String(parts % perSecond).padStart(digits, "0")}` : "";
  const minutes = Math.floor(seconds / 60);
  const rest = `${String(seconds % 60).padStart(2, "0")}${fraction}`;
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** How long something lasts: `340 ms`, `1.25 s`, `1:30`. */
function lasting(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  return clock(ms, 0);
}

function isTime(value) {
  return typeof value === "number" && Number.isFinite(value);
}
