import { useState, type ReactNode } from 'react';
import { asApiError, type ApiError } from '../api/error';
import { Said } from '../faults/said';
import { useTexts } from '../i18n/language';
import { Cancelled } from '../ui/form';
import { Confirm } from '../ui/overlays';
import styles from './settings.module.css';

type Question = { error: ApiError; answer: (yes: boolean) => void };

/**
 * For changes that affect readers of published entries. ask calls send without an acknowledgement.
 * If the response is 409 governed, dialog lists the effects and asks for confirmation. If the user
 * confirms, ask calls send(true); otherwise it throws Cancelled. Render dialog once.
 */
export function useAcknowledge(): { ask: <T>(send: (acknowledge: true | undefined) => Promise<T>) => Promise<T>; dialog: ReactNode } {
  const t = useTexts('settings').acknowledge;
  const [question, setQuestion] = useState<Question>();
  const ask = async <T,>(send: (acknowledge: true | undefined) => Promise<T>) => {
    try {
      return await send(undefined);
    } catch (caught) {
      const error = asApiError(caught);
      if (error.code !== 'governed') throw caught;
      const yes = await new Promise<boolean>((answer) => setQuestion({ error, answer }));
      if (!yes) throw new Cancelled();
      return send(true);
    }
  };
  const answer = (yes: boolean) => {
    question?.answer(yes);
    setQuestion(undefined);
  };
  const dialog = (
    <Confirm title={t.title} isOpen={question !== undefined} onClose={() => answer(false)} onConfirm={() => answer(true)} action={t.confirm} danger>
      <p>{t.lead}</p>
      <ul className={styles.list}>
        {question?.error.faults.map((fault) => (
          <li key={fault.location + fault.message}>
            <b>{fault.location.replace(/^(fields|locales)\./, '').replace(/^components\.([^.]+)\.fields/, '$1')}</b>: <Said text={fault.message} />
          </li>
        ))}
      </ul>
      <p>{t.record}</p>
    </Confirm>
  );
  return { ask, dialog };
}
