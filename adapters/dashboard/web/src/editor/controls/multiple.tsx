import { Plus } from 'lucide-react';
import { useRef, type ComponentType } from 'react';
import { useTexts } from '../../i18n/language';
import { Button } from '../../ui/button';
import styles from '../editor.module.css';
import { Rows } from './rows';
import type { ControlProps } from './simple';

/** A control for several values, with one element control per value. */
export function MultipleControl({ field, attributes, value, onChange, element: Element }: ControlProps & { element: ComponentType<ControlProps> }) {
  const t = useTexts('editor').multiple;
  const box = useRef<HTMLDivElement>(null);
  const values = Array.isArray(value) ? (value as unknown[]) : [];
  const { id, ...described } = attributes;
  return (
    <div className={styles.stack} ref={box}>
      {values.length > 0 && (
        <Rows label={field.label} keys={values} onChange={onChange}>
          {(one, i) => (
            <Element
              field={field}
              attributes={{ ...described, id: `${id}-${i}`, 'aria-label': t.value(field.label, i + 1) }}
              value={one}
              onChange={(next) => onChange(values.with(i, next))}
            />
          )}
        </Rows>
      )}
      <div>
        <Button
          id={id}
          icon={<Plus aria-hidden />}
          onPress={() => {
            onChange([...values, '']);
            requestAnimationFrame(() => box.current?.querySelector('li:last-child')?.querySelector<HTMLElement>('input, textarea, select, [contenteditable=true]')?.focus());
          }}
        >
          {t.add}
        </Button>
      </div>
    </div>
  );
}
