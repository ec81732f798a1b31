import { X } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { useTexts } from '../i18n/language';
import { Field, inputClass } from './forms';
import styles from './tags.module.css';

type TagsProps = {
  label: ReactNode;
  hint?: ReactNode;
  fault?: ReactNode;
  value: readonly string[];
  onChange: (value: string[]) => void;
  isDisabled?: boolean;
};

/**
 * A field for several short words. Enter, a comma or the loss of the focus adds the typed word.
 * Backspace in the empty field removes the last word.
 */
export function TagsField({ label, hint, fault, value, onChange, isDisabled }: TagsProps) {
  const t = useTexts('common').tags;
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const add = (raw: string) => {
    const added = raw
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    setText('');
    const next = [...new Set([...value, ...added])];
    if (next.length > value.length) onChange(next);
  };
  const remove = (tag: string) => {
    onChange(value.filter((each) => each !== tag));
    input.current?.focus();
  };
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => (
        <div className={`${inputClass} ${styles.tags}`} aria-invalid={control['aria-invalid']} onClick={(event) => event.target === event.currentTarget && input.current?.focus()}>
          {value.length > 0 && (
            <ul>
              {value.map((tag) => (
                <li key={tag}>
                  <span>{tag}</span>
                  {!isDisabled && (
                    <button type="button" aria-label={t.remove(tag)} onClick={() => remove(tag)}>
                      <X aria-hidden />
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
          <input
            {...control}
            ref={input}
            value={text}
            disabled={isDisabled}
            onChange={(event) => (event.target.value.includes(',') ? add(event.target.value) : setText(event.target.value))}
            onBlur={() => add(text)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && text !== '') {
                event.preventDefault();
                add(text);
              }
              if (event.key === 'Backspace' && text === '' && value.length > 0) onChange(value.slice(0, -1));
            }}
          />
        </div>
      )}
    </Field>
  );
}
