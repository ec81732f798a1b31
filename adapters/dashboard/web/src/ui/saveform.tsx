import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { texts, useTexts } from '../i18n/language';
import { Problem } from './basics';
import { Button } from './button';
import type { Form } from './form';
import { unplaced } from './formvalues';
import { Confirm, useDialogGuard } from './overlays';
import styles from './ui.module.css';

type SaveFormProps<V extends object> = {
  form: Form<V>;
  /** The word on the button that saves. */
  action: string;
  /** Offers to leave the form, as in a dialog. Without it the form can only be reset. */
  onCancel?: () => void;
  /** Called after a save that succeeded. */
  onSaved?: () => void;
  /** Whether saving makes sense without a change, as when something is created. */
  always?: boolean;
  /** What failed saves show instead of the plain problem. */
  problem?: (error: NonNullable<Form<V>['error']>) => ReactNode;
  /** A remark beside the buttons, such as what saving will change. */
  note?: ReactNode;
  children: ReactNode;
};

/** What gets the focus in a dialog. The hidden inputs of a Select do not count. */
const firstField = 'textarea, input:not([type=radio], [type=checkbox], [tabindex="-1"], [aria-hidden=true] *)';

/** The fields of a form with its buttons. A failed save puts the focus on the first faulty field. */
export function SaveForm<V extends object>({ form, action, onCancel, onSaved, always, problem, note, children }: SaveFormProps<V>) {
  const t = useTexts(words);
  const element = useRef<HTMLFormElement>(null);
  const inDialog = useDialogGuard(form.dirty);
  useEffect(() => {
    if (inDialog) element.current?.querySelector<HTMLElement>(firstField)?.focus();
  }, [inDialog]);
  const error = unplaced(form.error, Object.keys(form.values));
  const submit = async () => {
    if (form.pending) return;
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
        event.stopPropagation(); // a form in a dialog is a React child of the page's form
        void submit();
      }}
    >
      {children}
      {error && (problem?.(error) ?? <Problem error={error} />)}
      <footer data-dialog={inDialog || undefined}>
        {inDialog && cancel}
        <Button type="submit" kind="primary" isPending={form.pending} isDisabled={!always && !form.dirty}>
          {action}
        </Button>
        {!inDialog && cancel}
        {note}
      </footer>
      <LeaveGuard when={form.dirty && !form.pending} />
    </form>
  );
}

/** Asks before the user leaves the page while something is unsaved. */
export function LeaveGuard({ when }: { when: boolean }) {
  const t = useTexts(words);
  // A save that navigates away does so before the next render: the blocker has to read the latest value.
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

const words = texts({
  en: {
    cancel: 'Cancel',
    discard: 'Discard changes',
    leaveTitle: 'Leave without saving?',
    leaveText: 'Your changes on this page are not saved.',
    leave: 'Leave without saving',
  },
  de: {
    cancel: 'Abbrechen',
    discard: 'Änderungen verwerfen',
    leaveTitle: 'Ohne Speichern verlassen?',
    leaveText: 'Ihre Änderungen auf dieser Seite sind nicht gespeichert.',
    leave: 'Ohne Speichern verlassen',
  },
});
