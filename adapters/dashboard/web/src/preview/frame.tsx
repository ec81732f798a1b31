import { RotateCw, X } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { api, dataOf, type Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note, Problem } from '../ui/basics';
import { IconButton } from '../ui/button';
import { previewAddress, type Previewed } from './address';
import { Connection, type FrameState } from './connection';
import type { FromFrame } from './messages';
import styles from './preview.module.css';

type Version = Schemas['PreviewInput']['of'];
export type Others = 'published' | 'drafts';

type Props = {
  projectId: number;
  collection: Schemas['Collection'];
  entry: Previewed;
  /** The version that the page shows. */
  of: Version;
  /** What it shows of all other entries. */
  others: Others;
  /** Changes when the version was saved. */
  version?: number;
  /** The path of the field in focus, as sites mark their elements: "12:title"; "" for none. */
  focus?: string;
  /** A click on an element of a field, with its path. */
  onOpen?: (path: string) => void;
  onClose?: () => void;
  /** Beside the state of the frame. */
  controls?: ReactNode;
  /** Why the page does not show what is in the form. */
  problem?: ReactNode;
};

/** The page of a site in a frame, with what is wrong with it. */
export function SiteFrame({ projectId, collection, entry, of, others, version = 0, focus = '', onOpen, onClose, controls, problem }: Props) {
  const t = useTexts('preview').frame;
  const format = useFormat();
  const element = useRef<HTMLIFrameElement>(null);
  const address = previewAddress(collection.previewUrl ?? '', entry);
  const url = 'url' in address ? address.url : undefined;
  const [state, setState] = useState<FrameState>({ kind: 'loading' });
  const latest = useRef({ of, others, onOpen });
  latest.current = { of, others, onOpen };
  const path = { projectId, collectionId: collection.id, contentId: entry.id };
  const [connection] = useState(
    () =>
      new Connection({
        token: () => {
          const { of, others } = latest.current;
          return dataOf(api.POST('/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/preview', { params: { path }, body: { of, others } }));
        },
        post: (message) => element.current?.contentWindow?.postMessage(message, location.origin),
        open: (path) => latest.current.onOpen?.(path),
        changed: setState,
      }),
  );
  useEffect(() => {
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (source === element.current?.contentWindow && origin === location.origin) connection.hear(data as FromFrame | null);
    };
    const wake = () => document.visibilityState === 'visible' && connection.wake();
    connection.open();
    addEventListener('message', hear);
    document.addEventListener('visibilitychange', wake);
    return () => {
      removeEventListener('message', hear);
      document.removeEventListener('visibilitychange', wake);
      connection.close();
    };
  }, [connection]);
  const seen = useRef({ version, of: JSON.stringify(of), others });
  useEffect(() => {
    const before = seen.current;
    seen.current = { version, of: JSON.stringify(of), others };
    if (url !== undefined) connection.show(url, t.page);
    if (before.of !== seen.current.of || before.others !== others) connection.replace();
    else if (before.version !== version) connection.draw();
  }, [connection, version, of, others, url, t]);
  useEffect(() => {
    connection.focus(focus);
  }, [connection, focus]);
  const origin = url === undefined ? '' : new URL(url).origin;
  const labelOf = (name: string) => collection.fields.find((f) => f.name === name)?.label ?? name;
  return (
    <section className={styles.site} aria-label={t.label}>
      <header>
        {controls}
        <span role="status">{url !== undefined && (state.kind === 'loading' || state.kind === 'drawing' || state.kind === 'shown') && t.states[state.kind]}</span>
        <IconButton label={t.again} icon={<RotateCw aria-hidden />} onPress={() => connection.again()} />
        {onClose && <IconButton label={t.close} icon={<X aria-hidden />} onPress={onClose} />}
      </header>
      <div className={styles.notes} role="status">
        {problem && <Note tone="wait">{problem}</Note>}
        {'missing' in address ? (
          <Note>{t.missing(format.list(address.missing.map(labelOf)))}</Note>
        ) : (
          <>
            {state.kind === 'silent' && <Note tone="bad">{t.silent(origin)}</Note>}
            {state.kind === 'failed' && <Note tone="bad">{t.failed(origin)}</Note>}
            {state.kind === 'blocked' && <Note tone="bad">{t.blocked(origin, hostOf(state.by))}</Note>}
            {state.kind === 'refused' && <Problem error={state.error} retry={() => connection.again()} />}
          </>
        )}
      </div>
      <iframe ref={element} className={styles.frame} title={t.label} src={`/dashboard/frame/${projectId}`} hidden={url === undefined} />
    </section>
  );
}

/** The origin of an address that the browser has not opened; some browsers tell no more than its scheme. */
function hostOf(address: string) {
  try {
    return new URL(address).origin;
  } catch {
    return address;
  }
}
