import { useState } from 'react';
import { api } from '../api/client';
import { useTexts } from '../i18n/language';
import { Note } from '../ui/basics';
import { useForm } from '../ui/form';
import { TextField } from '../ui/forms';
import { SaveForm } from '../ui/saveform';

/** Changes the address of the user, which must be confirmed from the new one. */
export function Address() {
  const t = useTexts('account').address;
  const [sentTo, setSentTo] = useState<string>();
  const form = useForm({ email: '' }, async ({ email }) => {
    setSentTo(undefined);
    await api.POST('/api/me/email', { body: { email: email.trim() } });
    setSentTo(email.trim());
  });
  return (
    <section>
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      {sentTo && (
        <Note tone="good" role="status">
          {t.sent(sentTo)}
        </Note>
      )}
      <SaveForm form={form} action={t.send} onSaved={() => form.reset({ email: '' })}>
        <TextField label={t.email} type="email" autoComplete="off" required {...form.field('email')} />
      </SaveForm>
    </section>
  );
}
