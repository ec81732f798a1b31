import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client';
import { asApiError, type ApiError } from '../api/error';
import { same } from '../ui/formvalues';
import { putMedia, refreshMedia } from './data';
import type { MediaItem } from './kind';
import type { Point } from './point';

type Words = { caption: string; alt: string; folder: string; focalPoint: Point | null; tags: string[] };

const wordsOf = ({ caption, alt, folder, focalPoint, tags }: MediaItem): Words => ({ caption: caption ?? '', alt: alt ?? '', folder, focalPoint, tags });

const texts = ['caption', 'alt', 'folder'] as const;

const pause = 1_000; // ms after the last key

/**
 * The words of an item while they are edited. They are saved a second after the last
 * key, and by flush, which returns whether everything is saved. Saves never overlap.
 */
export function useEditedWords(projectId: number, item: MediaItem) {
  const client = useQueryClient();
  const [words, setWords] = useState(() => wordsOf(item));
  const [state, setState] = useState<'unchanged' | 'changed' | 'saving' | 'saved' | 'failed'>('unchanged');
  const [error, setError] = useState<ApiError>();
  const latest = useRef(words);
  const saved = useRef(words);
  const running = useRef<Promise<boolean>>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Take over changes made elsewhere, unless the user has unsaved ones: a save sends all tags.
  useEffect(() => {
    const now = wordsOf(item);
    const before = saved.current;
    // The API trims captions. The input keeps its spaces, because the user may go on typing.
    if (latest.current !== before || (same(now.tags, before.tags) && same(now.focalPoint, before.focalPoint) && texts.every((name) => now[name].trim() === before[name].trim()))) return;
    latest.current = saved.current = now;
    setWords(now);
  }, [item]);

  const save = async (): Promise<boolean> => {
    const sent = latest.current;
    if (sent === saved.current) return true;
    setState('saving');
    try {
      const body = {
        ...(sent.caption !== saved.current.caption && { caption: sent.caption.trim() === '' ? null : sent.caption }),
        ...(sent.alt !== saved.current.alt && { alt: sent.alt.trim() === '' ? null : sent.alt }),
        ...(sent.folder !== saved.current.folder && { folder: sent.folder.trim() }),
        ...(sent.focalPoint !== saved.current.focalPoint && { focalPoint: sent.focalPoint }),
        ...(sent.tags !== saved.current.tags && { tags: sent.tags }),
      };
      const after = await dataOf(api.PATCH('/api/projects/{projectId}/media/{mediaId}', { params: { path: { projectId, mediaId: item.id } }, body }));
      putMedia(client, projectId, after);
      if ('folder' in body) void refreshMedia(client, projectId);
      saved.current = sent;
      setError(undefined);
      if (latest.current !== sent) return save();
      setState('saved');
      return true;
    } catch (caught) {
      setError(asApiError(caught));
      setState('failed');
      return false;
    }
  };
  const flush = () => {
    clearTimeout(timer.current);
    running.current ??= save().finally(() => (running.current = undefined));
    return running.current;
  };
  const edit = (change: Partial<Words>) => {
    latest.current = { ...latest.current, ...change };
    setWords(latest.current);
    setState('changed');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void flush(), pause);
  };

  return {
    words,
    edit,
    flush,
    state,
    error,
    isSaved: () => latest.current === saved.current,
    /** Discards unsaved changes. */
    discard: () => {
      clearTimeout(timer.current);
      latest.current = saved.current;
    },
  };
}
