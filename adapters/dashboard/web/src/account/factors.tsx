import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, dataOf, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { Mono, Problem } from '../ui/basics';
import { Button } from '../ui/button';
import { TextField } from '../ui/forms';
import { Confirm, Dialog } from '../ui/overlays';
import { toast } from '../ui/toast';
import ui from '../ui/ui.module.css';
import styles from './account.module.css';
import { Verify } from './verify';

/** The user's authenticator app and recovery codes. */
export function Factors() {
  const t = useTexts('account').factors;
  const client = useQueryClient();
  const { data, error, refetch } = $api.useQuery('get', '/api/me/factors');
  const [app, setApp] = useState<Schemas['App']>();
  const [codes, setCodes] = useState<string[]>();
  const [isRemoving, setRemoving] = useState(false);
  const onSettled = async () => {
    await client.invalidateQueries({ queryKey: ['get', '/api/me/factors'] });
    await client.invalidateQueries({ queryKey: ['get', '/api/session'] });
  };
  const setUp = useMutation({ mutationFn: () => dataOf(api.POST('/api/me/totp')), onSuccess: setApp });
  const renew = useMutation({ mutationFn: () => dataOf(api.POST('/api/me/recovery-codes')), onSuccess: (made) => setCodes(made.recoveryCodes), onSettled });
  const remove = useMutation({ mutationFn: () => api.DELETE('/api/me/totp'), onSuccess: () => toast(t.removed), onSettled });
  const failed = [setUp, renew, remove].find((m) => m.error);
  const toVerify = failed && asApiError(failed.error).code === 'verify_first' ? failed : undefined;
  const problem = error ?? (toVerify ? undefined : failed?.error);
  const hasFactor = data !== undefined && (data.totp || data.passkeys > 0);
  return (
    <section>
      <h2>{t.title}</h2>
      <p>{data?.totp ? t.has : t.lead}</p>
      {problem && <Problem error={problem} retry={() => (error ? void refetch() : failed?.mutate())} />}
      {hasFactor && <p>{t.left(data.recoveryCodes)}</p>}
      <div className={styles.actions}>
        {data && !data.totp && (
          <Button onPress={() => setUp.mutate()} isPending={setUp.isPending}>
            {t.setUp}
          </Button>
        )}
        {hasFactor && (
          <Button onPress={() => renew.mutate()} isPending={renew.isPending}>
            {t.renew}
          </Button>
        )}
        {data?.totp && (
          <Button kind="quiet" onPress={() => setRemoving(true)} isPending={remove.isPending}>
            {t.remove}
          </Button>
        )}
      </div>
      {app && (
        <SetUp
          app={app}
          onClose={() => setApp(undefined)}
          onConfirmed={(made) => {
            setApp(undefined);
            setCodes(made);
            void onSettled();
          }}
        />
      )}
      {codes && <Codes codes={codes} onClose={() => setCodes(undefined)} />}
      <Confirm
        title={t.removeTitle}
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        onConfirm={() => {
          setRemoving(false);
          remove.mutate();
        }}
        action={t.remove}
        danger
      >
        <p>{t.removeLead}</p>
      </Confirm>
      {toVerify && <Verify purpose="factors" onClose={() => toVerify.reset()} onVerified={() => toVerify.mutate()} />}
    </section>
  );
}

function SetUp({ app, onClose, onConfirmed }: { app: Schemas['App']; onClose: () => void; onConfirmed: (codes: string[]) => void }) {
  const t = useTexts('account').factors;
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: () => dataOf(api.POST('/api/me/totp/confirm', { body: { code } })),
    onSuccess: (made) => onConfirmed(made.recoveryCodes),
  });
  const wrong = confirm.error ? asApiError(confirm.error).faults.length > 0 : false;
  return (
    <Dialog title={t.setUp} isOpen onClose={onClose} dismissable={false}>
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          confirm.mutate();
        }}
      >
        <p>{t.scan}</p>
        <img src={`data:image/svg+xml,${encodeURIComponent(app.qr)}`} alt={t.picture} width={200} height={200} />
        <p>
          <a className={ui.link} href={app.uri}>
            {t.openApp}
          </a>
        </p>
        <p>
          {t.secret} <Mono>{app.secret.replace(/.{4}(?=.)/g, '$& ')}</Mono>
        </p>
        {confirm.error && !wrong && <Problem error={confirm.error} retry={() => confirm.mutate()} />}
        <TextField label={t.code} value={code} onChange={setCode} fault={wrong ? t.wrong : undefined} inputMode="numeric" autoComplete="one-time-code" maxLength={9} required />
        <footer>
          <Button onPress={onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" isPending={confirm.isPending} isDisabled={code === ''}>
            {t.confirm}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Codes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const t = useTexts('account').factors;
  const text = codes.join('\n') + '\n';
  return (
    <Dialog title={t.codesTitle} isOpen onClose={onClose} dismissable={false}>
      <div className={styles.codes}>
        <h3>{t.codesOf}</h3>
        <p>{t.codesLead}</p>
        <ul>
          {codes.map((code) => (
            <li key={code}>
              <Mono>{code}</Mono>
            </li>
          ))}
        </ul>
      </div>
      <footer>
        <Button onPress={() => void navigator.clipboard.writeText(text).then(() => toast(t.copied))}>{t.copy}</Button>
        <a className={ui.button} href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`} download="imprimatur-recovery-codes.txt">
          {t.download}
        </a>
        <Button onPress={() => print()}>{t.print}</Button>
        <Button kind="primary" onPress={onClose}>
          {t.kept}
        </Button>
      </footer>
    </Dialog>
  );
}
