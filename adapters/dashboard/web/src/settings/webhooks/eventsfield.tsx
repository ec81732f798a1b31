import { useTexts } from '../../i18n/language';
import { Mono } from '../../ui/basics';
import { Checkbox, Fault } from '../../ui/forms';
import settings from '../settings.module.css';
import { contains, containsKind, kinds, withAll, withKind, withType, type EventPattern, type ProjectEvent, type ProjectKind } from './choice';
import styles from './webhooks.module.css';

type EventsFieldProps = { value: EventPattern[]; onChange: (value: EventPattern[]) => void; fault: string | undefined };

/** A field for the events of a webhook: all, all of a kind, or single types. */
export function EventsField({ value, onChange, fault }: EventsFieldProps) {
  const t = useTexts('webhooks').eventsfield;
  const all = value.includes('*');
  return (
    <fieldset className={settings.group}>
      <legend>{t.events}</legend>
      <Checkbox isSelected={all} isIndeterminate={!all && value.length > 0} onChange={(on) => onChange(withAll(on))} hint={t.allHint}>
        {t.all} <Mono>*</Mono>
      </Checkbox>
      <ul className={styles.kinds}>
        {kinds.map(([kind, types]) => (
          <Kind key={kind} kind={kind} types={types} value={value} onChange={onChange} />
        ))}
      </ul>
      {fault && <Fault>{fault}</Fault>}
    </fieldset>
  );
}

function Kind({ kind, types, value, onChange }: { kind: ProjectKind; types: readonly ProjectEvent[] } & Omit<EventsFieldProps, 'fault'>) {
  const t = useTexts('webhooks').eventsfield;
  const words = useTexts('events');
  const whole = containsKind(value, kind);
  const count = types.filter((type) => contains(value, type)).length;
  return (
    <li>
      <Checkbox isSelected={whole} isIndeterminate={!whole && count > 0} onChange={(on) => onChange(withKind(value, kind, on))}>
        {words.kinds[kind]} <Mono>{kind}.*</Mono>
      </Checkbox>
      {types.length > 1 && (
        <details>
          <summary>
            <span className="visually-hidden">{words.kinds[kind]}: </span>
            {t.count(count, types.length)}
          </summary>
          <div className={styles.types}>
            {types.map((type) => (
              <Checkbox key={type} isSelected={contains(value, type)} onChange={(on) => onChange(withType(value, type, on))}>
                {words.types[type]} <Mono>{type}</Mono>
              </Checkbox>
            ))}
          </div>
        </details>
      )}
    </li>
  );
}
