import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { Copy, ExternalLink, Replace, Scaling, Trash2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useProject } from '../api/queries';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Problem, Skeleton, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { TextArea } from '../ui/forms';
import { CloseButton, Confirm } from '../ui/overlays';
import { toast } from '../ui/toast';
import { TagsField } from '../ui/tags';
import { mediaItemQuery } from './data';
import { DeleteDialog } from './delete';
import { useEditedWords } from './edit';
import { Focus } from './focus';
import { FolderField } from './folder';
import { kindOf, nameOf, typeName, type MediaItem } from './kind';
import styles from './media.module.css';
import { hasSizes } from './rendition';
import { ReplaceDialog } from './replacedialog';
import { Thumbnail } from './thumbnail';
import { Uses } from './uses';

const Sizes = lazy(() => import('./sizes'));

type DetailsProps = {
  /** Shows another item instead of this one. */
  onOpen: (item: MediaItem) => void;
  projectId: number;
  id: number;
  /** The item from a list, shown until the item itself is loaded. */
  known?: MediaItem;
  onClose: () => void;
};

/** One item: preview, caption, tags, facts and uses. */
export function Details({ projectId, id, known, onClose, onOpen }: DetailsProps) {
  const { data = known, error, refetch } = useQuery(mediaItemQuery(projectId, id));
  if (error) {
    return (
      <div className={styles.details}>
        <header>
          <Problem error={error} retry={() => void refetch()} />
          <CloseButton onPress={onClose} />
        </header>
      </div>
    );
  }
  return data ? <Item key={id} projectId={projectId} item={data} onClose={onClose} onOpen={onOpen} /> : <Skeleton />;
}

