import { CircleAlert } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
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

/** The label, hint and fault of a control. children receives the attributes that connect them to it. */
export function Field({ label, aside, hint, fault, required, children }: FieldProps & { children: (control: ControlAttributes) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id} id={`${id}-label`}>
        <span className={required ? styles.required : undefined}>{label}</span>
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
      <span>{typeof children === 'string' ? <Said text={children} /> : children}</span>
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

/** A field for a number; an empty field is null. */
export function NumberField({ value, onChange, ...props }: NumberProps) {
  // While the user types, the text differs from the number, as in "1." or "1e".
  const [text, setText] = useState('');
  const shown = numberOf(text) === value ? text : value === null ? '' : String(value);
  return (
    <TextField
      {...props}
      type="number"
      step="any"
      inputMode="decimal"
      value={shown}
      onChange={(next) => {
        setText(next);
        onChange(numberOf(next));
      }}
    />
  );
}

const numberOf = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? null : Number(text));

type TextAreaProps = FieldProps & { value: string; onChange: (value: string) => void } & Omit<React.ComponentProps<'textarea'>, 'value' | 'onChange' | 'id' | 'required'>;

/** A field for several lines of text. */
export function TextArea({ label, aside, hint, fault, required, value, onChange, ...input }: TextAreaProps) {
  return (
    <Field {...{ label, aside, hint, fault, required }}>
      {(control) => <textarea {...input} {...control} className={styles.input} value={value} onChange={(e) => onChange(e.target.value)} />}
    </Field>
  );
}
