/** Returns a copy of the list with the item at index from moved to index to. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, i) => i !== from);
  return [...rest.slice(0, to), list[from]!, ...rest.slice(to)];
}

/** Returns a copy of the list with the items with these ids, in their current order, before or after the target. */
export function placed<T extends { id: PropertyKey }>(list: readonly T[], ids: ReadonlySet<PropertyKey>, target: PropertyKey, where: 'before' | 'after' | 'on'): T[] {
  if (ids.has(target)) return [...list];
  const rest = list.filter((item) => !ids.has(item.id));
  const at = rest.findIndex((item) => item.id === target) + (where === 'after' ? 1 : 0);
  return [...rest.slice(0, at), ...list.filter((item) => ids.has(item.id)), ...rest.slice(at)];
}
