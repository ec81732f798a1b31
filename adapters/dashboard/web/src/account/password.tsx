import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { asApiError } from '../api/error';
import { useSession } from '../api/queries';
import { sessionRenewed } from '../api/session';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/forms';
import { toast } from '../ui/toast';
import styles from './account.module.css';

/** The least length of a password in characters. */
export const shortest = 10;

/** A form that changes the user's own password. */
export function Password() {
  const t = useTexts('account').password;
  const session = useSession();
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [shown, setShown] = useState(false);
  const [stored, setStored] = useState(''); // the new password after the API has stored it
  const change = useMutation({
    mutationFn: async () => {
      if (stored !== next) await api.PUT('/api/users/{userId}/password', { params: { path: { userId: session.id } }, body: { current, new: next } });
      setStored(next); // a retry after a failed sign-in must not send the old password again
      // The change ends all sessions of the user, so sign in again in this browser.
      await api.POST('/api/session', { body: { email: session.email, password: next } });
      sessionRenewed();
    },
    onSuccess: async () => {
      setCurrent('');
      setNext('');
      setStored('');
      toast(t.changed);
      await client.invalidateQueries({ queryKey: ['get', '/api/me/sessions'] });
    },
  });
  const error = change.error ? asApiError(change.error) : undefined;
  const faultAt = (field: string) => error?.faults.find((f) => f.location === field)?.message;
  const faults = { current: faultAt('current'), next: faultAt('new') };
  const type = shown ? 'text' : 'password';
  return (
    <section>
      <h2>{t.title}</h2>
      <p>{t.lead}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        {error && !faults.current && !faults.next && <Problem error={error} retry={() => change.mutate()} />}
        {/* Password managers need a user name to store the password with. */}
        <input type="email" autoComplete="username" value={session.email} readOnly hidden />
        <TextField label={t.current} value={current} onChange={setCurrent} fault={faults.current} type={type} autoComplete="current-password" required />
        <TextField label={t.next} value={next} onChange={setNext} fault={faults.next} hint={t.hint(shortest)} type={type} autoComplete="new-password" minLength={shortest} maxLength={1024} required />
        <div className={styles.actions}>
          <Button type="submit" isPending={change.isPending} isDisabled={current === '' || next === ''}>
            {t.change}
          </Button>
          <Button kind="quiet" onPress={() => setShown(!shown)}>
            {shown ? t.hide : t.show}
          </Button>
        </div>
      </form>
    </section>
  );
}
