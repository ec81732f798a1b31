import { useEffect, useState } from 'react';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { numberOf, numberText } from '../../i18n/number';
import { DateBox } from '../../ui/datefield';
import { Segments } from '../../ui/segments';
import { inputClass, type ControlAttributes } from '../../ui/textfields';
import { Checkbox } from '../../ui/toggles';
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

export function NumberControl({ attributes, value, onChange }: ControlProps) {
  const { decimalComma } = useFormat();
  // Keep the typed text: "1." and "1.0" are the same number.
  const written = numberText(value as number | string | null, decimalComma);
  const [text, setText] = useState(written);
  const shown = numberOf(text, decimalComma) === (value ?? null) ? text : written;
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

/** A control for yes or no. Without a value nothing is chosen; an optional field can go back to that. */
export function YesNoControl({ field, value, onChange, attributes }: ControlProps) {
  const t = useTexts('editor').simple;
  const { id, 'aria-label': label, 'aria-describedby': describedBy, 'aria-invalid': invalid } = attributes;
  const options = [{ id: 'true', label: t.yes }, { id: 'false', label: t.no }, ...(field.required || field.multiple ? [] : [{ id: '', label: t.unset }])];
  const chosen = typeof value === 'boolean' ? String(value) : '';
  return (
    <div className={styles.yesNo}>
      <Segments
        {...(label ? { label } : { labelledBy: `${id}-label` })}
        id={id}
        describedBy={describedBy}
        isInvalid={invalid}
        isRequired={field.required}
        value={options.some((o) => o.id === chosen) ? chosen : null}
        onChange={(next) => onChange(next === '' ? null : next === 'true')}
        options={options}
      />
    </div>
  );
}

/** A control for several of the choices of a field, which the API gets in the order of the choices. */
export function ChoicesControl({ field, attributes, value, onChange }: ControlProps) {
  const chosen = (Array.isArray(value) ? value : []).map(String);
  const choices = [...new Set([...(field.choices ?? []), ...chosen])];
  const { id, 'aria-describedby': describedBy } = attributes;
  return (
    <div className={styles.choices} id={id} role="group" aria-labelledby={`${id}-label`} aria-describedby={describedBy}>
      {choices.map((choice) => (
        <Checkbox key={choice} isSelected={chosen.includes(choice)} onChange={(on) => onChange(choices.filter((one) => (one === choice ? on : chosen.includes(one))))}>
          {choice}
        </Checkbox>
      ))}
    </div>
  );
}

/** A control for a date, a time of day, or a point in time in the user's time zone. */
export function ClockControl({ field, attributes, value, onChange }: ControlProps) {
  const { timeZone } = useFormat();
  return <DateBox kind={field.type as 'date' | 'time' | 'datetime'} attributes={attributes} value={asText(value) || null} onChange={onChange} timeZone={timeZone} />;
}

/** A control for a colour. Browsers show black in an input without a colour, so an empty swatch covers it. */
export function ColorControl({ attributes, value, onChange }: ControlProps) {
  const t = useTexts('editor').simple;
  const text = asText(value);
  const color = /^#[0-9a-f]{6}/i.test(text) ? text.slice(0, 7) : undefined;
  return (
    <div className={styles.color}>
      <span className={styles.swatch} data-empty={color === undefined || undefined} style={{ backgroundColor: color }}>
        <input type="color" aria-label={t.pick} value={color ?? '#000000'} onChange={(e) => onChange(e.target.value)} />
      </span>
      <input {...attributes} className={inputClass} placeholder="#1d3557" autoComplete="off" spellCheck={false} value={text} onChange={(e) => onChange(e.target.value)} />
    </div>
  );
}

/** A control for a value that is never shown. It is set when the input loses the focus, not on each key. */
export function SecretControl({ field, attributes, onChange }: ControlProps) {
  const [text, setText] = useState('');
  useEffect(() => void setText(''), [field.name]);
  return (
    <input
      {...attributes}
      className={inputClass}
      type="password"
      autoComplete="new-password"
      value={text}
      onChange={(e) => setText(e.target.value)}
      onBlur={() => text && onChange(text)}
    />
  );
}
