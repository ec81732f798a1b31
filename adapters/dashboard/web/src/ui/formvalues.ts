import { ApiError } from '../api/error';

type Fault = { location: string; message: string };

/** Thrown by the send function of a form when the user cancels. */
export class Cancelled extends Error {}

/** Whether two JSON values are equal. A member that is undefined equals a missing one. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && a.length !== (b as unknown[]).length) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => same((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]));
}

/** The members of after that differ from before. */
export function changesOf<V extends object>(before: V, after: V): Partial<V> {
  const names = Object.keys(after) as (keyof V)[];
  return Object.fromEntries(names.filter((name) => !same(before[name], after[name])).map((name) => [name, after[name]])) as Partial<V>;
}

/** Whether location equals place or is inside it, such as place[2] or place.name. */
export function within(location: string, place: string) {
  return location === place || (location.startsWith(place) && (location[place.length] === '[' || location[place.length] === '.'));
}

/**
 * The text of the faults within a place, or undefined. The text of a fault of a list's second
 * item begins with "2: ".
 */
export function faultAt(faults: readonly Fault[], place: string): string | undefined {
  const texts = faults
    .filter((fault) => within(fault.location, place))
    .map((fault) => {
      const rest = fault.location.slice(place.length).replace(/^\[(\d+)\]/, (_, index: string) => `${Number(index) + 1}`);
      return rest ? `${rest.replace(/^\./, '')}: ${fault.message}` : fault.message;
    });
  return texts.length > 0 ? texts.join('; ') : undefined;
}

/** The error without the faults within a place; undefined if no other fault remains. */
export function withoutFaultsAt(error: ApiError, place: string): ApiError | undefined {
  const rest = error.faults.filter((fault) => !within(fault.location, place));
  if (rest.length === error.faults.length) return error;
  return rest.length > 0 ? new ApiError(error.status, { ...error.problem, errors: rest }) : undefined;
}

/**
 * The part of an error that no field shows: the error without the faults of the named members, or
 * undefined if no other fault remains.
 */
export function unplaced(error: ApiError | undefined, names: readonly string[]): ApiError | undefined {
  return names.reduce<ApiError | undefined>((left, name) => left && withoutFaultsAt(left, name), error);
}
