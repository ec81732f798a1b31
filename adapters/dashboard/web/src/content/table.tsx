import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ListFilter, Plus, Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { $api } from '../api/client';
import { useCollections, useProject } from '../api/queries';
import { may } from '../api/rights';
import { governing } from '../editor/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { NotFound } from '../shell/failed';
import { Page, PageHead } from '../shell/page';
import { Empty } from '../ui/basics';
import { Button, ButtonLink, IconButton } from '../ui/button';
import { inputClass, Select } from '../ui/forms';
import { Popover } from '../ui/popover';
import { useSelection } from '../ui/selection';
import { useMedia } from '../ui/usemedia';
import { ApiButton } from './apibutton';
import { ColumnChooser } from './columnchooser';
import { EditorSelect } from './editorselect';
import { FilterEditor, useFilterWords } from './filtereditor';
import type { ManagedEntry } from './fields';
import { Grid, narrowScreen } from './grid';
import { nextSort } from './query';
import { listOf, useTotal } from './rows';
import type { EntriesSearch, Filter } from './search';
import { Single } from './single';
import { SelectionBar } from './selectionbar';
import { StateSelect } from './stateselect';
import styles from './table.module.css';
import { ViewMenu } from './viewmenu';

const route = getRouteApi('/app/projects/$projectId/collections/$collectionId');

/** The entries of a collection as a table. The URL contains its filters, sort and columns. */
export function EntriesPage() {
  const { projectId, collectionId } = route.useParams();
  const project = useProject(projectId);
  const collection = useCollections(projectId).find((c) => c.id === collectionId);
  const { state } = route.useSearch();
  if (!project || !collection) return <NotFound />;
  if (collection.singleton && state !== 'trash') return <Single key={collectionId} project={project} collection={collection} />;
  return <Entries key={collectionId} project={project} collection={collection} />;
}

type EntriesProps = { project: NonNullable<ReturnType<typeof useProject>>; collection: ReturnType<typeof useCollections>[number] };

