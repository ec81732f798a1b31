import { CircleAlert } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useTexts } from '../../i18n/language';
import { Said } from '../../faults/said';
import { sentence } from '../../i18n/format';
import { Note } from '../../ui/basics';
import { useEditing, useMeta } from '../context';
import { formOf } from '../form';
import { isStructured, revealEvent } from '../items/structured';
import styles from './panel.module.css';

const FaultPath = lazy(() => import('../items/faultpath').then((m) => ({ default: m.FaultPath })));

/** Moves the focus to the control of a field, or to that of a value inside of its items. */
export function jumpTo(name: string, location?: string) {
  const field = formOf().querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
  if (location && field?.dispatchEvent(new CustomEvent(revealEvent, { detail: location, cancelable: true })) === false) return;
  field?.scrollIntoView({ block: 'center' });
  field?.querySelector<HTMLElement>('input, textarea, select, [contenteditable=true], button')?.focus({ preventScroll: true });
}

/** All faults of the entry, with a link to each field, once the user expects it to be complete. refusals counts the rejected publications. */
export function FaultList({ refusals }: { refusals: number }) {
  const t = useTexts('editor').faultlist;
  const { spelled } = useTexts('common').numbers;
  const { store, collection } = useEditing();
  const { faults, complaining } = useMeta(store);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusals > 0) box.current?.querySelector<HTMLElement>('button')?.focus();
  }, [refusals]);
  if (faults.length === 0 || !complaining) return null;
  return (
    <div ref={box} className={styles.faults} role="status">
      <Note tone="bad" icon={<CircleAlert aria-hidden />}>
        {t.inTheWay(sentence(spelled(faults.length)), faults.length)}
        <ul>
          {faults.map(({ location, message }) => {
            const name = /^fields\.([^[.]+)/.exec(location)?.[1] ?? location;
            const field = collection.fields.find((f) => f.name === name);
            const label = field?.label ?? name;
            return (
              <li key={location + message}>
                <button onClick={() => jumpTo(name, location)}>
                  {field && isStructured(field) ? (
                    <Suspense fallback={label}>
                      <FaultPath field={field} location={location} />
                    </Suspense>
                  ) : (
                    label
                  )}{' '}
                  <Said text={message} />
                </button>
              </li>
            );
          })}
        </ul>
      </Note>
    </div>
  );
}
