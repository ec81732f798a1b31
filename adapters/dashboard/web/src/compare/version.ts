import type { Schemas } from '../api/client';

export type SealedItem = Schemas['SealedItem'];
export type Component = Schemas['Component'];
export type Change = Schemas['Change'];

/** The content of a version: values by field name, and sealed media by id. */
export type Version = { fields: Record<string, unknown>; media: Record<string, SealedItem> };

export type Item = Record<string, unknown> & { _type?: string; _key?: string };
/** An item in a list, and its place among those that the field admits. */
export type Listed = { item: Item; component: Component; at: number };

/** JSON with sorted object members, so that equal values give equal strings. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    v !== null && typeof v === 'object' && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v,
  );
}
