import { useQuery } from '@tanstack/react-query';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { useTexts } from '../i18n/language';
import type { Subject } from '../review/queries';
import { Field, inputClass } from '../ui/textfields';
import styles from './comments.module.css';
import { writtenName } from './names';
import { peopleQuery, type Person } from './queries';

type NamingAreaProps = {
  subject: Subject;
  label: string;
  value: string;
  /** The people whose names were chosen for the text. */
  people: readonly Person[];
  onChange: (value: string, people: readonly Person[]) => void;
  onSend: () => void;
  onCancel: () => void;
  autoFocus?: boolean;
};

/** A text with people's names: after @ it lists who can be named. */
export function NamingArea({ subject, label, value, people, onChange, onSend, onCancel, autoFocus }: NamingAreaProps) {
  const t = useTexts('comments');
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  const [left, setLeft] = useState(-1); // where the list was closed
  const name = writtenName(value, caret);
  const asks = name !== undefined && name.from !== left;
  const found = useQuery({ ...peopleQuery(subject, name?.search ?? ''), enabled: asks }).data?.data.slice(0, 6) ?? [];
  const isOpen = asks && found.length > 0;
  const active = Math.min(at, found.length - 1);
  const next = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (autoFocus) box.current?.focus();
  }, [autoFocus]);
  useLayoutEffect(() => {
    if (next.current === undefined) return;
    box.current?.setSelectionRange(next.current, next.current);
    setCaret(next.current);
    next.current = undefined;
  }, [value]);
  const choose = (person: Person) => {
    if (!name) return;
    next.current = name.from + person.name.length + 2;
    onChange(`${value.slice(0, name.from)}@${person.name} ${value.slice(caret)}`, [...people, person]);
    setAt(0);
    box.current?.focus();
  };
  return (
    <div className={styles.naming}>
      <Field label={label}>
        {(control) => (
          <textarea
            {...control}
            ref={box}
            className={inputClass}
            rows={3}
            maxLength={4000}
            dir="auto"
            aria-autocomplete="list"
            aria-controls={isOpen ? id : undefined}
            aria-activedescendant={isOpen ? `${id}-${found[active]!.id}` : undefined}
            value={value}
            onChange={(event) => {
              onChange(event.target.value, people);
              setCaret(event.target.selectionStart);
              setAt(0);
            }}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onKeyDown={(event) => {
              if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
                event.preventDefault();
                setAt((active + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length);
              } else if (isOpen && (event.key === 'Enter' || event.key === 'Tab') && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
                event.preventDefault();
                choose(found[active]!);
              } else if (event.key === 'Escape') {
                event.preventDefault();
                event.stopPropagation();
                if (isOpen) setLeft(name.from);
                else onCancel();
              } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                onSend();
              }
            }}
          />
        )}
      </Field>
      {isOpen && (
        <ul className={styles.people} role="listbox" id={id} aria-label={t.people}>
          {found.map((person, i) => (
            <li key={person.id} id={`${id}-${person.id}`} role="option" aria-selected={i === active} onPointerDown={(event) => (event.preventDefault(), choose(person))}>
              {person.name}
            </li>
          ))}
        </ul>
      )}
      <p className="visually-hidden" role="status">
        {isOpen ? t.peopleFound(found.length) : ''}
      </p>
    </div>
  );
}
