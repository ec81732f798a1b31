import { useState } from 'react';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Confirm } from '../ui/overlays';
import { TextArea } from '../ui/textfields';

type WithdrawProps = { isOpen: boolean; onClose: () => void; onConfirm: (comment: string | undefined) => void; isPending?: boolean; error?: unknown };

/** Asks before a request is withdrawn, and takes a word for the record. */
export function WithdrawDialog({ isOpen, onClose, onConfirm, isPending, error }: WithdrawProps) {
  const t = useTexts('common').withdraw;
  const [comment, setComment] = useState('');
  return (
    <Confirm title={t.title} isOpen={isOpen} onClose={onClose} onConfirm={() => onConfirm(comment.trim() || undefined)} isPending={isPending} action={t.withdraw} danger>
      <p>{t.ask}</p>
      <TextArea label={t.why} hint={t.record} value={comment} onChange={setComment} maxLength={4000} rows={3} />
      {error ? <Problem error={error} /> : null}
    </Confirm>
  );
}
