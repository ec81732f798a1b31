// Astro's content store as a copy of the project's public content. A build reads what has changed since the build before.

import type { Loader } from 'astro/loaders';
import { follow, type Place } from './follow.js';

/** The key of the place in the changes, which the server goes on from. */
export const placeKey = 'place';

export const changes: Loader = {
  name: 'imprimatur-changes',
  async load({ store, logger, generateDigest }) {
    const put = (id: string, data: Record<string, unknown>) => store.set({ id, data, digest: generateDigest(data) });
    let place = store.get(placeKey)?.data as (Place & { kind: 'place' }) | undefined;
    const applied = await follow({
      put,
      delete: (id) => store.delete(id),
      keys: () => store.keys(),
      get place() {
        return place;
      },
      set place(to) {
        place = to && { ...to, kind: 'place' };
        if (place) put(placeKey, { ...place });
        else store.delete(placeKey);
      },
    });
    logger.info(`${applied} changes, ${store.keys().length - 2} entries and files`);
  },
};
