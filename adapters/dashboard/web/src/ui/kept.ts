import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { backupOf } from '../editor/backup';

// What is typed and not sent yet, such as a comment. It outlives its box, and in IndexedDB the page.

const values = new Map<string, unknown>();
const asked = new Set<string>();
const writing = new Set<string>();
const listeners = new Set<() => void>();

export const keptAt = <T>(key: string) => values.get(key) as T | undefined;

/** Keeps a value, here and on the device; undefined removes it. */
export function keep<T>(key: string, value: T | undefined) {
  values.set(key, value);
  listeners.forEach((listener) => listener());
  void write(key);
}

/** Writes one value of a key at a time: the newest of those that came meanwhile is next. */
async function write(key: string) {
  if (writing.has(key)) return;
  writing.add(key);
  const backup = backupOf(key);
  for (let written: unknown = writing; written !== values.get(key); ) {
    written = values.get(key);
    await (written === undefined ? backup.remove() : backup.write({ at: Date.now(), fields: { value: written }, base: {}, texts: {} }));
  }
  writing.delete(key);
}

/** Reads what an earlier page has kept, unless the user has typed since. */
async function read(key: string) {
  if (asked.has(key)) return;
  asked.add(key);
  const copy = await backupOf(key).read();
  if (!copy || values.has(key)) return;
  values.set(key, copy.fields.value);
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The value that is kept at a key, which begins with the id of the user, and a function that keeps another one. */
export function useKept<T>(key: string) {
  useEffect(() => void read(key), [key]);
  const value = useSyncExternalStore(subscribe, () => keptAt<T>(key));
  return [value, useCallback((next: T | undefined) => keep(key, next), [key])] as const;
}
