import type { ComponentType } from 'react';
import { useEditing, type Field } from '../context';
import { empty } from '../values';
import { useComponents } from './components';
import styles from './readitems.module.css';
import { componentOf, itemsOf, summaryOf, type Item } from './values';

type Read = ComponentType<{ field: Field; value: unknown }>;

/** The items of a group or of blocks: the component of each, and its fields that have values. */
export function ReadItems({ field, value, read }: { field: Field; value: unknown; read: Read }) {
  return (
    <ul className={styles.items}>
      {itemsOf(value).map((item, i) => (
        <li key={item._key ?? i}>
          <ReadItem field={field} item={item} read={read} />
        </li>
      ))}
    </ul>
  );
}

/** One item; folded: only its name and what it begins with. */
export function ReadItem({ field, item, read: Value, folded = false }: { field: Field; item: Item; read: Read; folded?: boolean }) {
  const { project } = useEditing();
  const components = useComponents(project.id);
  const component = componentOf(field, components, item);
  return (
    <>
      <p className={styles.name}>
        <b>{component?.name ?? item._type}</b>
        {folded && component && <span>{summaryOf(field, components, item, false)}</span>}
      </p>
      {!folded && (
        <dl>
          {component?.fields
            .filter((f) => !empty(item[f.name]))
            .map((f) => (
              <div key={f.name}>
                <dt>{f.label}</dt>
                <dd>
                  <Value field={f} value={item[f.name]} />
                </dd>
              </div>
            ))}
        </dl>
      )}
    </>
  );
}
