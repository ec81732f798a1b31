import { useTexts } from '../../i18n/language';
import { useEditing, type Field } from '../context';
import { useComponents } from './components';
import { componentOf, isList, isStructured, itemsOf, summaryOf, type Components, type Item } from './values';

/** The labels on the way to a value, such as Body › Hero “Spring” › Intro. location is that of a fault of the API. */
export function labelsOf(location: string, field: Field, value: unknown, components: Components, nameOf: (component: string, summary: string) => string): string[] {
  const labels = [field.label];
  let at: { field: Field; value: unknown; item?: Item } = { field, value };
  for (const [, member, index] of [...location.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)].slice(1)) {
    if (!isStructured(at.field) || (index !== undefined && at.item)) {
      if (index !== undefined) labels.push(String(Number(index) + 1));
      continue;
    }
    const item = at.item ?? itemsOf(at.value)[Number(index ?? 0)];
    const component = componentOf(at.field, components, item);
    if (!item || !component) break;
    if (index !== undefined && isList(at.field)) {
      const summary = summaryOf(at.field, components, item);
      labels.push(summary ? nameOf(component.name, summary) : `${component.name} ${Number(index) + 1}`);
    }
    const inner = member === undefined ? undefined : component.fields.find((one) => one.name === member);
    if (member === undefined) at = { ...at, item };
    else if (!inner) break;
    else {
      labels.push(inner.label);
      at = { field: inner, value: item[member] };
    }
  }
  return labels;
}

/** The way to a fault inside of a group or of blocks. */
export function FaultPath({ field, location }: { field: Field; location: string }) {
  const { item } = useTexts('editor').conflicts;
  const { store, project } = useEditing();
  return labelsOf(location, field, store.raw(field.name), useComponents(project.id), item).join(' › ');
}
