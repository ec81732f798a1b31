import { useEffect, useState } from 'react';
import { texts, useTexts } from '../../i18n/language';
import { inputClass, type ControlAttributes } from '../../ui/textfields';
import { Switch } from '../../ui/toggles';
import type { Field } from '../context';
import styles from '../editor.module.css';

/** What a control for one value gets. onChange receives what the API will store, null for nothing. */
export type ControlProps = {
  field: Field;
  attributes: ControlAttributes & { 'aria-label'?: string };
  value: unknown;
  onChange: (value: unknown) => void;
};

const asText = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const inputTypes: Partial<Record<Field['type'], string>> = { email: 'email', url: 'url' };

/** One line: text, slug, email and url. */
export function LineControl({ field, attributes, value, onChange }: ControlProps) {
  const type = inputTypes[field.type] ?? 'text';
  return <input {...attributes} className={inputClass} type={type} autoComplete="off" spellCheck={field.type === 'text'} value={asText(value)} onChange={(e) => onChange(e.target.value)} />;
}

export function LinesControl({ attributes, value, onChange }: ControlProps) {
  return <textarea {...attributes} className={`${inputClass} ${styles.lines}`} rows={3} value={asText(value)} onChange={(e) => onChange(e.target.value)} />;
}

/** The number that a text stands for, with a point or a comma; otherwise the text, which the API refuses. */
export function numberOf(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const number = Number(trimmed.replace(/^([+-]?\d*),(\d+)$/, '$1.$2'));
  return Number.isFinite(number) ? number : text;
}

export function NumberControl({ attributes, value, onChange }: ControlProps) {
  // The text stays as it is typed: "1." and "1.0" are the same number.
  const [text, setText] = useState(asText(value));
  const shown = numberOf(text) === (value ?? null) ? text : asText(value);
  return (
    <input
      {...attributes}
      className={inputClass}
      inputMode="decimal"
      autoComplete="off"
      value={shown}
      onChange={(e) => {
        setText(e.target.value);
        onChange(numberOf(e.target.value));
      }}
    />
  );
}

export function SwitchControl({ field, value, onChange, attributes }: ControlProps) {
  const t = useTexts(words);
  return (
    <div className={styles.switch} id={attributes.id} role="group" aria-label={field.label}>
      <Switch isSelected={value === true} onChange={onChange}>
        {value === true ? t.yes : t.no}
      </Switch>
    </div>
  );
}

export function ChoiceControl({ field, attributes, value, onChange }: ControlProps) {
  const t = useTexts(words);
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

/** date and time, which have no zone. */
export function ClockControl({ field, attributes, value, onChange }: ControlProps) {
  return <input {...attributes} className={inputClass} type={field.type} step={field.type === 'time' ? 1 : undefined} value={asText(value)} onChange={(e) => onChange(clockOf(field.type, e.target.value))} />;
}

/** A browser leaves out the seconds of a time when they are zero; the API wants them. */
const clockOf = (type: string, text: string) => (type === 'time' && /^\d\d:\d\d$/.test(text) ? `${text}:00` : text || null);

export function ColorControl({ attributes, value, onChange }: ControlProps) {
  const t = useTexts(words);
  const text = asText(value);
  return (
    <div className={styles.color}>
      <input type="color" aria-label={t.pick} value={/^#[0-9a-f]{6}/i.test(text) ? text.slice(0, 7) : '#000000'} onChange={(e) => onChange(e.target.value)} />
      <input {...attributes} className={inputClass} placeholder="#1d3557" autoComplete="off" spellCheck={false} value={text} onChange={(e) => onChange(e.target.value)} />
    </div>
  );
}

/** A value that is stored and never shown. It is sent when the input is left, not while it is typed. */
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

const words = texts({
  en: { yes: 'Yes', no: 'No', none: 'None', pick: 'Pick a colour' },
  de: { yes: 'Ja', no: 'Nein', none: 'Keine Angabe', pick: 'Farbe wählen' },
});
