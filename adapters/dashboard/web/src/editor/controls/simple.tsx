import { useEffect, useState } from 'react';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { inputClass, type ControlAttributes } from '../../ui/textfields';
import { Switch } from '../../ui/toggles';
import type { Field } from '../context';
import styles from '../editor.module.css';

/** The props of a control for one value. onChange receives the value for the API; null means no value. */
export type ControlProps = {
  field: Field;
  attributes: ControlAttributes & { 'aria-label'?: string };
  value: unknown;
  onChange: (value: unknown) => void;
};

const asText = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const inputTypes: Partial<Record<Field['type'], string>> = { email: 'email', url: 'url' };

/** A control for one line of text: text, slug, email and url fields. */
export function LineControl({ field, attributes, value, onChange }: ControlProps) {
  const type = inputTypes[field.type] ?? 'text';
  return <input {...attributes} className={inputClass} type={type} autoComplete="off" spellCheck={field.type === 'text'} value={asText(value)} onChange={(e) => onChange(e.target.value)} />;
}

export function LinesControl({ attributes, value, onChange }: ControlProps) {
  return <textarea {...attributes} className={`${inputClass} ${styles.lines}`} rows={3} value={asText(value)} onChange={(e) => onChange(e.target.value)} />;
}

/**
 * Parses a number with a decimal point or, in languages that use it, a decimal comma. Returns any
 * other text unchanged, such as "1,000" in English and "1.000" in German; the API rejects it.
 */
export function numberOf(text: string, decimalComma: boolean): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (decimalComma && /^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/.test(trimmed)) return text; // "1.000" may mean a thousand
  const number = Number(decimalComma ? trimmed.replace(/^([+-]?\d*),(\d+)$/, '$1.$2') : trimmed);
  return Number.isFinite(number) ? number : text;
}

export function NumberControl({ attributes, value, onChange }: ControlProps) {
  const { decimalComma } = useFormat();
  // Keep the typed text: "1." and "1.0" are the same number.
  const [text, setText] = useState(asText(value));
  const shown = numberOf(text, decimalComma) === (value ?? null) ? text : asText(value);
  return (
    <input
      {...attributes}
      className={inputClass}
      inputMode="decimal"
      autoComplete="off"
      value={shown}
      onChange={(e) => {
        setText(e.target.value);
        onChange(numberOf(e.target.value, decimalComma));
      }}
    />
  );
}

export function SwitchControl({ field, value, onChange, attributes }: ControlProps) {
  const t = useTexts('editor').simple;
  return (
    <div className={styles.switch} id={attributes.id} role="group" aria-label={field.label}>
      <Switch isSelected={value === true} onChange={onChange}>
        {value === true ? t.yes : t.no}
      </Switch>
    </div>
  );
}

export function ChoiceControl({ field, attributes, value, onChange }: ControlProps) {
  const t = useTexts('editor').simple;
  const choices = field.choices ?? [];
  const current = asText(value);
  return (
    <select {...attributes} className={inputClass} value={current} onChange={(e) => onChange(e.target.value || null)}>
      <option value="">{t.none}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
      {current !== '' && !choices.includes(current) && <option>{current}</option>}
    </select>
  );
}

/** A control for date and time fields, which have no time zone. */
export function ClockControl({ field, attributes, value, onChange }: ControlProps) {
  return <input {...attributes} className={inputClass} type={field.type} step={field.type === 'time' ? 1 : undefined} value={asText(value)} onChange={(e) => onChange(clockOf(field.type, e.target.value))} />;
}

/** Browsers omit the seconds of a time if they are zero; the API requires them. */
const clockOf = (type: string, text: string) => (type === 'time' && /^\d\d:\d\d$/.test(text) ? `${text}:00` : text || null);

export function ColorControl({ attributes, value, onChange }: ControlProps) {
  const t = useTexts('editor').simple;
  const text = asText(value);
  return (
    <div className={styles.color}>
      <input type="color" aria-label={t.pick} value={/^#[0-9a-f]{6}/i.test(text) ? text.slice(0, 7) : '#000000'} onChange={(e) => onChange(e.target.value)} />
      <input {...attributes} className={inputClass} placeholder="#1d3557" autoComplete="off" spellCheck={false} value={text} onChange={(e) => onChange(e.target.value)} />
    </div>
  );
}

/** A control for a value that is never shown. It is set when the input loses the focus, not on each key. */
export function SecretControl({ field, attributes, onChange }: ControlProps) {
  const [text, setText] = useState('');
  useEffect(() => setText(''), [field.name]);
  return (
    <input
      {...attributes}
      className={inputClass}
      type={field.type === 'password' ? 'password' : 'text'}
      autoComplete="new-password"
      value={text}
      onChange={(e) => setText(e.target.value)}
      onBlur={() => text && onChange(text)}
    />
  );
}
