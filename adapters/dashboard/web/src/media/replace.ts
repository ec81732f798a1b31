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

/**
 * Replaces the item `from` by `to` in the draft of an entry. It is an ordinary write: if a workflow
 * governs the Project, readers see it after the next review.
 */
export async function replaceInEntry(projectId: number, collection: Schemas['Collection'], contentId: number, from: number, to: number) {
  const path = { projectId, collectionId: collection.id, contentId };
  for (let attempt = 1; ; attempt++) {
    const entry = await dataOf(api.GET('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', { params: { path } }));
    const fields = replaced(collection.fields, entry.fields as Record<string, unknown>, from, to);
    if (Object.keys(fields).length === 0) return;
    try {
      await api.PATCH('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}', {
        params: { path, query: { check: 'draft' }, header: { 'If-Match': ifMatch(entry.version) } },
        body: { fields },
      });
      return;
    } catch (error) {
      if (asApiError(error).status !== 412 || attempt === 3) throw error; // 412: the entry has changed since it was read
    }
  }
}
