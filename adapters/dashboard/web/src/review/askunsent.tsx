import { useEffect, useRef } from 'react';
import { inputOf } from '../comments/input';
import { usePending } from '../comments/pending';
import { useAllUnsent } from '../comments/unsent';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import type { Request } from './queries';
import styles from './review.module.css';

type AskUnsentProps = { request: Request; onDecide: () => void; onCancel: () => void; isPending: boolean };

/** Asks what becomes of comments that are written, but not sent, before the decision leaves the request. */
export function AskUnsent({ request, onDecide, onCancel, isPending }: AskUnsentProps) {
  const t = useTexts('comments');
  const [comments, drop] = useAllUnsent(request.id);
  const [pending, setPending] = usePending(request.id);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => void box.current?.querySelector('button')?.focus(), []);
  const send = () => {
    setPending([...pending, ...comments.map(inputOf)]);
    drop();
    onDecide();
  };
  return (
    <div className={styles.decide} ref={box} role="group" aria-label={t.unsent(comments.length)}>
      <p>{t.unsent(comments.length)}</p>
      {comments.map(({ entryId, text }) => (
        <blockquote key={entryId ?? 0} className={styles.kept} dir="auto">
          {text}
        </blockquote>
      ))}
      <Button kind="primary" wide onPress={send} isPending={isPending}>
        {t.sendIt(comments.length)}
      </Button>
      <Button wide onPress={onDecide} isPending={isPending}>
        {t.keepIt(comments.length)}
      </Button>
      <Button kind="quiet" wide onPress={onCancel}>
        {t.cancel}
      </Button>
    </div>
  );
}
