import { useSyncExternalStore } from 'react';
import { ApiError, asApiError } from '../api/error';
import { queryClient } from '../api/queries';
import { refreshMedia } from './data';
import type { MediaItem } from './kind';
import { sendFile } from './send';

// Uploads to the library. They continue while the user visits other pages.

export type Upload = {
  id: number;
  projectId: number;
  file: File;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  /** Bytes sent so far. */
  sent: number;
  error?: ApiError;
  /** What the API said of a file that it accepted. */
  warnings?: string[];
  /** The folder that the item gets; undefined or '': none. */
  folder?: string;
  /** The largest file that the Project accepts, in bytes. */
  limit: number;
};

const atOnce = 3;

let uploads: readonly Upload[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const aborts = new Map<number, AbortController>();
const arrivals = new Map<number, (item: MediaItem) => void>();

function set(next: readonly Upload[]) {
  uploads = next;
  listeners.forEach((listener) => listener());
}

const change = (id: number, what: Partial<Upload>) => set(uploads.map((u) => (u.id === id ? { ...u, ...what } : u)));

/**
 * Uploads files to the library of a Project, to a folder if one is given, and returns the ids of the uploads. onArrival is called
 * with the item of each completed upload.
 */
export function addFiles(project: { id: number; uploadLimit: number }, files: Iterable<File>, onArrival?: (item: MediaItem) => void, folder?: string): number[] {
  const added = [...files].map((file): Upload => ({ id: nextId++, projectId: project.id, file, state: 'waiting', sent: 0, folder, limit: project.uploadLimit }));
  if (onArrival) added.forEach((u) => arrivals.set(u.id, onArrival));
  set([...uploads.filter((u) => u.state !== 'done'), ...added]);
  proceed();
  return added.map((u) => u.id);
}

/** The upload with an id; undefined if it was removed. */
export const uploadOf = (id: number) => uploads.find((u) => u.id === id);

export function retryUpload(id: number) {
  change(id, { state: 'waiting', sent: 0, error: undefined });
  proceed();
}

/** Removes an upload from the list, and aborts it if it is running. */
export function removeUpload(id: number) {
  aborts.get(id)?.abort();
  arrivals.delete(id);
  set(uploads.filter((u) => u.id !== id));
}

/** Removes completed uploads from the list. */
export const clearDone = (projectId: number) => set(uploads.filter((u) => u.projectId !== projectId || u.state !== 'done'));

function proceed() {
  const free = atOnce - uploads.filter((u) => u.state === 'sending').length;
  uploads
    .filter((u) => u.state === 'waiting')
    .slice(0, Math.max(0, free))
    .forEach((u) => void send(u));
}

async function send({ id, projectId, file, folder, limit }: Upload) {
  // Check here, because the server closes the connection at the limit, which looks like a network failure.
  if (file.size > limit) {
    change(id, { state: 'failed', error: new ApiError(413, {}) });
    return queueMicrotask(proceed); // proceed still has to send the other files
  }
  const abort = new AbortController();
  aborts.set(id, abort);
  change(id, { state: 'sending' });
  try {
    const item = await sendFile(`/api/projects/${projectId}/media/upload`, file, (sent) => change(id, { sent }), abort.signal, folder);
    change(id, { state: 'done', sent: file.size, warnings: item.warnings });
    arrivals.get(id)?.(item);
    arrivals.delete(id);
    refreshSoon(projectId);
  } catch (error) {
    if (!abort.signal.aborted) change(id, { state: 'failed', error: asApiError(error) });
  } finally {
    aborts.delete(id);
    proceed();
  }
}

// Batch the refreshes: a hundred files should not refetch the lists a hundred times.
const refreshes = new Map<number, ReturnType<typeof setTimeout>>();

function refreshSoon(projectId: number) {
  if (refreshes.has(projectId)) return;
  refreshes.set(
    projectId,
    setTimeout(() => {
      refreshes.delete(projectId);
      void refreshMedia(queryClient, projectId);
    }, 400),
  );
}

/** Calls listener after each change of an upload, until the returned function is called. */
export const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The uploads of a Project, in the order in which they were added. */
export function useUploads(projectId: number) {
  return useSyncExternalStore(subscribe, () => uploads).filter((u) => u.projectId === projectId);
}

window.addEventListener('beforeunload', (event) => {
  if (uploads.some((u) => u.state === 'waiting' || u.state === 'sending')) event.preventDefault();
});
