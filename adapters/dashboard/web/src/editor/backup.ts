import type { Fields } from './values';

// Unsaved changes are kept in IndexedDB, so that they survive a crash, a lost session and a lost
// network. Without IndexedDB the editor works, and only the server keeps what is written.

/** What this device keeps of an entry: the changed values, and what they were changed from. */
export type Copy = {
  /** The user and the entry. Other users of this device do not see the copy. */
  key: string;
  /** Milliseconds since 1970. */
  at: number;
  fields: Fields;
  base: Fields;
  /** Text that is not a value, such as half a number. */
  texts: Readonly<Record<string, string>>;
};

export type Backup = {
  read(): Promise<Copy | undefined>;
  write(copy: Omit<Copy, 'key'>): Promise<void>;
  remove(): Promise<void>;
};

const maxAge = 30 * 86_400_000; // ms

let opened: Promise<IDBDatabase> | undefined;

function database() {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('imprimatur', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('copies', { keyPath: 'key' });
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function run<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  try {
    const transaction = (await database()).transaction('copies', mode);
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

/** The copy of one entry of one user. */
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
