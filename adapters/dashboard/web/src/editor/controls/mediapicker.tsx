import { keepPreviousData } from '@tanstack/react-query';
import { FileText, Search, Upload } from 'lucide-react';
import { useEffect, useState } from 'react';
import { DropZone, FileTrigger } from 'react-aria-components';
import { $api, api, dataOf, type Schemas } from '../../api/client';
import { asApiError, type ApiError } from '../../api/error';
import { queryClient } from '../../api/queries';
import { may } from '../../api/rights';
import { texts, useTexts } from '../../i18n/language';
import { Problem } from '../../ui/basics';
import { Button } from '../../ui/button';
import { inputClass } from '../../ui/forms';
import { CloseButton, Dialog } from '../../ui/overlays';
import styles from './mediapicker.module.css';

type Item = Schemas['MediaItem'];
type Props = { project: Schemas['Project']; type?: 'image'; onPick: (item: Item) => void; onClose: () => void };

const perPage = 24;

/** A dialog that searches the library and uploads files. */
export default function MediaPicker({ project, type, onPick, onClose }: Props) {
  const t = useTexts(words);
  const [text, setText] = useState('');
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const [error, setError] = useState<ApiError>();
  const [uploading, setUploading] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSearch(text.trim());
      setPage(1);
    }, 200);
    return () => clearTimeout(timer);
  }, [text]);
  const list = $api.useQuery(
    'get',
    '/api/projects/{projectId}/media',
    { params: { path: { projectId: project.id }, query: { page, perPage, type, ...(search && { search }) } } },
    { placeholderData: keepPreviousData },
  );

  const upload = async (files: Iterable<File>) => {
    const [file] = files;
    if (!file || uploading) return;
    setUploading(true);
    setError(undefined);
    try {
      const item = await dataOf(
        api.POST('/api/projects/{projectId}/media/upload', {
          params: { path: { projectId: project.id }, header: { 'Idempotency-Key': crypto.randomUUID() } },
          body: { file: '' },
          bodySerializer: () => {
            const form = new FormData();
            form.append('file', file);
            return form;
          },
        }),
      );
      void queryClient.invalidateQueries({ queryKey: ['get', '/api/projects/{projectId}/media'] });
      onPick(item);
    } catch (caught) {
      setError(asApiError(caught));
      setUploading(false);
    }
  };

  const items = list.data?.data ?? [];
  const mayUpload = may(project, 'media.write');
  return (
    <Dialog title={type === 'image' ? t.picture : t.title} isOpen onClose={onClose} size="large">
      <div className={styles.head}>
        <span className={styles.search}>
          <Search aria-hidden />
          <input className={inputClass} type="search" aria-label={t.search} placeholder={t.search} value={text} onChange={(e) => setText(e.target.value)} autoFocus />
        </span>
        {mayUpload && (
          <FileTrigger acceptedFileTypes={type === 'image' ? ['image/*'] : undefined} onSelect={(files) => files && void upload(files)}>
            <Button icon={<Upload aria-hidden />} isPending={uploading}>
              {uploading ? t.uploading : t.upload}
            </Button>
          </FileTrigger>
        )}
      </div>
      {error && <Problem error={error} />}
      {list.error && <Problem error={list.error} retry={() => void list.refetch()} />}
      <DropZone
        className={styles.zone!}
        aria-label={t.drop}
        isDisabled={!mayUpload}
        getDropOperation={(types) => (types.has('image/png') || mayUpload ? 'copy' : 'cancel')}
        onDrop={(event) => {
          const item = event.items.find((one) => one.kind === 'file');
          if (item) void item.getFile().then((file) => upload([file]));
        }}
      >
        {items.length > 0 ? (
          <ul className={styles.grid}>
            {items.map((item) => (
              <li key={item.id}>
                <button onClick={() => onPick(item)}>
                  {item.thumbUrl ? <img src={item.thumbWebpUrl ?? item.thumbUrl} alt="" loading="lazy" /> : <span className={styles.file}>{<FileText aria-hidden />}</span>}
                  <span>{item.caption || item.fileName}</span>
                </button>
              </li>
            ))}
          </ul>
        ) : (
          list.data && <p className={styles.empty}>{search ? t.nothing : mayUpload ? t.emptyUpload : t.empty}</p>
        )}
      </DropZone>
      <footer>
        {page > 1 && <Button onPress={() => setPage(page - 1)}>{t.previous}</Button>}
        {list.data?.meta.hasMore && <Button onPress={() => setPage(page + 1)}>{t.next}</Button>}
        <CloseButton />
      </footer>
    </Dialog>
  );
}

const words = texts({
  en: {
    title: 'Choose a medium',
    picture: 'Choose a picture',
    search: 'Search captions, names and tags',
    upload: 'Upload',
    uploading: 'Uploading…',
    drop: 'Files can be dropped here',
    nothing: 'Nothing found.',
    empty: 'The library is empty.',
    emptyUpload: 'The library is empty. Upload the first file, or drop it here.',
    previous: 'Newer',
    next: 'Older',
  },
  de: {
    title: 'Medium wählen',
    picture: 'Bild wählen',
    search: 'Bildtexte, Namen und Schlagwörter durchsuchen',
    upload: 'Hochladen',
    uploading: 'Wird hochgeladen…',
    drop: 'Dateien können hierher gezogen werden',
    nothing: 'Nichts gefunden.',
    empty: 'Noch keine Medien.',
    emptyUpload: 'Noch keine Medien. Laden Sie die erste Datei hoch, oder ziehen Sie sie hierher.',
    previous: 'Neuere',
    next: 'Ältere',
  },
});
