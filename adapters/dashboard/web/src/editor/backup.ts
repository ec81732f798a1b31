import type { Fields } from './values';

// Unsaved changes are kept in IndexedDB, so that they survive a crash, the end of the session and
// a network failure. Without IndexedDB the editor works, but has no local copy.

/** The local copy of an entry's unsaved changes, with the values that they are based on. */
export type Copy = {
  /** Identifies the user and the entry. Other users of this device do not see the copy. */
  key: string;
  /** Milliseconds since 1970. */
  at: number;
  fields: Fields;
  base: Fields;
  /** Texts that are not valid values, such as unfinished numbers. */
  texts: Readonly<Record<string, string>>;
};

export type Backup = {
  read(): Promise<Copy | undefined>;
  write(copy: Omit<Copy, 'key'>): Promise<void>;
  remove(): Promise<void>;
};

const maxAge = 30 * 86_400_000; // ms

/** The key of a user's copy of an entry. */
export const copyKey = (userId: number, entryId: number) => `${userId} entry ${entryId}`;

/** The key of a user's copy of an entry that is not created yet. */
export const newCopyKey = (userId: number, collectionId: number, locale: string, translationOf?: number) => `${userId} new ${collectionId} ${locale} ${translationOf ?? ''}`;

let opened: Promise<IDBDatabase> | undefined;
let ready: IDBDatabase | undefined;

function database() {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('imprimatur', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('copies', { keyPath: 'key' });
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      ready = request.result;
      resolve(ready);
    };
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function run<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    // Without a wait, if possible: the page may be about to end.
    const transaction = (ready ?? (await database())).transaction('copies', mode);
    const request = act(transaction.objectStore('copies'));
    return await new Promise<T>((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } catch (error) {
    console.warn('the copy on this device failed', error);
    return undefined;
  }
}

/** Returns the backup with the key of a user and an entry. */
export function backupOf(key: string): Backup {
  return {
    read: async () => {
      const copy = await run<Copy | undefined>('readonly', (store) => store.get(key) as IDBRequest<Copy | undefined>);
      if (!copy || Date.now() - copy.at < maxAge) return copy;
      await run('readwrite', (store) => store.delete(key));
      return undefined;
    },
    write: async (copy) => void (await run('readwrite', (store) => store.put({ ...copy, key }))),
    remove: async () => void (await run('readwrite', (store) => store.delete(key))),
  };
}

/** Returns the copies whose keys begin with a text. */
export async function copiesOf(beginning: string): Promise<Copy[]> {
  const copies = await run<Copy[]>('readonly', (store) => store.getAll(IDBKeyRange.bound(beginning, `${beginning}\uffff`)));
  return copies ?? [];
}
