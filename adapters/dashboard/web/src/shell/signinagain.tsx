import { useRef, useState } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { queryClient, sessionQuery } from '../api/queries';
import { askSignIn, sessionRenewed, useSignInAsked } from '../api/session';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/textfields';
import { Dialog } from '../ui/overlays';
import { Waiting } from '../ui/waiting';

/** Offers to sign in again. Show it when the session has ended: the page keeps its state and the focus. */
export function SignInAgain() {
  const t = useTexts('common').signinagain;
  const asked = useSignInAsked();
  const back = useRef<() => void>(undefined);
  const [password, setPassword] = useState('');
  const [fresh, setFresh] = useState(''); // the password that the user chooses in place of one that an admin has set
  const [account, setAccount] = useState<Schemas['Session']>(); // signed in, but must change the password
  const [ways, setWays] = useState<Schemas['NextStep']['next']>(); // of which one must follow the password
  const [code, setCode] = useState('');
  const [adding, setAdding] = useState(false); // signed in, but needs a second factor, which another page sets up
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);
  const email = queryClient.getQueryData<Schemas['Session']>(sessionQuery.queryKey)?.email ?? '';

  const close = () => {
    askSignIn(false);
    back.current?.();
  };
  const nextStep = () => {
    if (adding) return dataOf(api.GET('/api/session'));
    if (ways) return dataOf(api.POST('/api/session/second', { body: /^[\d\s]+$/.test(code) ? { totp: code } : { recovery: code } }));
    return dataOf(api.POST('/api/session', { body: { email, password: account ? fresh : password } }));
  };
  const signIn = async () => {
    setPending(true);
    setError(undefined);
    try {
      if (account) await api.PUT('/api/users/{userId}/password', { params: { path: { userId: account.id } }, body: { current: password, new: fresh } });
      const session = await nextStep();
      if (!session) return;
      if ('next' in session) return setWays(session.next);
      if (session.mustChangePassword) return setAccount(session);
      if (session.mustAddFactor) return setAdding(true);
      queryClient.setQueryData(sessionQuery.queryKey, session);
      close();
      sessionRenewed();
      await queryClient.invalidateQueries();
    } catch (caught) {
      const failed = asApiError(caught);
      if (failed.code === 'sign_in_again') setWays(undefined);
      setError(failed);
    } finally {
      setPending(false);
    }
  };

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
          {error && !fault && (error.code === 'wrong_credentials' ? <Note tone="bad" role="alert">{t.wrong}</Note> : <Problem error={error} />)}
          <TextField label={t.email} value={email} onChange={() => undefined} type="email" autoComplete="username" readOnly />
          <TextField label={t.password} value={password} onChange={setPassword} type="password" autoComplete="current-password" autoFocus readOnly={account !== undefined || ways !== undefined} required />
          {account && <TextField label={t.fresh} hint={t.freshHint} fault={fault} value={fresh} onChange={setFresh} type="password" autoComplete="new-password" autoFocus required />}
          {ways && <TextField label={t.code} hint={t.codeHint} value={code} onChange={setCode} type="text" autoComplete="one-time-code" autoFocus required />}
          {ways?.includes('passkey') && (
            <a href="/dashboard/sign-in" target="_blank" rel="noreferrer">
              {t.passkey}
            </a>
          )}
          {adding && (
            <Note>
              {t.mustAdd}{' '}
              <a href="/dashboard/second-factor" target="_blank" rel="noreferrer">
                {t.add}
              </a>
            </Note>
          )}
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
