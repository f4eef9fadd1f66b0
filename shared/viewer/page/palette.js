// Colours of what is drawn, taken from the style sheet so that both schemes have one source.

const COLOURS = ["caller", "caller-soft", "assistant", "assistant-soft", "overlap", "grid", "muted", "text", "line"];

/** Colours by name, resolved for the scheme that is shown now. */
function palette() {
  const probe = byId("said");
  const found = {};
  for (const name of COLOURS) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.style.color = "";
  return found;
}

const SCHEMES = ["automatic", "light", "dark"];
const KEPT_SCHEME = "viewer-scheme";

/** Wires the button that goes through the schemes; `onChange` runs at each change, also the system's. */
function schemeButton(onChange) {
  const button = byId("theme");
  let scheme = remembered();
  function apply() {
    if (scheme === "automatic") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = scheme;
    byId("theme-name").textContent = scheme[0].toUpperCase() + scheme.slice(1);
    button.title = `Colours: ${scheme}`;
    button.setAttribute("aria-label", button.title);
    onChange();
  }
  button.addEventListener("click", () => {
    scheme = SCHEMES[(SCHEMES.indexOf(scheme) + 1) % SCHEMES.length];
    remember(scheme);
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", onChange);
  apply();
}

// A browser may keep nothing for a file; then the scheme lasts as long as the page.
function remembered() {
  try {
    const kept = localStorage.getItem(KEPT_SCHEME);
    return SCHEMES.includes(kept) ? kept : "automatic";
  } catch {
    return "automatic";
  }
}

function remember(scheme) {
  try {
    localStorage.setItem(KEPT_SCHEME, scheme);
  } catch {
    // Nothing depends on it.
  }
}
