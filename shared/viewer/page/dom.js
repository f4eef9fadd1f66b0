// Elements are made, never written as markup: what comes from data can only be text.

const SVG = "http://www.w3.org/2000/svg";

function byId(id) {
  return document.getElementById(id);
}

/** An element. Of `given`, `class`, `text` and `on` (handlers) are known; the rest are attributes. */
function make(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else if (name === "on") {
      for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    } else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A picture of the page's own set. It says nothing by itself: words stand beside it. */
function icon(name, extra = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon ${extra}`);
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

function setIcon(button, name) {
  button.querySelector("use").setAttribute("href", `#i-${name}`);
}

function press(button, isPressed) {
  button.setAttribute("aria-pressed", String(isPressed));
}

function isPressed(button) {
  return button.getAttribute("aria-pressed") === "true";
}

/** Says what happened to those who do not see it. */
function say(text) {
  byId("said").textContent = text;
}

/** Runs `work` once in the next frame, however often it is asked for. */
function oncePerFrame(work) {
  let asked = 0;
  return () => {
    if (asked) return;
    asked = requestAnimationFrame(() => {
      asked = 0;
      work();
    });
  };
}

function bounded(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
