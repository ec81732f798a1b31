import { useState } from 'react';
import { asApiError, type ApiError } from '../api/error';
import { Cancelled, changesOf, faultAt, same, withoutFaultsAt } from './formvalues';

export { Cancelled };

export type FieldOf<T> = { value: T; onChange: (value: T) => void; fault: string | undefined };

export type Form<V extends object> = {
  values: V;
  set: <K extends keyof V>(name: K, value: V[K]) => void;
  /** The value, the change handler and the fault of one member, for the props of a field. */
  field: <K extends keyof V & string>(name: K) => FieldOf<V[K]>;
  /** The fault at a location, such as "steps[0].stepLabel". */
  fault: (location: string) => string | undefined;
  /** Why the last save failed. Its faults beside fields are left out of unplaced. */
  error: ApiError | undefined;
  /** Whether values differ from what was last saved. */
  dirty: boolean;
  pending: boolean;
  /** Sends the values. Returns whether that succeeded. */
  save: () => Promise<boolean>;
  /** Drops all changes, and takes next as saved if given. */
  reset: (next?: V) => void;
};

/**
 * Keeps the values of a form. initial is what the server has: a later initial replaces the values
 * unless the user has changed some. send gets the values and those of them that changed; it may
 * throw an ApiError, whose faults then stand beside their fields, or Cancelled.
 */
export function useForm<V extends object>(initial: V, send: (values: V, changed: Partial<V>) => Promise<unknown>): Form<V> {
  const [seen, setSeen] = useState(initial);
  const [saved, setSaved] = useState(initial);
  const [values, setValues] = useState(initial);
  const [error, setError] = useState<ApiError>();
  const [pending, setPending] = useState(false);
  const dirty = !same(values, saved);

  const reset = (next = saved) => {
    setSaved(next);
    setValues(next);
    setError(undefined);
  };
  if (!same(initial, seen)) {
    setSeen(initial);
    if (!dirty) reset(initial);
  }

  const set: Form<V>['set'] = (name, value) => {
    setValues((now) => ({ ...now, [name]: value }));
    setError((now) => now && withoutFaultsAt(now, String(name)));
  };
  const fault = (location: string) => faultAt(error?.faults ?? [], location);

  const save = async () => {
    setPending(true);
    setError(undefined);
    try {
      await send(values, changesOf(saved, values));
      setSaved(values);
      return true;
    } catch (caught) {
      if (!(caught instanceof Cancelled)) setError(asApiError(caught));
      return false;
    } finally {
      setPending(false);
    }
  };

  return {
    values,
    set,
    field: (name) => ({ value: values[name], onChange: (value) => set(name, value), fault: fault(name) }),
    fault,
    error,
    dirty,
    pending,
    save,
    reset,
  };
}
