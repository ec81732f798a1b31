import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf, type Schemas } from '../../api/client';
import { collectionsQuery, componentsQuery } from '../../api/queries';
import { queryPairs, queryString } from '../../content/query';
import type { EntriesSearch } from '../../content/search';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Note } from '../../ui/basics';
import { effectsOf, placesOf, removalOf, type Effect, type Place } from './effects';
import type { FieldValues } from './fieldvalues';
import type { Definition, Kind } from './requests';

type Collection = Schemas['Collection'];
type Props = { kind: Kind; definition: Definition; field: Schemas['Field']; /** undefined: the field is removed. */ changed?: Partial<FieldValues> };

/** What a change or the removal of a field does to entries, with their numbers and lists of them. */
export function Affected({ kind, definition, field, changed }: Props) {
  const t = useTexts('model').affected;
  const collections = useQuery(collectionsQuery(definition.projectId)).data?.data ?? [];
  const components = useQuery(componentsQuery(definition.projectId)).data?.data ?? [];
  const own = changed ? effectsOf(field, changed) : removalOf(field);
  if (own.length === 0) return null;
  if (field.hidden || field.type === 'password') return <Note tone="wait">{t.secret}</Note>;
  const collection = collections.find((one) => one.id === definition.id);
  const places: Place<Collection>[] = kind === 'components' ? placesOf(definition.slug, field, changed === undefined, collections, components) : collection ? [{ collection, effects: own }] : [];
  return places.flatMap(({ collection, effects }) => effects.map((effect) => <Effects key={`${collection.id} ${effect.kind}`} collection={collection} effect={effect} named={kind === 'components'} />));
}

function Effects({ collection, effect, named }: { collection: Collection; effect: Effect; named: boolean }) {
  const t = useTexts('model').affected;
  const format = useFormat();
  const published = useCount(collection, effect, 'published');
  const drafts = useCount(collection, effect, 'with_draft');
  if (published.isError || drafts.isError) return <Note tone="wait">{t.unknown(collection.name)}</Note>;
  if (published.data === undefined || drafts.data === undefined) return <Note>{t.counting}</Note>;
  if (published.data === 0 && drafts.data === 0) return <Note>{t.nothing(collection.name)}</Note>;
  const search: EntriesSearch = { locale: '*', where: effect.where, any: effect.where.length > 1 || undefined };
  const list = { to: '/projects/$projectId/collections/$collectionId', params: { projectId: collection.projectId, collectionId: collection.id }, target: '_blank' } as const;
  return (
    <Note tone="wait">
      {t[effect.kind]}
      {named && ` ${t.within(collection.name)}`}{' '}
      <Link {...list} search={{ ...search, state: 'published' }}>
        {t.published(published.data, format.number(published.data))}
      </Link>
      {', '}
      <Link {...list} search={search}>
        {t.drafts(drafts.data, format.number(drafts.data))}
      </Link>
    </Note>
  );
}

/** Counts the entries in all languages whose published or newest version matches one of the filters. */
function useCount(collection: Collection, { where }: Effect, state: 'published' | 'with_draft') {
  const conditions = where.map(([field, operator, ...values]) => ({ field, operator, values }));
  const [one, ...others] = conditions;
  const query = { locale: '*', state, where: others.length === 0 && one ? [one] : [], or: others.length > 0 ? conditions.map((condition) => [condition]) : [] };
  return useQuery({
    queryKey: ['affected', collection.id, state, where],
    queryFn: async ({ signal }) => {
      const pairs = [...queryPairs(query), ['count', true], ['limit', 1]] as const;
      const path = { projectId: collection.projectId, collectionId: collection.id };
      const page = await dataOf(api.GET('/api/projects/{projectId}/collections/{collectionId}/content', { params: { path }, querySerializer: () => queryString(pairs), signal }));
      return page.meta.total ?? 0;
    },
    retry: false,
  });
}
