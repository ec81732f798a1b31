// The tags of what Next keeps, and which of them a message of the webhook outdates.

import type { Event, Message } from '@imprimatur/client/webhooks';

/** The tag of all that was read. */
export const everything = 'content';

/** The tag of an entry, or of the lists of a collection. */
export const tagOf = (collection: string, id?: number) => (id === undefined ? collection : `${collection}/${id}`);

/** A change of an entry outdates its pages and the lists of its collection; anything else, such as a picture, everything. */
export function outdatedBy({ data }: Message): string[] {
  if (data.truncated) return [everything];
  return [...new Set((data.events ?? [data]).flatMap(tagsOf))];
}

const tagsOf = ({ collection, entryId }: Event) => (collection && entryId !== undefined ? [tagOf(collection), tagOf(collection, entryId)] : [everything]);
