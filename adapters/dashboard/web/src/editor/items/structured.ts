import type { Schemas } from '../../api/client';

/** Whether the values of a field are items of components. */
export const isStructured = ({ type }: Pick<Schemas['Field'], 'type'>) => type === 'group' || type === 'blocks';

/** The event that shows a value inside of items. Its detail is a location of the API. */
export const revealEvent = 'items:reveal';

/** Components by slug. */
export const bySlug = (list: readonly Schemas['Component'][]): ReadonlyMap<string, Schemas['Component']> => new Map(list.map((c) => [c.slug, c]));
