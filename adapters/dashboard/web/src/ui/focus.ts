/**
 * Moves the focus to an element that is about to be rendered, after an action of the user removes the
 * element that has the focus. It waits for the dialogs that give back the focus when they close, and moves
 * the focus again if a later render replaces the element, for up to two seconds.
 */
export function focusNext(find: () => HTMLElement | null | undefined) {
  let [tries, done] = [0, false];
  let last: HTMLElement | undefined;
  /** The user goes on elsewhere. */
  const onInput = (event: Event) => {
    if (!(event.target instanceof Node) || event.target === document.body) return;
    const found = last ?? find();
    // Who types there before the first look has the focus already.
    if (found?.contains(event.target)) last = found;
    else done ||= last !== undefined || event.type === 'pointerdown';
  };
  const look = () => {
    const lost = document.activeElement === null || document.activeElement === document.body;
    const found = !done && (!last || lost) ? find() : undefined;
    if (found?.isConnected) {
      found.focus();
      last = found;
    }
    if (!done && ++tries < 40) setTimeout(look, 50);
    else inputs.forEach((type) => document.removeEventListener(type, onInput, true));
  };
  inputs.forEach((type) => document.addEventListener(type, onInput, true));
  setTimeout(look, 60); // ms: after the dialogs
}

const inputs = ['keydown', 'pointerdown'];
