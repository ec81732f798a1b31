import { api, dataOf, ifMatch } from '../api/client';
import { ApiError } from '../api/error';
import { queryClient } from '../api/queries';
import { draftChanged, entryQuery } from './queries';
import type { Entry, Transport } from './store';
import type { Fields } from './values';

type Place = { projectId: number; collectionId: number };
type NewEntry = { locale: string; translationOf?: number; created: (entry: Entry) => void };

/** Saves the draft of an entry. It never changes the published version. */
export function transportOf(place: Place, fresh?: NewEntry): Transport {
  /** A create request without a response. The retry sends the same idempotency key, so that no second entry is created. */
  let attempt: { key: string; fields: Fields } | undefined;

  const change = (entry: Entry, fields: Fields) =>
    dataOf(
      api.PATCH('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', {
        params: { path: { ...place, contentId: entry.id }, query: { check: 'draft' }, header: { 'If-Match': ifMatch(entry) } },
        body: { fields, keepPublished: true },
      }),
    );

  // The created entry, until the store knows it: a save that fails after the creation must not create another.
  let made: Entry | undefined;
  const create = async (fields: Fields) => {
    const repeated = attempt !== undefined;
    attempt ??= { key: crypto.randomUUID(), fields };
    try {
      const entry = await dataOf(
        api.POST('/api/projects/{projectId}/collections/{collectionId}/content', {
          params: { path: place, query: { check: 'draft' }, header: { 'Idempotency-Key': attempt.key } },
          body: { locale: fresh?.locale, translationOf: fresh?.translationOf, fields: attempt.fields },
        }),
      );
      attempt = undefined;
      made = entry;
      fresh?.created(entry);
      return repeated ? await change(entry, fields) : entry;
    } catch (error) {
      if (error instanceof ApiError && !error.temporary) attempt = undefined;
      throw error;
    }
  };

  return {
    save: async (entry, fields) => {
      const known = entry ?? made;
      const saved = await (known ? change(known, fields) : create(fields));
      queryClient.setQueryData(entryQuery(place, saved.id).queryKey, saved);
      draftChanged();
      return saved;
    },
  };
}
