import type { Item } from './values';

/**
 * The items of another translation that stand beside those of this one: the item with the same key, else
 * the one at the same index if it has the same type and no other item has its key. rest has those that
 * stand beside none.
 */
export function counterparts(own: readonly Item[], others: readonly Item[]): { beside: readonly (Item | undefined)[]; rest: readonly Item[] } {
  const ownKeys = new Set(own.map(({ _key }) => _key));
  const byKey = new Map(others.map((item) => [item._key, item]));
  const beside = own.map(({ _key, _type }, i) => {
    const other = others[i];
    return byKey.get(_key) ?? (other?._type === _type && (other?._key === undefined || !ownKeys.has(other._key)) ? other : undefined);
  });
  const shown = new Set(beside);
  return { beside, rest: others.filter((item) => !shown.has(item)) };
}
