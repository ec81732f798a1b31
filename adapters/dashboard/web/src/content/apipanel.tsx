import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { useCollections } from '../api/queries';
import { useTexts } from '../i18n/language';
import { Note, Problem, Skeleton } from '../ui/basics';
import { Code } from '../ui/code';
import { Segments } from '../ui/segments';
import styles from './api.module.css';
import { graphqlRequest, restRequest, type Form, type Question, type Target } from './apirequest';
import type { Collection } from './fields';
import { queryPairs, queryString, readerQuery, type ListQuery } from './query';
import type { EntriesSearch } from './search';

export type ApiPanelProps = {
  project: Schemas['Project'];
  collection: Collection;
  /** What the page shows: a table with its search parameters, or the id of an entry. */
  of: { search: EntriesSearch } | { entry: number };
};

/** The number of entries in the example response. */
const shown = 3;

/** The request for a list or an entry, in REST and GraphQL, and an example response. */
export default function ApiPanel({ project, collection, of }: ApiPanelProps) {
  const t = useTexts('content').apipanel;
  const collections = useCollections(project.id);
  const [language, setLanguage] = useState<'rest' | 'graphql'>('rest');
  const [form, setForm] = useState<Form>('url');
  const question: Question = 'entry' in of ? of : { list: readerQuery(of.search, collection) };
  const target: Target = { origin: location.origin, projectUuid: project.uuid, collection, collections };
  const request = language === 'rest' ? restRequest(target, question, form) : graphqlRequest(target, question, form);
  const drafts = 'list' in question && question.list.state !== undefined;
  if ('search' in of && of.search.state === 'trash') return <Note>{t.trash}</Note>;
  return (
    <>
      <div className={styles.choices}>
        <Segments
          label={t.language}
          value={language}
          onChange={setLanguage}
          options={[
            { id: 'rest', label: 'REST' },
            { id: 'graphql', label: 'GraphQL' },
          ]}
        />
        <Segments
          label={t.form}
          value={form}
          onChange={setForm}
          options={[
            { id: 'url', label: language === 'rest' ? 'URL' : t.query },
            { id: 'curl', label: 'curl' },
            { id: 'fetch', label: 'fetch' },
          ]}
        />
      </div>
      {'search' in of && of.search.status && <Note>{t.noStatus}</Note>}
      {'search' in of && of.search.by && <Note>{t.noEditor}</Note>}
      {'search' in of && of.search.outdated && <Note>{t.noOutdated}</Note>}
      {request === undefined ? <Note>{t.noOr}</Note> : <Code label={t.request} text={request} texts={{ copy: t.copy, copyThis: t.copyThis, copied: t.copied }} />}
      <p className={styles.remark}>
        {drafts ? t.draftToken : t.token}{' '}
        <Link to="/projects/$projectId/tokens" params={{ projectId: project.id }}>
          {t.tokens}
        </Link>
      </p>
      <h3>{t.answer}</h3>
      <Answer project={project} collection={collection} question={question} />
    </>
  );
}

function Answer({ project, collection, question }: { project: Schemas['Project']; collection: Collection; question: Question }) {
  const t = useTexts('content').apipanel;
  const { data, error, refetch } = useQuery({
    queryKey: ['api-answer', collection.id, question],
    queryFn: async ({ signal }): Promise<object | null> => ('entry' in question ? publishedEntry(project.id, collection.id, question.entry, signal) : publishedList(project.id, collection.id, question.list, signal)),
    staleTime: 0,
  });
  if (error) return asApiError(error).status === 404 ? <Note>{t.notPublished}</Note> : <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton />;
  if (data === null) return <Note>{t.notPublished}</Note>;
  return (
    <>
      <Code label={t.answer} text={JSON.stringify(data, null, 2)} texts={{ copy: t.copy, copyThis: t.copyThis, copied: t.copied }} />
      <p className={styles.remark}>{'list' in question ? t.differsList(shown) : t.differs}</p>
    </>
  );
}

type Reader = { id: number; locale: string; publishedAt: string | null } & Record<string, unknown>;

const content = '/api/projects/{projectId}/collections/{collectionId}/content';

async function published(projectId: number, collectionId: number, entry: Schemas['ManagedEntry'], signal: AbortSignal): Promise<Reader | null> {
  const versions = await dataOf(api.GET(`${content}/{contentId}/versions`, { params: { path: { projectId, collectionId, contentId: entry.id } }, signal }));
  return versions.published && { id: entry.id, locale: entry.locale, publishedAt: entry.publishedAt, ...versions.published };
}

async function publishedEntry(projectId: number, collectionId: number, contentId: number, signal: AbortSignal) {
  const entry = await dataOf(api.GET(`${content}/{contentId}`, { params: { path: { projectId, collectionId, contentId } }, signal }));
  return published(projectId, collectionId, entry, signal);
}

/** The first entries of a list as a token reads it: published versions, or drafts if the query has a state. */
async function publishedList(projectId: number, collectionId: number, list: ListQuery, signal: AbortSignal) {
  const pairs = [...queryPairs({ ...list, state: list.state ?? 'published' }), ['limit', shown]] as [string, string][];
  const page = await dataOf(api.GET(content, { params: { path: { projectId, collectionId } }, querySerializer: () => queryString(pairs), signal }));
  const data = await Promise.all(
    page.data.map((entry) => (list.state === undefined ? published(projectId, collectionId, entry, signal) : { id: entry.id, locale: entry.locale, publishedAt: entry.publishedAt, ...entry.fields })),
  );
  return { data: data.filter((entry) => entry !== null), meta: page.meta };
}
