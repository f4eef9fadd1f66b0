// Drawing on canvas what is too fine for elements: waveforms, voiced spans, the ruler.

const STEPS_MS = [
  50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 1800000,
];
const TICK_PX = 76;

/** A canvas as large as asked, sharp on the screen it is on, cleared. */
function prepared(canvas, width_px, height_px) {
  const scale = window.devicePixelRatio || 1;
  const width = Math.round(width_px * scale);
  const height = Math.round(height_px * scale);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
    canvas.style.width = `${width_px}px`;
    canvas.style.height = `${height_px}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width_px, height_px);
  return pen;
}

/** `view` is what is shown: `from_ms`, `to_ms`, over `width_px`. */
function xOf(view, at_ms) {
  return ((at_ms - view.from_ms) / (view.to_ms - view.from_ms)) * view.width_px;
}

function drawSpans(pen, view, spans, top_px, height_px, colour) {
  pen.fillStyle = colour;
  for (const [start_ms, end_ms] of spans) {
    if (end_ms < view.from_ms || start_ms > view.to_ms) continue;
    const x = xOf(view, start_ms);
    pen.fillRect(x, top_px, Math.max(1, xOf(view, end_ms) - x), height_px);
  }
}

/** One mirrored column per pixel: the loudest of what falls into it. */
function drawWave(pen, view, peaks, peak_ms, top_px, height_px, colour) {
  const middle = top_px + height_px / 2;
  const perPixel_ms = (view.to_ms - view.from_ms) / view.width_px;
  pen.fillStyle = colour;
  pen.beginPath();
  for (let x = 0; x < view.width_px; x += 1) {
    const from = Math.floor((view.from_ms + x * perPixel_ms) / peak_ms);
    const to = Math.max(from + 1, Math.ceil((view.from_ms + (x + 1) * perPixel_ms) / peak_ms));
    let loudest = 0;
    for (let place = Math.max(0, from); place < to && place < peaks.length; place += 1) {
      if (peaks[place] > loudest) loudest = peaks[place];
    }
    if (loudest === 0) continue;
    const half = Math.max(0.5, (loudest / 255) * (height_px / 2));
    pen.rect(x, middle - half, 1, half * 2);
  }
  pen.fill();
}

/** Slanted lines over spans, so that an overlap is seen without its colour. */
function drawHatch(pen, view, spans, height_px, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  for (const [start_ms, end_ms] of spans) {
    if (end_ms < view.from_ms || start_ms > view.to_ms) continue;
    const left = Math.max(-height_px, xOf(view, start_ms));
    const right = Math.min(view.width_px + height_px, Math.max(left + 2, xOf(view, end_ms)));
    pen.save();
    pen.beginPath();
    pen.rect(left, 0, right - left, height_px);
    pen.clip();
    pen.beginPath();
    for (let x = Math.floor((left - height_px) / 6) * 6; x < right; x += 6) {
      pen.moveTo(x, height_px);
      pen.lineTo(x + height_px, 0);
    }
    pen.stroke();
    pen.restore();
  }
}

function tickStep(view) {
  const perPixel_ms = (view.to_ms - view.from_ms) / view.width_px;
  return STEPS_MS.find((step) => step / perPixel_ms >= TICK_PX) || STEPS_MS[STEPS_MS.length - 1];
}

function ticks(view) {
  const step = tickStep(view);
  const found = [];
  for (let at = Math.ceil(view.from_ms / step) * step; at <= view.to_ms; at += step) found.push(at);
  return { step, found };
}

function drawRuler(pen, view, height_px, colours) {
  const { step, found } = ticks(view);
  const digits = step < 100 ? 2 : step < 1000 ? 1 : 0;
  pen.font = "13px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (const at of found) {
    const x = Math.round(xOf(view, at)) + 0.5;
    pen.fillStyle = colours.line;
    pen.fillRect(x, height_px - 7, 1, 7);
    pen.fillStyle = colours.muted;
    const text = clock(at, digits);
    const width = pen.measureText(text).width;
    pen.fillText(text, bounded(x - width / 2, 2, view.width_px - width - 2), 11);
  }
}

function drawGrid(pen, view, height_px, colours) {
  pen.fillStyle = colours.grid;
  for (const at of ticks(view).found) pen.fillRect(Math.round(xOf(view, at)), 0, 1, height_px);
}
