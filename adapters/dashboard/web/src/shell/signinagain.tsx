import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { queryClient, sessionQuery } from '../api/queries';
import { sessionRenewed, useSessionEnded } from '../api/session';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/textfields';
import { Dialog } from '../ui/overlays';

/** Asks for the password when the session has ended. The page behind it keeps its state. */
export function SignInAgain() {
  const t = useTexts('common').signinagain;
  const ended = useSessionEnded();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);
  const email = queryClient.getQueryData<Schemas['Session']>(sessionQuery.queryKey)?.email ?? '';

  const signIn = async () => {
    setPending(true);
    setError(undefined);
    try {
      const { data } = await api.POST('/api/session', { body: { email, password } });
      queryClient.setQueryData(sessionQuery.queryKey, data);
      setPassword('');
      sessionRenewed();
      await queryClient.invalidateQueries();
    } catch (caught) {
      setError(asApiError(caught));
    } finally {
      setPending(false);
    }
  };

  return (
    <Dialog title={t.title} isOpen={ended} onClose={() => undefined} dismissable={false}>
      <p>{t.lead}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
        style={{ display: 'grid', gap: 16 }}
      >
        {error && (error.status === 401 ? <Note tone="bad" role="alert">{t.wrong}</Note> : <Problem error={error} />)}
        <TextField label={t.email} value={email} onChange={() => undefined} type="email" autoComplete="username" readOnly />
        <TextField label={t.password} value={password} onChange={setPassword} type="password" autoComplete="current-password" autoFocus required />
        <footer>
          <Button kind="primary" type="submit" isPending={pending}>
            {t.signIn}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
