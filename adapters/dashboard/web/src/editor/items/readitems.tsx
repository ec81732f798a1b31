import type { ComponentType } from 'react';
import { useEditing, type Field } from '../context';
import { empty } from '../values';
import { useComponents } from './components';
import styles from './readitems.module.css';
import { componentOf, itemsOf } from './values';

/** The items of a group or of blocks: the component of each, and its fields that have values. */
export function ReadItems({ field, value, read: Value }: { field: Field; value: unknown; read: ComponentType<{ field: Field; value: unknown }> }) {
  const { project } = useEditing();
  const components = useComponents(project.id);
  return (
    <ul className={styles.items}>
      {itemsOf(value).map((item, i) => {
        const component = componentOf(field, components, item);
        return (
          <li key={item._key ?? i}>
            <b>{component?.name ?? item._type}</b>
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
          </li>
        );
      })}
    </ul>
  );
}
