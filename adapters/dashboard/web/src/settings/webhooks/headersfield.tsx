import { Plus, Trash2 } from 'lucide-react';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Button, IconButton } from '../../ui/button';
import type { Form } from '../../ui/form';
import { Fault, TextField } from '../../ui/forms';
import ui from '../../ui/ui.module.css';
import settings from '../settings.module.css';
import type { Header, WebhookValues } from './values';
import styles from './webhooks.module.css';

/** A field for additional headers. present are the names of those that the webhook has. */
export function HeadersField({ form, present }: { form: Form<WebhookValues>; present: readonly string[] }) {
  const t = useTexts('webhooks').headersfield;
  const format = useFormat();
  const rows = form.values.headers;
  const set = (next: Header[]) => form.set('headers', next);
  return (
    <fieldset className={settings.group}>
      <legend>{t.headers}</legend>
      <p className={ui.hint}>{rows ? t.hint : t.kept(format.list([...present]))}</p>
      {rows ? (
        <>
          <ul className={styles.headers}>
            {rows.map((row, i) => (
              <HeaderRow
                key={i}
                row={row}
                fault={row.name.trim() ? form.fault(`headers.${row.name.trim()}`) : row.value && form.fault('headers')}
                onChange={(next) => set(rows.with(i, next))}
                onRemove={() => set(rows.toSpliced(i, 1))}
              />
            ))}
          </ul>
          {rows.length === 0 && form.fault('headers') && <Fault>{form.fault('headers')}</Fault>}
          <div>
            <Button kind="quiet" icon={<Plus aria-hidden />} onPress={() => set([...rows, { name: '', value: '' }])}>
              {t.add}
            </Button>
          </div>
        </>
      ) : (
        <div>
          <Button onPress={() => set(present.map((name) => ({ name, value: '' })))}>{t.replace}</Button>
        </div>
      )}
    </fieldset>
  );
}

function HeaderRow({ row, fault, onChange, onRemove }: { row: Header; fault: string | undefined; onChange: (row: Header) => void; onRemove: () => void }) {
  const t = useTexts('webhooks').headersfield;
  const plain = { autoComplete: 'off', spellCheck: false, 'aria-invalid': fault ? (true as const) : undefined };
  return (
    <li>
      <TextField label={t.name} {...plain} value={row.name} onChange={(name) => onChange({ ...row, name })} />
      <TextField label={t.value} {...plain} value={row.value} onChange={(value) => onChange({ ...row, value })} />
      <IconButton label={t.remove(row.name)} icon={<Trash2 aria-hidden />} onPress={onRemove} />
      {fault && (
        <div className={styles.headerFault} role="alert">
          <Fault>{fault}</Fault>
        </div>
      )}
    </li>
  );
}
