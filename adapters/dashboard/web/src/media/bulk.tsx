import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, CircleAlert, FolderInput, Tag, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { useTexts } from '../i18n/language';
import { Note, ProblemLine } from '../ui/basics';
import { Button, IconButton } from '../ui/button';
import { Dialog } from '../ui/overlays';
import { TagsField } from '../ui/tags';
import { dropMedia, mediaUsesQuery, putMedia, refreshMedia } from './data';
import { MoveDialog } from './folder';
import { nameOf, type MediaItem } from './kind';
import styles from './media.module.css';
import { inTurns } from './turns';

type BulkProps = {
  projectId: number;
  selected: ReadonlyMap<number, MediaItem>;
  mayDelete: boolean;
  onSelected: (items: ReadonlyMap<number, MediaItem>) => void;
};

type Result = { item: MediaItem; error?: unknown };

/** The actions on the selected items, and afterwards the result of each. */
export function BulkBar({ projectId, selected, mayDelete, onSelected }: BulkProps) {
  const t = useTexts('media').bulk;
  const [task, setTask] = useState<'tag' | 'move' | 'delete'>();
  return (
    <>
      {selected.size > 0 && (
        <div className={styles.bulk} role="toolbar" aria-label={t.bar}>
          <span role="status">{t.selected(selected.size)}</span>
          <Button icon={<Tag aria-hidden />} onPress={() => setTask('tag')}>
            {t.tag}
          </Button>
          <Button icon={<FolderInput aria-hidden />} onPress={() => setTask('move')}>
            {t.move}
          </Button>
          {mayDelete && (
            <Button kind="danger" icon={<Trash2 aria-hidden />} onPress={() => setTask('delete')}>
              {t.remove}
            </Button>
          )}
          <IconButton label={t.clear} icon={<X aria-hidden />} onPress={() => onSelected(new Map())} />
        </div>
      )}
      {task === 'move' && (
        <MoveDialog
          projectId={projectId}
          ids={[...selected.keys()]}
          onClose={() => setTask(undefined)}
          onMoved={() => {
            setTask(undefined);
            onSelected(new Map());
          }}
        />
      )}
      {task && task !== 'move' && <BulkDialog task={task} projectId={projectId} selected={selected} onSelected={onSelected} onClose={() => setTask(undefined)} />}
    </>
  );
}

function BulkDialog({ task, projectId, selected, onSelected, onClose }: { task: 'tag' | 'delete'; projectId: number; selected: ReadonlyMap<number, MediaItem>; onSelected: BulkProps['onSelected']; onClose: () => void }) {
  const t = useTexts('media').bulk;
  const client = useQueryClient();
  const [items] = useState(() => [...selected.values()]); // the dialog shows all items, even if only failed ones stay selected
  const [tags, setTags] = useState<string[]>([]);
  const [results, setResults] = useState<Result[]>();
  const [pending, setPending] = useState(false);

  const act = async (item: MediaItem) => {
    const params = { path: { projectId, mediaId: item.id } };
    if (task === 'delete') {
      await api.DELETE('/api/projects/{projectId}/media/{mediaId}', { params });
      dropMedia(client, projectId, item.id);
    } else {
      // The tags of the item may have changed since it was listed.
      const now = await dataOf(api.GET('/api/projects/{projectId}/media/{mediaId}', { params }));
      putMedia(client, projectId, await dataOf(api.PATCH('/api/projects/{projectId}/media/{mediaId}', { params, body: { tags: [...new Set([...now.tags, ...tags])] } })));
    }
  };
  const run = async () => {
    setPending(true);
    const done = await inTurns(items, act);
    setPending(false);
    setResults(done);
    onSelected(new Map(done.filter((r) => r.error !== undefined).map((r) => [r.item.id, r.item])));
    if (task === 'delete') await refreshMedia(client, projectId);
  };

  return (
    <Dialog title={results ? t.result : task === 'tag' ? t.tagTitle(items.length) : t.deleteTitle(items.length)} isOpen onClose={onClose} dismissable={!pending}>
      {results ? (
        <Results results={results} task={task} />
      ) : task === 'tag' ? (
        <TagsField label={t.tags} hint={t.tagsHint} value={tags} onChange={setTags} isDisabled={pending} />
      ) : (
        <>
          <p>{t.deleteLead}</p>
          <Kept projectId={projectId} items={items} />
        </>
      )}
      <footer>
        {results ? (
          <Button kind="primary" onPress={onClose}>
            {t.close}
          </Button>
        ) : (
          <>
            <Button onPress={onClose} isDisabled={pending}>
              {t.cancel}
            </Button>
            <Button kind={task === 'delete' ? 'danger' : 'primary'} isPending={pending} isDisabled={task === 'tag' && tags.length === 0} onPress={() => void run()}>
              {task === 'tag' ? t.tag : t.remove}
            </Button>
          </>
        )}
      </footer>
    </Dialog>
  );
}

/** The selected items that cannot be deleted. */
function Kept({ projectId, items }: { projectId: number; items: readonly MediaItem[] }) {
  const t = useTexts('media').bulk;
  const client = useQueryClient();
  const { data: kept } = useQuery({
    queryKey: ['media', projectId, 'kept', items.map((item) => item.id)],
    queryFn: async () => {
      const found: MediaItem[] = [];
      await inTurns(items, async (item) => {
        const { data: uses } = await client.fetchQuery(mediaUsesQuery(projectId, item.id));
        if (uses.some((use) => use.sealed)) found.push(item);
      });
      return found;
    },
  });
  if (!kept?.length) return null;
  return (
    <Note tone="wait" role="status">
      {t.kept(kept.length, kept.length < items.length)}
      <ul>
        {kept.map((item) => (
          <li key={item.id}>{nameOf(item)}</li>
        ))}
      </ul>
    </Note>
  );
}

function Results({ results, task }: { results: Result[]; task: 'tag' | 'delete' }) {
  const t = useTexts('media').bulk;
  const failed = results.filter((r) => r.error !== undefined);
  return (
    <>
      <p role="status">{failed.length === 0 ? (task === 'tag' ? t.allTagged : t.allDeleted)(results.length) : t.some(results.length - failed.length, failed.length)}</p>
      <ul className={styles.results}>
        {[...failed, ...results.filter((r) => r.error === undefined)].map(({ item, error }) => (
          <li key={item.id} data-failed={error !== undefined || undefined}>
            {error === undefined ? <Check aria-label={t.done} /> : <CircleAlert aria-hidden />}
            <span>
              {nameOf(item)}
              {error !== undefined && <Failure error={asApiError(error)} />}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Failure({ error }: { error: ApiError }) {
  const t = useTexts('media').bulk;
  return <small>{error.code === 'in_use' ? t.inUse(error.faults.length) : <ProblemLine error={error} />}</small>;
}
