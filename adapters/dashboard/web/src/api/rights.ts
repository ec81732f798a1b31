import type { Schemas } from './client';

type Actions = Schemas['Project']['actions'][number] | Schemas['Tenant']['actions'][number] | Schemas['Department']['actions'][number] | Schemas['Session']['actions'][number];

/** Whether the user may perform an action on a resource, according to the actions in its API response. */
export function may<A extends Actions>(place: { actions: readonly A[] } | undefined, action: A) {
  return place?.actions.includes(action) ?? false;
}
