import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { sessionQuery, useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/forms';
import { toast } from '../ui/toast';
import styles from './account.module.css';

/** The user's name and e-mail. */
export function Profile() {
  const t = useTexts('account').profile;
  const session = useSession();
  const client = useQueryClient();
  const [name, setName] = useState(session.name);
  const save = useMutation({
    mutationFn: () => api.PATCH('/api/users/{userId}', { params: { path: { userId: session.id } }, body: { name: name.trim() } }),
    onSuccess: () => {
      client.setQueryData<Schemas['Session']>(sessionQuery.queryKey, (now) => now && { ...now, name: name.trim() });
      toast(t.saved);
    },
  });
  const error = save.error ? asApiError(save.error) : undefined;
  const fault = error?.faults.find((f) => f.location === 'name')?.message;
  return (
    <section>
      <h2>{t.title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {error && !fault && <Problem error={error} retry={() => save.mutate()} />}
        <TextField label={t.name} value={name} onChange={setName} fault={fault} autoComplete="name" maxLength={200} required />
        <TextField label={t.email} value={session.email} onChange={() => undefined} hint={session.mail ? undefined : t.emailHint} type="email" autoComplete="email" readOnly />
        <div className={styles.actions}>
          <Button type="submit" isPending={save.isPending} isDisabled={name.trim() === '' || name.trim() === session.name}>
            {t.save}
          </Button>
        </div>
      </form>
    </section>
  );
}
