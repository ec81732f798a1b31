import { Braces } from 'lucide-react';
import { useState } from 'react';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import { inputClass } from '../../ui/textfields';
import { useFields, useText } from '../context';
import styles from '../editor.module.css';
import { same } from '../values';
import type { ControlProps } from './simple';

const written = (value: unknown) => (value === null || value === undefined ? '' : JSON.stringify(value, null, 2));

/** Parses JSON. Empty text is null. fault says where the text is no JSON, as the API says its faults. */
export function readJSON(text: string): { value: unknown } | { fault: string } {
  if (text.trim() === '') return { value: null };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `is not JSON: ${placeOf(String(error), text)}` };
  }
}

/** The place that the message of a parser names, in whatever language the browser speaks; else the end of the text. */
function placeOf(message: string, text: string) {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line && column) return `line ${line}, column ${column}`;
  const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
  const lines = text.slice(0, position).split('\n');
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

/** A control for a JSON value as text. Invalid JSON is kept, but not saved. */
export function JSONControl({ field, attributes, value, onChange }: ControlProps) {
  const t = useTexts('editor').json;
  const store = useFields();
  const broken = useText(field.name);
  const [typed, setTyped] = useState(() => written(value));
  const read = readJSON(typed);
  const text = broken ?? ('value' in read && same(read.value, value) ? typed : written(value));
  return (
    <div className={styles.json}>
      <textarea
        {...attributes}
        className={inputClass}
        rows={Math.min(16, Math.max(3, text.split('\n').length))}
        spellCheck={false}
        value={text}
        onChange={(e) => {
          setTyped(e.target.value);
          const next = readJSON(e.target.value);
          if ('value' in next) onChange(next.value);
          else store.setText(field.name, e.target.value, next.fault);
        }}
      />
      <Button kind="quiet" icon={<Braces aria-hidden />} isDisabled={broken !== undefined || text === ''} onPress={() => setTyped(written(value))}>
        {t.format}
      </Button>
    </div>
  );
}
