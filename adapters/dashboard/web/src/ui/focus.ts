/**
 * Moves the focus to an element that is about to be rendered, after an action of the user has removed the
 * element that had the focus. It waits for the dialogs that give back the focus when they close.
 */
export function focusNext(find: () => HTMLElement | null | undefined) {
  let tries = 0;
  const look = () => {
    const found = find();
    if (found?.isConnected) found.focus();
    else if (++tries < 40) setTimeout(look, 50);
  };
  setTimeout(look, 60); // ms: after the dialogs
}
