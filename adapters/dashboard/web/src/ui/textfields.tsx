import { CircleAlert } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { numberOf, numberText } from '../i18n/number';
import { Said } from '../faults/said';
import styles from './ui.module.css';

type FieldProps = {
  label: ReactNode;
  /** A note at the end of the label's line, such as "118 of 200". */
  aside?: ReactNode;
  hint?: ReactNode;
  /** The fault of the value, from the API or from the page. */
  fault?: ReactNode;
  required?: boolean;
};

/**
 * The label, hint and fault of a control. children receives the attributes that connect them to it.
 * group means that the control cannot have aria-required, so its label says it.
 */
export function Field({ label, aside, hint, fault, required, group, children }: FieldProps & { group?: boolean } & { children: (control: ControlAttributes) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id} id={`${id}-label`}>
        {required ? <Required label={label} group={group} /> : <span>{label}</span>}
        {aside && <small>{aside}</small>}
      </label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': fault ? true : undefined, 'aria-required': required || undefined })}
      {hint && (
        <div className={styles.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {fault && <Fault id={`${id}-fault`}>{fault}</Fault>}
    </div>
  );
}

/** A label with the mark of a required field. */
export function Required({ label, group }: { label: ReactNode; group?: boolean }) {
  const { required } = useTexts('common').textfields;
  return (
    <span>
      {label}
      <span className={styles.required} title={required} aria-hidden />
      {group && <span className="visually-hidden"> ({required})</span>}
    </span>
  );
}

export type ControlAttributes = {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
};

/** The class of a native input, textarea or select. */
export const inputClass = styles.input!;

/** The fault of a value. A text of the API is translated to the user's language. */
export function Fault({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <div className={styles.fault} id={id}>
      <CircleAlert aria-hidden />
      <span>{typeof children === 'string' ? <Said text={children} alone /> : children}</span>
    </div>
  );
}

type TextProps = FieldProps & {
  value: string;
  onChange: (value: string) => void;
} & Omit<React.ComponentProps<'input'>, 'value' | 'onChange' | 'id' | 'required'>;

/** A field for one line of text; type is that of the input, such as "password", "email" or "url". */
export function TextField({ label, aside, hint, fault, required, value, onChange, ...input }: TextProps) {
  return (
    <Field {...{ label, aside, hint, fault, required }}>
      {(control) => <input {...input} {...control} className={styles.input} value={value} onChange={(e) => onChange(e.target.value)} />}
    </Field>
  );
}

type NumberProps = FieldProps & { value: number | null; onChange: (value: number | null) => void } & Omit<React.ComponentProps<'input'>, 'value' | 'onChange' | 'id' | 'required' | 'type'>;

/**
 * A field for a number, written as the chosen language does. An empty field is null. A text that is
 * no number keeps the form from being sent; the field says so after the attempt, or when it loses the focus.
 */
export function NumberField({ value, onChange, ...props }: NumberProps) {
  const { decimalComma } = useFormat();
  const { noNumber } = useTexts('common').textfields;
  // While the user types, the text differs from the number, as in "1." or "1e".
  const [text, setText] = useState('');
  const typed = numberOf(text, decimalComma);
  const wrong = typeof typed === 'string' && value === null;
  const [said, setSaid] = useState(false);
  return (
    <TextField
      {...props}
      fault={wrong && said ? noNumber : props.fault}
      inputMode="decimal"
      autoComplete="off"
      ref={(input) => void input?.setCustomValidity(wrong ? noNumber : '')}
      value={wrong || typed === value ? text : numberText(value, decimalComma)}
      onBlur={() => setSaid(true)}
      onInvalid={(event) => {
        event.preventDefault(); // no bubble of the browser
        event.currentTarget.focus();
        setSaid(true);
      }}
      onChange={(next) => {
        setText(next);
        setSaid(false);
        const number = numberOf(next, decimalComma);
        onChange(typeof number === 'string' ? null : number);
      }}
    />
  );
}

type TextAreaProps = FieldProps & { value: string; onChange: (value: string) => void } & Omit<React.ComponentProps<'textarea'>, 'value' | 'onChange' | 'id' | 'required'>;

/** A field for several lines of text. */
export function TextArea({ label, aside, hint, fault, required, value, onChange, ...input }: TextAreaProps) {
  return (
    <Field {...{ label, aside, hint, fault, required }}>
      {(control) => <textarea {...input} {...control} className={styles.input} value={value} onChange={(e) => onChange(e.target.value)} />}
    </Field>
  );
}
