import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useProofs } from '../account/atprovider';
import { Verify } from '../account/verify';
import { api, dataOf, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { askForPasskey, hasPasskeys, passkeyDeclined } from '../api/passkeys';
import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { Select, TextField } from '../ui/forms';
import { Dialog } from '../ui/overlays';
import type { Choice, Decision } from './decision';
import { approvalOf, type Subject } from './queries';
import styles from './review.module.css';

/** What a decision waits for: a signature, or that the user proves again who they are. */
export function Prove({ subject, decision }: { subject: Subject; decision: Decision }) {
  const { unproven, step } = decision;
  const close = () => decision.setUnproven(undefined);
  if (unproven === undefined) return null;
  if (step?.signature) return <Sign subject={subject} decision={decision} choice={unproven} meanings={step.signature.meanings} onClose={close} />;
  return <Verify onClose={close} onVerified={() => void decision.decide(unproven)} />;
}

type SignProps = { subject: Subject; decision: Decision; choice: Choice; meanings: readonly string[]; onClose: () => void };
type Signature = Schemas['SignatureInput'];

const types = { approve: 'approve', reject: 'reject', 'request-revision': 'request_revision' } as const;

/** A dialog in which a user signs a decision: with a meaning, and a proof that is made for this decision. */
function Sign({ subject, decision, choice, meanings, onClose }: SignProps) {
  const { sign: t, verify } = useTexts('account');
  const { factors, email } = useSession();
  const [meaning, setMeaning] = useState(meanings.length === 1 ? meanings[0]! : '');
  const [missing, setMissing] = useState(false);
  const [password, setPassword] = useState('');
  const [totp, setTotp] = useState('');
  const byCode = factors.includes('totp');
  const { isPending, byPassword: allowed } = useProofs();
  const byPassword = !isPending && allowed && (byCode || factors.length === 0);
  const byPasskey = factors.includes('passkey') && hasPasskeys();
  const send = useMutation({
    mutationFn: async (how: 'passkey' | 'password') => {
      const { route, at } = approvalOf(subject);
      const body = { decision: types[choice], meaning, comment: decision.comment.trim() || undefined, stepId: decision.step?.stepId, for: decision.forId };
      const { challenge, rpId } = await dataOf<Schemas['Challenge']>(api.POST(`${route}/challenge`, { ...at, body }));
      const proof: Omit<Signature, 'challenge'> = how === 'passkey' ? { passkey: await askForPasskey({ challenge, rpId }) } : { password, ...(byCode && { totp }) };
      const failed = await decision.decide(choice, { challenge, ...proof });
      if (failed) throw failed;
    },
    onSuccess: onClose,
  });
  const error = send.error && !passkeyDeclined(send.error) ? asApiError(send.error) : undefined;
  const wrong = error?.faults.find(({ location }) => location.startsWith('signature'));
  const fault = wrong && (wrong.location.endsWith('passkey') ? verify.wrongPasskey : byCode ? t.wrong : verify.wrongPassword);
  const start = (how: 'passkey' | 'password') => {
    setMissing(meaning === '');
    if (meaning !== '') send.mutate(how);
  };
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <form
        className={styles.decide}
        onSubmit={(event) => {
          event.preventDefault();
          start('password');
        }}
      >
        <p>{t.lead}</p>
        {error && !fault && <Problem error={error} />}
        {!isPending && !allowed && !byPasskey && <p>{verify.noWay}</p>}
        <Select label={t.meaning} value={meaning} onChange={setMeaning} options={meanings.map((id) => ({ id, label: id }))} placeholder={t.choose} fault={missing && meaning === '' ? t.choose : undefined} />
        {byPassword && <input type="email" autoComplete="username" value={email} readOnly hidden />}
        {byPassword && <TextField label={verify.password} value={password} onChange={setPassword} fault={fault} type="password" autoComplete="current-password" required />}
        {byPassword && byCode && <TextField label={verify.code} value={totp} onChange={setTotp} inputMode="numeric" autoComplete="one-time-code" maxLength={9} required />}
        {!byPassword && fault && <p role="alert">{fault}</p>}
        <footer>
          <Button onPress={onClose}>{verify.cancel}</Button>
          {byPasskey && (
            <Button kind={byPassword ? undefined : 'primary'} onPress={() => start('passkey')} isPending={send.isPending && send.variables === 'passkey'}>
              {t.passkey}
            </Button>
          )}
          {byPassword && (
            <Button kind="primary" type="submit" isPending={send.isPending && send.variables === 'password'} isDisabled={password === '' || (byCode && totp === '')}>
              {t.sign}
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}