function Item({ projectId, item, onClose, onOpen }: Pick<DetailsProps, 'projectId' | 'onClose' | 'onOpen'> & { item: MediaItem }) {
  const t = useTexts('media').details;
  const format = useFormat();
  const client = useQueryClient();
  const project = useProject(projectId);
  const mayWrite = may(project, 'media.write');
  const edited = useEditedWords(projectId, item);
  const [deleting, setDeleting] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const [sizing, setSizing] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);

  // Save changes before the user leaves the page or opens another item.
  const blocker = useBlocker({ shouldBlockFn: async () => !edited.isSaved() && !(await edited.flush()), enableBeforeUnload: () => !edited.isSaved(), withResolver: true });
  // The user opened this item, so the focus follows.
  useEffect(() => void heading.current?.focus({ preventScroll: true }), []);

  const faultAt = (field: string) => {
    const fault = edited.error?.faults.find((f) => f.location === field || f.location.startsWith(field + '['));
    if (!fault) return undefined;
    const index = /\[(\d+)\]/.exec(fault.location)?.[1];
    return index === undefined ? fault.message : `${edited.words.tags[Number(index)] ?? ''}: ${fault.message}`;
  };
  const hasFieldFault = ['caption', 'alt', 'folder', 'tags'].some((field) => faultAt(field) !== undefined);
  const isPicture = kindOf(item.mimeType) === 'image';
  const preview = <Preview item={item} alt={edited.words.alt} />;
  const copy = async () => {
    await navigator.clipboard.writeText(item.fullUrl);
    toast(t.copied);
  };

  return (
    <div
      className={styles.details}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || deleting || replacing || sizing || blocker.status === 'blocked') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {nameOf(item)}
        </h2>
        <CloseButton onPress={onClose} />
      </header>
      <div className={styles.preview}>
        {isPicture && mayWrite ? (
          <Focus item={item} value={edited.words.focalPoint} onChange={(focalPoint) => edited.edit({ focalPoint })}>
            {preview}
          </Focus>
        ) : (
          preview
        )}
      </div>
      <div className={styles.edit}>
        <TextArea
          label={t.caption}
          value={edited.words.caption}
          onChange={(caption) => edited.edit({ caption })}
          onBlur={() => void edited.flush()}
          fault={faultAt('caption')}
          readOnly={!mayWrite}
          rows={3}
        />
        {isPicture && (
          <TextArea
            label={t.alt}
            hint={mayWrite ? t.altHint : undefined}
            value={edited.words.alt}
            onChange={(alt) => edited.edit({ alt })}
            onBlur={() => void edited.flush()}
            fault={faultAt('alt')}
            readOnly={!mayWrite}
            rows={2}
          />
        )}
        <FolderField
          projectId={projectId}
          value={edited.words.folder}
          onChange={(folder) => edited.edit({ folder })}
          onBlur={() => void edited.flush()}
          fault={faultAt('folder')}
          readOnly={!mayWrite}
        />
        <TagsField label={t.tags} hint={mayWrite ? t.tagsHint : undefined} value={edited.words.tags} onChange={(tags) => edited.edit({ tags })} fault={faultAt('tags')} isDisabled={!mayWrite} />
        {edited.error && !hasFieldFault && <Problem error={edited.error} retry={() => void edited.flush()} />}
      </div>
      <p className={styles.saved} role="status">
        {edited.state === 'saved' ? t.saved : edited.state === 'saving' || edited.state === 'changed' ? t.saving : edited.state === 'failed' ? t.unsaved : ''}
      </p>
      <div className={styles.actions}>
        <Button icon={<Copy aria-hidden />} onPress={() => void copy()}>
          {t.copy}
        </Button>
        <Button icon={<ExternalLink aria-hidden />} onPress={() => window.open(item.fullUrl, '_blank', 'noopener')}>
          {t.original}
        </Button>
        {hasSizes(item.mimeType) && (
          <Button icon={<Scaling aria-hidden />} onPress={() => setSizing(true)}>
            {t.sizes}
          </Button>
        )}
        {mayWrite && (
          <Button icon={<Replace aria-hidden />} onPress={() => setReplacing(true)}>
            {t.replace}
          </Button>
        )}
      </div>
      <section>
        <h3>{t.about}</h3>
        <dl className={styles.facts}>
          <Fact name={t.file}>{item.fileName}</Fact>
          <Fact name={t.type}>{typeName(item)}</Fact>
          {item.width !== null && item.height !== null && <Fact name={t.dimensions}>{`${item.width} × ${item.height}`}</Fact>}
          <Fact name={t.size}>{format.bytes(item.size)}</Fact>
          <Fact name={t.uploaded}>
            <Time value={item.createdAt} as="dateTime" />
          </Fact>
        </dl>
      </section>
      <Uses projectId={projectId} mediaId={item.id} />
      {may(project, 'media.delete') && (
        <div className={styles.actions}>
          <Button kind="danger" icon={<Trash2 aria-hidden />} onPress={() => setDeleting(true)}>
            {t.remove}
          </Button>
        </div>
      )}
      <Confirm title={t.leaveTitle} isOpen={blocker.status === 'blocked'} onClose={() => blocker.reset?.()} onConfirm={() => blocker.proceed?.()} action={t.leave} danger>
        <p>{t.leaveText}</p>
      </Confirm>
      {sizing && (
        <Suspense>
          <Sizes item={{ ...item, focalPoint: edited.words.focalPoint }} alt={edited.words.alt || nameOf(item)} onClose={() => setSizing(false)} />
        </Suspense>
      )}
      {replacing && (
        <ReplaceDialog
          projectId={projectId}
          item={item}
          onClose={() => setReplacing(false)}
          onReplaced={(by) => {
            setReplacing(false);
            toast(t.replaced(nameOf(item)));
            onOpen(by);
          }}
        />
      )}
      {deleting && (
        <DeleteDialog
          projectId={projectId}
          item={item}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            edited.discard();
            setDeleting(false);
            onClose();
            toast(t.removed(nameOf(item)));
            void client.invalidateQueries({ queryKey: mediaItemQuery(projectId, item.id).queryKey, refetchType: 'none' });
          }}
        />
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Preview({ item, alt }: { item: MediaItem; alt: string }) {
  const kind = kindOf(item.mimeType);
  const name = nameOf(item);
  if (kind === 'video') return <video src={item.fullUrl} controls preload="metadata" aria-label={name} />;
  if (kind === 'audio') return <audio src={item.fullUrl} controls preload="metadata" aria-label={name} />;
  if (kind !== 'image') return <Thumbnail item={item} />;
  // The aspect ratio reserves the space until the picture is loaded.
  const ratio = item.width && item.height ? { aspectRatio: `${item.width} / ${item.height}` } : undefined;
  return <img src={item.fullWebpUrl ?? item.fullUrl} alt={alt || name} width={item.width ?? undefined} height={item.height ?? undefined} style={ratio} draggable={false} />;
}
