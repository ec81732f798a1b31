import { api, dataOf, ifMatch, type Schemas } from '../api/client';
import { asApiError } from '../api/error';

/** The new values of the media fields that contain the item `from`, with `to` instead. */
export function replaced(definition: readonly Schemas['Field'][], fields: Record<string, unknown>, from: number, to: number): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const { name, type } of definition) {
    const value = fields[name];
    if (type !== 'media') continue;
    if (value === from) changes[name] = to;
    else if (Array.isArray(value) && value.includes(from)) changes[name] = [...new Set(value.map((id) => (id === from ? to : id)))];
  }
  return changes;
}

/** Splits changes of a draft into those of fields that readers see as the draft has them, and the others. */
export function split(changes: Record<string, unknown>, draft: Record<string, unknown>, published: Record<string, unknown> | null) {
  const seen = ([name]: [string, unknown]) => published !== null && JSON.stringify(draft[name]) === JSON.stringify(published[name]);
  const all = Object.entries(changes);
  return { both: Object.fromEntries(all.filter(seen)), draftOnly: Object.fromEntries(all.filter((change) => !seen(change))) };
}

/**
 * Replaces the item `from` by `to` in the draft of an entry. Readers see it after the next review
 * if a workflow governs the Project, and otherwise immediately, but a field with unpublished
 * changes stays as they see it.
 */
export async function replaceInEntry(projectId: number, collection: Schemas['Collection'], contentId: number, from: number, to: number) {
  const path = { projectId, collectionId: collection.id, contentId };
  for (let attempt = 1; ; attempt++) {
    const entry = await dataOf(api.GET('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', { params: { path } }));
    const draft = entry.fields as Record<string, unknown>;
    const fields = replaced(collection.fields, draft, from, to);
    if (Object.keys(fields).length === 0) return;
    const published = entry.hasUnpublishedChanges
      ? (await dataOf(api.GET('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/versions', { params: { path } }))).published
      : draft;
    const { both, draftOnly } = split(fields, draft, published as Record<string, unknown> | null);
    const write = (read: { version: number; etag?: string }, body: { fields: Record<string, unknown>; keepPublished?: boolean }) =>
      dataOf(
        api.PATCH('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', {
          params: { path, query: { check: 'draft' }, header: { 'If-Match': ifMatch(read) } },
          body,
        }),
      );
    try {
      const saved = Object.keys(draftOnly).length > 0 ? await write(entry, { fields: draftOnly, keepPublished: true }) : entry;
      if (Object.keys(both).length > 0) await write(saved, { fields: both });
      return;
    } catch (error) {
      if (asApiError(error).status !== 412 || attempt === 3) throw error; // 412: the entry has changed since it was read
    }
  }
}
