/** Values of an entry by field name, in the form of the API. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is empty. The API clears a field with null, a list with []. */
export function empty(value: unknown) {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Whether two JSON values are equal. All empty values are equal. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || (empty(a) && empty(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), b as Record<string, unknown>];
  return left.length === Object.keys(b).length && left.every(([key, value]) => key in right && identical(value, right[key]));
}

/** Like same, but for nested values, where null and '' differ. */
function identical(a: unknown, b: unknown) {
  return (empty(a) || empty(b)) && !(typeof a === 'object' && typeof b === 'object' && a && b) ? Object.is(a, b) : same(a, b);
}
