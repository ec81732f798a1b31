import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { asApiError } from '../api/error';
import { askForPasskey, hasPasskeys, passkeyDeclined } from '../api/passkeys';
import { useSession } from '../api/queries';
import { verifySession, type Proof } from '../api/verify';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/forms';
import { Dialog } from '../ui/overlays';
import styles from './account.module.css';
import { AtProvider, useProofs } from './atprovider';

/**
 * A dialog in which users show again who they are: at their identity provider, with a second factor if they have one, else
 * with the password. purpose is what needs the proof. onVerified is called afterwards, to repeat what the API refused with verify_first.
 */
export function Verify({ purpose = 'decision', onClose, onVerified }: { purpose?: 'decision' | 'factors' | 'address'; onClose: () => void; onVerified: () => void }) {
  const t = useTexts('account').verify;
  const { factors, email } = useSession();
  const [value, setValue] = useState('');
  const { isPending, provider, byPassword: allowed } = useProofs();
  const byPassword = !isPending && allowed && factors.length === 0;
  const byCode = factors.includes('totp');
  const byPasskey = factors.includes('passkey') && hasPasskeys();
  const end = () => {
    onClose();
    onVerified();
  };
  const verify = useMutation({
    mutationFn: (proof: Proof | 'passkey') => (proof === 'passkey' ? askForPasskey().then((passkey) => verifySession({ passkey })) : verifySession(proof)),
    onSuccess: end,
  });
  const error = verify.error && !passkeyDeclined(verify.error) ? asApiError(verify.error) : undefined;
  const fault = error?.faults[0] && (error.faults[0].location === 'passkey' ? t.wrongPasskey : byPassword ? t.wrongPassword : t.wrongCode);
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          verify.mutate(byPassword ? { password: value } : { totp: value });
        }}
      >
        <p>{t.leads[purpose]}</p>
        {provider && <AtProvider provider={provider} isPrimary={factors.length === 0} onVerified={end} />}
        {!isPending && !provider && !allowed && factors.length === 0 && <p>{t.noWay}</p>}
        {error && !fault && <Problem error={error} />}
        {byPassword && <input type="email" autoComplete="username" value={email} readOnly hidden />}
        {byPassword && <TextField label={t.password} value={value} onChange={setValue} fault={fault} type="password" autoComplete="current-password" autoFocus required />}
        {byCode && <TextField label={t.code} value={value} onChange={setValue} fault={fault} inputMode="numeric" autoComplete="one-time-code" maxLength={9} autoFocus required />}
        {!byPassword && !byCode && fault && <p role="alert">{fault}</p>}
        <footer>
          <Button onPress={onClose}>{t.cancel}</Button>
          {byPasskey && (
            <Button kind={byCode ? undefined : 'primary'} onPress={() => verify.mutate('passkey')} isPending={verify.isPending && verify.variables === 'passkey'}>
              {t.passkey}
            </Button>
          )}
          {(byPassword || byCode) && (
            <Button kind={provider ? undefined : 'primary'} type="submit" isPending={verify.isPending && verify.variables !== 'passkey'} isDisabled={value === ''}>
              {t.proceed}
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}
