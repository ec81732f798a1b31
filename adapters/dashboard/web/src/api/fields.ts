import type { Schemas } from './client';

/** The field that is the title of an entry: "title" or "name", otherwise the first text field. */
export function titleField<F extends Pick<Schemas['Field'], 'name' | 'type' | 'multiple' | 'hidden'>>(fields: readonly F[]): F | undefined {
  const single = fields.filter((f) => f.type === 'text' && !f.multiple && !f.hidden);
  return single.find((f) => f.name === 'title' || f.name === 'name') ?? single[0];
}

type Relation = Pick<Schemas['Field'], 'collection' | 'collections'>;

/** The slugs of the collections that a relation leads to; none for other fields. */
export const targetSlugs = ({ collection, collections }: Relation): readonly string[] => collections ?? (collection ? [collection] : []);

/** The collections that a relation leads to and that exist, in their order. */
export function targetsOf<C extends { slug: string }>(field: Relation | undefined, collections: readonly C[]): C[] {
  return (field ? targetSlugs(field) : []).flatMap((slug) => collections.find((c) => c.slug === slug) ?? []);
}
