import type { Schemas } from '../../api/client';
import type { Filter } from '../../content/search';
import { choicesOf, type FieldValues } from './fieldvalues';

type Field = Schemas['Field'];
type Fields = { slug: string; fields: readonly Field[] };

/**
 * What a change of a field does to the entries that match one of the filters: they lack a value, have a
 * value that is not allowed any more, or lose the value. For check, no filter tells them from others.
 */
export type Effect = { kind: 'lack' | 'break' | 'check' | 'lose'; where: Filter[] };

/** Effects on the entries of one collection. */
export type Place<C> = { collection: C; effects: Effect[] };

/** The effects of changed options of a field of a collection. */
export function effectsOf(field: Field, changed: Partial<FieldValues>): Effect[] {
  const { name } = field;
  const effects: Effect[] = [];
  if (changed.required && !field.required) effects.push({ kind: 'lack', where: [[name, 'null']] });
  const bounds: Filter[] = [];
  if (field.type === 'number' && !field.multiple) {
    if (raises(field.min, changed.min)) bounds.push([name, 'lt', String(changed.min)]);
    if (lowers(field.max, changed.max)) bounds.push([name, 'gt', String(changed.max)]);
    if (bounds.length > 0) effects.push({ kind: 'break', where: bounds });
  }
  const gone = changed.choices === undefined ? [] : (field.choices ?? []).filter((choice) => !choicesOf(changed.choices!).includes(choice));
  if (gone.length > 0) effects.push({ kind: 'break', where: [[name, 'in', ...gone]] });
  if (bounds.length === 0 && narrows(field, changed)) effects.push({ kind: 'check', where: [[name, 'not_null']] });
  return effects;
}

/** Whether a lower bound rises to b. null and undefined are no bound. */
const raises = (a: number | null | undefined, b: number | null | undefined) => b !== null && b !== undefined && (a === null || a === undefined || b > a);

/** Whether an upper bound falls to b. */
const lowers = (a: number | null | undefined, b: number | null | undefined) => b !== null && b !== undefined && (a === null || a === undefined || b < a);

/** Whether values can be refused, or items and references hidden, that no filter finds. */
function narrows(field: Field, { min, max, pattern, collections, components, path, unique }: Partial<FieldValues>): boolean {
  const dropped = (before: readonly string[] | null | undefined, after: readonly string[] | undefined) => after !== undefined && (before ?? []).some((slug) => !after.includes(slug));
  return (
    raises(field.min, min) ||
    lowers(field.max, max) ||
    (pattern !== undefined && pattern !== '') ||
    dropped(field.collections, collections) ||
    dropped(field.components, components) ||
    (path === false && field.path === true) ||
    (unique === true && !field.unique)
  );
}

/** The effects of the removal of a field of a collection. */
export const removalOf = ({ name }: Field): Effect[] => [{ kind: 'lose', where: [[name, 'not_null']] }];

/** Effects on the items of a component, in the collections that hold some. removed: its field is removed. */
export function placesOf<C extends Fields>(component: string, field: Field, removed: boolean, collections: readonly C[], components: readonly Fields[]): Place<C>[] {
  const named = ({ component, components }: Field) => [...(component ? [component] : []), ...(components ?? [])];
  const holders = new Set([component]);
  // Each turn adds the components that hold one of those found before.
  for (let before = 0; before < holders.size; ) {
    before = holders.size;
    for (const { slug, fields } of components) if (fields.some((f) => named(f).some((one) => holders.has(one)))) holders.add(slug);
  }
  return collections.flatMap((collection): Place<C>[] => {
    const places = collection.fields.filter((f) => !f.hidden && named(f).some((slug) => holders.has(slug)));
    if (places.length === 0) return [];
    const direct = places.every((f) => named(f).every((slug) => slug === component || !holders.has(slug)));
    if (removed && field.filterable && direct) return [{ collection, effects: [{ kind: 'lose', where: places.map((f): Filter => [f.type === 'group' ? `${f.name}.${field.name}` : `${f.name}.${component}.${field.name}`, 'not_null']) }] }];
    return [{ collection, effects: [{ kind: 'check', where: places.map((f): Filter => [f.name, 'not_null']) }] }];
  });
}
