/**
 * Moves the focus to an element that is about to be rendered, after an action of the user removes the
 * element that has the focus. It waits for the dialogs that give back the focus when they close, and moves
 * the focus again if a later render replaces the element, for up to two seconds.
 */
export function focusNext(find: () => HTMLElement | null | undefined) {
  let [tries, moved] = [0, false];
  const look = () => {
    const lost = document.activeElement === null || document.activeElement === document.body;
    const found = !moved || lost ? find() : undefined;
    if (found?.isConnected) {
      found.focus();
      moved = true;
    }
    if (++tries < 40) setTimeout(look, 50);
  };
  setTimeout(look, 60); // ms: after the dialogs
}
