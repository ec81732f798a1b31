import { useState } from 'react';
import { api } from '../api/client';
import { asApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { Note } from '../ui/basics';
import { Cancelled, useForm } from '../ui/form';
import { TextField } from '../ui/forms';
import { SaveForm } from '../ui/saveform';
import { Verify } from './verify';

/** Changes the address of the user, which must be confirmed from the new one. */
export function Address() {
  const t = useTexts('account').address;
  const [sentTo, setSentTo] = useState<string>();
  const [isVerifying, setVerifying] = useState(false);
  const form = useForm({ email: '' }, async ({ email }) => {
    setSentTo(undefined);
    try {
      await api.POST('/api/me/email', { body: { email: email.trim() } });
    } catch (caught) {
      if (asApiError(caught).code !== 'verify_first') throw caught;
      setVerifying(true);
      throw new Cancelled();
    }
    setSentTo(email.trim());
  });
  const empty = () => form.reset({ email: '' });
  return (
    <section>
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {sentTo && (
        <Note tone="good" role="status">
          {t.sent(sentTo)}
        </Note>
      )}
      <SaveForm form={form} action={t.send} onSaved={empty}>
        <TextField label={t.email} type="email" autoComplete="off" required {...form.field('email')} />
      </SaveForm>
      {isVerifying && <Verify purpose="address" onClose={() => setVerifying(false)} onVerified={() => void form.save().then((saved) => saved && empty())} />}
    </section>
  );
}
