import { formOf } from './form';
import { controlIn } from './items/focus';
import { jumpTo } from './panel/faultlist';
import { focusNext } from '../ui/focus';
import type { EntryStore } from './store';

/** Undoes or redoes the last change of the form and moves the focus to its control. Returns whether there was one. */
export function undoIn(store: EntryStore, direction: 'undo' | 'redo'): boolean {
  const step = store[direction]();
  if (!step) return false;
  const fieldAt = (place: string) => formOf().querySelector<HTMLElement>(`[data-field="${CSS.escape(place)}"]`);
  const typed = step.at === '' ? null : fieldAt(step.at);
  if (typed?.contains(document.activeElement)) return true;
  if (typed) focusNext(() => controlIn(fieldAt(step.at)));
  // A block that came back or went: the focus stays unless it went with it.
  else if (step.at === '') setTimeout(() => document.activeElement === document.body && jumpTo(step.name));
  else jumpTo(step.name);
  return true;
}

/** Controls whose text is no value of the form yet: the browser undoes it. */
const unkept = '[role=combobox], [type=password], [data-unkept], [data-unkept] *';

/** Whether a key or command is for the form in front, and not for another dialog, field or page. */
function isForForm(target: EventTarget | null) {
  if (!(target instanceof Element) || target.matches(unkept)) return false;
  const form = formOf();
  if (form !== document && !(form as Element).contains(target) && target !== document.body) return false;
  const editable = target.closest('input, textarea, select, [contenteditable=true]');
  return target.closest('[data-field]') !== null || (editable === null && target.closest('[role=dialog], [role=alertdialog]') === null);
}

/**
 * Takes over the undo of the browser, which knows each text alone and nothing of blocks. mine says
 * whether the store is that of the form in front; none is called where there is nothing to undo.
 */
export function followUndo(store: EntryStore, mine: () => boolean, none: () => void) {
  const act = (event: Event, direction: 'undo' | 'redo') => {
    if (!mine() || !isForForm(event.target)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!undoIn(store, direction) && direction === 'undo') none();
  };
  const onKey = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return;
    const key = event.key.toLowerCase();
    if (key === 'z') act(event, event.shiftKey ? 'redo' : 'undo');
    else if (key === 'y' && !event.shiftKey) act(event, 'redo');
  };
  // From the menu of the browser or a phone.
  const onInput = (event: InputEvent) => {
    if (event.inputType === 'historyUndo') act(event, 'undo');
    else if (event.inputType === 'historyRedo') act(event, 'redo');
  };
  addEventListener('keydown', onKey, true);
  addEventListener('beforeinput', onInput, true);
  return () => {
    removeEventListener('keydown', onKey, true);
    removeEventListener('beforeinput', onInput, true);
  };
}
