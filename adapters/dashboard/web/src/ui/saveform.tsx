import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import { Problem } from './basics';
import { Button } from './button';
import type { Form } from './form';
import { unplaced } from './formvalues';
import { Confirm, useDialogGuard } from './overlays';
import styles from './ui.module.css';

type SaveFormProps<V extends object> = {
  form: Form<V>;
  /** The label of the save button. */
  action: string;
  /** Called by the cancel button, for example in a dialog. If undefined, the form has a reset button instead. */
  onCancel?: () => void;
  /** Called after a successful save. */
  onSaved?: () => void;
  /** Allows saving without a change, for example to create something. */
  always?: boolean;
  /** Whether something is left to choose before it can be saved. */
  isIncomplete?: boolean;
  /** Renders an error; default: Problem. */
  problem?: (error: NonNullable<Form<V>['error']>) => ReactNode;
  /** A note beside the buttons, for example about the effects of saving. */
  note?: ReactNode;
  children: ReactNode;
};

/** Matches the input that gets the focus in a dialog. It excludes the hidden inputs of Select. */
const firstField = 'textarea, input:not([type=radio], [type=checkbox], [tabindex="-1"], [aria-hidden=true] *)';

/** Whether a field refuses its text, such as one for numbers. The first such field gets the focus and shows why. */
function hasCustomError(form: HTMLFormElement | null): boolean {
  const wrong = [...(form?.elements ?? [])].find((e): e is HTMLInputElement => e instanceof HTMLInputElement && e.validity.customError);
  wrong?.checkValidity();
  return wrong !== undefined;
}

/** A form with its buttons. A failed save moves the focus to the first field with a fault. */
export function SaveForm<V extends object>({ form, action, onCancel, onSaved, always, isIncomplete, problem, note, children }: SaveFormProps<V>) {
  const t = useTexts('common').saveform;
  const element = useRef<HTMLFormElement>(null);
  const inDialog = useDialogGuard(form.dirty);
  useEffect(() => {
    if (inDialog) element.current?.querySelector<HTMLElement>(firstField)?.focus();
  }, [inDialog]);
  const error = unplaced(form.error, Object.keys(form.values));
  const submit = async () => {
    if (form.pending || isIncomplete || hasCustomError(element.current)) return;
    if (await form.save()) return onSaved?.();
    setTimeout(() => element.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid] button')?.focus());
  };
  const cancel = onCancel ? <Button onPress={onCancel}>{t.cancel}</Button> : form.dirty && <Button onPress={() => form.reset()}>{t.discard}</Button>;
  return (
    <form
      ref={element}
      className={styles.saveForm}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation(); // a dialog's form is a React descendant of the page's form, which must not be submitted, too
        void submit();
      }}
    >
      {children}
      {error && (problem?.(error) ?? <Problem error={error} />)}
      <footer data-dialog={inDialog || undefined}>
        {inDialog && cancel}
        <Button type="submit" kind="primary" isPending={form.pending} isDisabled={isIncomplete || (!always && !form.dirty)}>
          {action}
        </Button>
        {!inDialog && cancel}
        {note}
      </footer>
      <LeaveGuard when={form.dirty && !form.pending} />
    </form>
  );
}

/** Asks for confirmation before the user leaves the page, while when is true. */
export function LeaveGuard({ when }: { when: boolean }) {
  const t = useTexts('common').saveform;
  // A save may navigate before the next render, so the blocker must read the latest value.
  const active = useRef(when);
  useEffect(() => {
    active.current = when;
  }, [when]);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => active.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => active.current,
    withResolver: true,
  });
  return (
    <Confirm title={t.leaveTitle} isOpen={blocker.status === 'blocked'} onClose={() => blocker.reset?.()} onConfirm={() => blocker.proceed?.()} action={t.leave} danger>
      {t.leaveText}
    </Confirm>
  );
}
