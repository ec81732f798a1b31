import { useRef, useState } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { queryClient, sessionQuery } from '../api/queries';
import { askSignIn, sessionRenewed, useSessionEnded, useSignInAsked } from '../api/session';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/textfields';
import { Dialog } from '../ui/overlays';
import { Waiting } from '../ui/waiting';

/** Offers to sign in again when the session has ended. The page keeps its state and the focus. */
export function SignInAgain() {
  const t = useTexts('common').signinagain;
  const ended = useSessionEnded();
  const asked = useSignInAsked();
  const back = useRef<() => void>(undefined);
  const [password, setPassword] = useState('');
  const [fresh, setFresh] = useState(''); // the password that the user chooses in place of one that an admin has set
  const [account, setAccount] = useState<Schemas['Session']>(); // signed in, but must change the password
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);
  const email = queryClient.getQueryData<Schemas['Session']>(sessionQuery.queryKey)?.email ?? '';

  const close = () => {
    askSignIn(false);
    back.current?.();
  };
  const signIn = async () => {
    setPending(true);
    setError(undefined);
    try {
      if (account) await api.PUT('/api/users/{userId}/password', { params: { path: { userId: account.id } }, body: { current: password, new: fresh } });
      const session = await dataOf(api.POST('/api/session', { body: { email, password: account ? fresh : password } }));
      if (session.mustChangePassword) return setAccount(session);
      queryClient.setQueryData(sessionQuery.queryKey, session);
      setPassword('');
      setFresh('');
      setAccount(undefined);
      close();
      sessionRenewed();
      await queryClient.invalidateQueries();
    } catch (caught) {
      setError(asApiError(caught));
    } finally {
      setPending(false);
    }
  };

  if (!ended) return null;
  const fault = error?.faults.find((f) => f.location === 'new')?.message;
  return (
    <>
      <Waiting label={t.title} action={t.title} onPress={() => askSignIn(true)} back={back}>
        {t.lead}
      </Waiting>
      <Dialog title={t.title} isOpen={asked} onClose={close}>
        <p>{account ? t.mustChange : t.lead}</p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void signIn();
          }}
          style={{ display: 'grid', gap: 16 }}
        >
          {error && !fault && (error.status === 401 ? <Note tone="bad" role="alert">{t.wrong}</Note> : <Problem error={error} />)}
          <TextField label={t.email} value={email} onChange={() => undefined} type="email" autoComplete="username" readOnly />
          <TextField label={t.password} value={password} onChange={setPassword} type="password" autoComplete="current-password" autoFocus readOnly={account !== undefined} required />
          {account && <TextField label={t.fresh} hint={t.freshHint} fault={fault} value={fresh} onChange={setFresh} type="password" autoComplete="new-password" autoFocus required />}
          <footer>
            <Button kind="primary" type="submit" isPending={pending}>
              {account ? t.change : t.signIn}
            </Button>
          </footer>
        </form>
      </Dialog>
    </>
  );
}
