import type { Schemas } from '../../api/client';
import { ApiError } from '../../api/error';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import type { Form } from '../../ui/form';
import { DateField } from '../../ui/datefield';
import { Checkbox, Fault, NumberField, Select, TextField } from '../../ui/forms';
import { dateOf, endOfDay } from './expiry';
import styles from '../settings.module.css';

export const abilities = ['read', 'create', 'update', 'delete'] as const;

export type TokenValues = {
  name: string;
  abilities: string[];
  allowDrafts: boolean;
  allowHistory: boolean;
  /** The last day on which the token is valid, as an ISO date; empty: no expiry. */
  expiresAt: string;
  limit: 'default' | 'none' | 'own';
  rateLimit: number | null;
};

export const newToken: TokenValues = { name: '', abilities: ['read'], allowDrafts: false, allowHistory: false, expiresAt: '', limit: 'default', rateLimit: 600 };

/** The form values of a token. */
export function valuesOf(token: Schemas['Token'], timeZone: string): TokenValues {
  return {
    name: token.name,
    abilities: abilities.filter((a) => token.abilities.includes(a)),
    allowDrafts: token.allowDrafts,
    allowHistory: token.allowHistory,
    expiresAt: token.expiresAt === null ? '' : dateOf(token.expiresAt, timeZone),
    limit: token.rateLimit === null ? 'default' : token.rateLimit === 0 ? 'none' : 'own',
    rateLimit: token.rateLimit || 600,
  };
}

/** The request body that sets the values. */
export function bodyOf(values: TokenValues, timeZone: string): Schemas['TokenInput'] {
  const { limit, rateLimit, expiresAt, ...rest } = values;
  // For the API, 0 means no limit and null the default.
  if (limit === 'own' && !rateLimit) throw new ApiError(422, { code: 'invalid', errors: [{ location: 'rateLimit', message: 'must be from 1 to 1000000' }] });
  return {
    ...rest,
    expiresAt: expiresAt === '' ? null : endOfDay(expiresAt, timeZone),
    rateLimit: limit === 'default' ? null : limit === 'none' ? 0 : rateLimit,
  };
}

/** The inputs for a token's abilities, expiry and rate limit. */
export function TokenFields({ form }: { form: Form<TokenValues> }) {
  const t = useTexts('tokens').tokenform;
  const format = useFormat();
  const { values, set } = form;
  return (
    <>
      <TextField label={t.name} hint={t.nameHint} required autoComplete="off" {...form.field('name')} />
      <fieldset className={styles.group}>
        <legend>{t.abilities}</legend>
        {abilities.map((ability) => (
          <Checkbox
            key={ability}
            isSelected={values.abilities.includes(ability)}
            onChange={(on) => set('abilities', abilities.filter((a) => (a === ability ? on : values.abilities.includes(a))))}
            hint={t.about[ability]}
          >
            {t[ability]}
          </Checkbox>
        ))}
        {form.fault('abilities') && <Fault>{form.fault('abilities')}</Fault>}
      </fieldset>
      <fieldset className={styles.group}>
        <legend>{t.sees}</legend>
        <Checkbox isSelected={values.allowDrafts} onChange={(on) => set('allowDrafts', on)} hint={t.draftsHint}>
          {t.drafts}
        </Checkbox>
        <Checkbox isSelected={values.allowHistory} onChange={(on) => set('allowHistory', on)} hint={t.historyHint}>
          {t.history}
        </Checkbox>
      </fieldset>
      <div className={styles.pair}>
        <DateField kind="date" label={t.expires} hint={t.expiresHint(format.timeZone)} fault={form.fault('expiresAt')} value={values.expiresAt || null} onChange={(day) => set('expiresAt', day ?? '')} />
        <Select
          label={t.limit}
          value={values.limit}
          onChange={(limit) => set('limit', limit)}
          options={[
            { id: 'default', label: t.limitDefault },
            { id: 'own', label: t.limitOwn },
            { id: 'none', label: t.limitNone },
          ]}
        />
        {values.limit === 'own' && <NumberField label={t.perMinute} min={1} {...form.field('rateLimit')} />}
      </div>
    </>
  );
}