function Entries({ project, collection }: EntriesProps) {
  const t = useTexts('content').table;
  const format = useFormat();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const collections = useCollections(project.id);
  const { total, counting } = useTotal(project, collection, search);
  const selection = useSelection<ManagedEntry>(JSON.stringify(listOf(search)));
  const writes = may(project, 'content.write');
  const governed = useQuery({ ...$api.queryOptions('get', '/api/projects/{projectId}/approval-workflow/effective', { params: { path: { projectId: project.id } } }), enabled: writes && may(project, 'project.workflow.view') }).data?.workflow;
  const [selectingAll, selectAll] = useState(false);
  const narrow = useMedia(narrowScreen);

  const show = (change: Partial<EntriesSearch>, replace = false) => void navigate({ search: (old) => ({ ...old, ...change }), replace });
  const filters = search.where ?? [];
  const filterWords = useFilterWords(project, collection, collections, filters);
  const setFilters = (where: Filter[]) => show({ where: where.length > 0 ? where : undefined, any: where.length > 1 ? search.any : undefined });
  const inTrash = search.state === 'trash';
  const narrowed = Boolean(search.q ?? search.where ?? search.state ?? search.status ?? search.by ?? search.outdated);

  const create = writes && (
    <ButtonLink kind="primary" icon={<Plus aria-hidden />} to="/projects/$projectId/collections/$collectionId/new" params={{ projectId: project.id, collectionId: collection.id }}>
      {t.create}
    </ButtonLink>
  );
  const empty = inTrash ? (
    <Empty title={t.trashEmpty}>
      <p>{t.trashWhy}</p>
    </Empty>
  ) : narrowed ? (
    <Empty title={t.noMatch}>
      <p>{t.noMatchWhy}</p>
      <Button onPress={() => show({ q: undefined, where: undefined, any: undefined, state: undefined, status: undefined, by: undefined, outdated: undefined })}>{t.showAll}</Button>
    </Empty>
  ) : (
    <Empty title={t.none(collection.name)}>
      <p>{writes ? t.noneWhy : t.noneYet}</p>
      {create}
    </Empty>
  );

  return (
    <Page title={collection.name} width="full" actions={<><ApiButton project={project} collection={collection} of={{ search }} />{create}</>}>
      <div className={styles.frame}>
        <PageHead title={collection.name} lead={<span role="status">{inTrash ? t.inTrash : counting ? t.counting : total !== undefined && t.count(total, format.number(total))}</span>}>
          <ViewMenu collectionId={collection.id} search={search} onOpen={(view) => void navigate({ search: view })} />
          {!narrow && <ColumnChooser collection={collection} columns={search.columns} onChange={(columns) => show({ columns }, true)} />}
        </PageHead>
        <div className={styles.tools} role="search" aria-label={t.narrow}>
          {!inTrash && <SearchField value={search.q ?? ''} onChange={(q) => show({ q: q || undefined }, true)} />}
          <StateSelect project={project} search={search} onChange={show} />
          {!inTrash && <EditorSelect project={project} by={search.by} onChange={(by) => show({ by })} />}
          {!inTrash && project.locales.length > 1 && (
            <Select
              label={t.locale}
              hideLabel
              value={search.locale ?? project.defaultLocale}
              onChange={(locale) => show({ locale: locale === project.defaultLocale ? undefined : locale })}
              options={[...project.locales.map((l) => ({ id: l, label: format.locale(l) })), { id: '*', label: t.allLocales }]}
            />
          )}
          {!inTrash && (
            <Popover
              label={t.addFilter}
              trigger={
                <Button icon={<ListFilter aria-hidden />}>
                  <span className={styles.word}>{t.filter}</span>
                </Button>
              }
            >
              {(close) => (
                <FilterEditor
                  project={project}
                  collection={collection}
                  collections={collections}
                  onApply={(filter) => {
                    setFilters([...filters, filter]);
                    close();
                  }}
                />
              )}
            </Popover>
          )}
        </div>
        {!inTrash && filters.length > 0 && (
          <ul className={styles.filters} aria-label={t.filters}>
            {filters.map((filter, i) => (
              <li key={i}>
                <Popover label={t.editFilter} trigger={<Button kind="quiet">{filterWords(filter)}</Button>}>
                  {(close) => (
                    <FilterEditor
                      project={project}
                      collection={collection}
                      collections={collections}
                      filter={filter}
                      onApply={(changed) => {
                        setFilters(filters.with(i, changed));
                        close();
                      }}
                    />
                  )}
                </Popover>
                <IconButton label={t.removeFilter(filterWords(filter))} icon={<X aria-hidden />} onPress={() => setFilters(filters.toSpliced(i, 1))} />
              </li>
            ))}
            {filters.length > 1 && (
              <li data-plain>
                <Select
                  label={t.match}
                  hideLabel
                  value={search.any ? 'any' : 'all'}
                  onChange={(match) => show({ any: match === 'any' || undefined })}
                  options={[
                    { id: 'all', label: t.matchAll },
                    { id: 'any', label: t.matchAny },
                  ]}
                />
              </li>
            )}
          </ul>
        )}
        <Grid
          // A new key remounts the grid, so that another list starts at its top.
          key={JSON.stringify(listOf(search))}
          project={project}
          collection={collection}
          collections={collections}
          search={search}
          total={total}
          selection={writes ? selection : undefined}
          onSort={(field, add) => show({ sort: nextSort(search.sort, field, add) }, true)}
          onSelectAll={() => selectAll(true)}
          empty={empty}
        />
        {writes && <SelectionBar project={project} collection={collection} search={search} total={total} selection={selection} governed={governing(governed, collection) != null} selectingAll={selectingAll} setSelectingAll={selectAll} />}
      </div>
    </Page>
  );
}

/** A search field that searches 250 ms after the last keystroke. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useTexts('content').table;
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const change = useRef(onChange);
  change.current = onChange;
  // The URL can change without typing: the user opens a view or goes back.
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      change.current(text);
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label className={styles.find}>
      <Search aria-hidden />
      <input className={inputClass} type="search" value={text} onChange={(event) => setText(event.target.value)} placeholder={t.search} aria-label={t.search} />
    </label>
  );
}
