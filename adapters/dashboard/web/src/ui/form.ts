import { useState } from 'react';
import { asApiError, type ApiError } from '../api/error';
import { Cancelled, changesOf, faultAt, same, withoutFaultsAt } from './formvalues';

export { Cancelled };

export type FieldOf<T> = { value: T; onChange: (value: T) => void; fault: string | undefined };

export type Form<V extends object> = {
  values: V;
  set: <K extends keyof V>(name: K, value: V[K]) => void;
  /** The props of the field of one member: value, change handler and fault. */
  field: <K extends keyof V & string>(name: K) => FieldOf<V[K]>;
  /** The fault at a location, such as "steps[0].stepLabel". */
  fault: (location: string) => string | undefined;
  /** The error of the last save. Use unplaced to omit the faults that fields show. */
  error: ApiError | undefined;
  /** Whether the values differ from the last saved values. */
  dirty: boolean;
  pending: boolean;
  /** Sends the values. Returns whether it succeeded. */
  save: () => Promise<boolean>;
  /** Discards all changes. If given, next becomes the saved values. */
  reset: (next?: V) => void;
};

/**
 * Manages the state of a form. initial are the values of the server: a new initial replaces the
 * values unless the user has changed some. send receives all values and the changed ones. It may
 * throw an ApiError, whose faults the fields then show, or Cancelled.
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
