// Keys work anywhere but where they mean something else already.

const SECOND_MS = 1000;

/** `actions` by key; an action that returns false leaves the key to the browser. */
function listenToKeys(actions) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (byId("help").open) return;
    const target = event.target;
    if (target.closest("input, textarea, select, [contenteditable]")) return;
    const isOnControl = target.closest("button, a, summary") !== null;
    if (isOnControl && (event.key === " " || event.key === "Enter")) return;
    const action = actions[event.key];
    if (action === undefined || action(event) === false) return;
    event.preventDefault();
  });
}
