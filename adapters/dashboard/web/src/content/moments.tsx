import { Link } from '@tanstack/react-router';
import { Download, Eye, Globe, PenLine, Undo2 } from 'lucide-react';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import { Chip, Mono, Time } from '../ui/basics';
import { Button } from '../ui/button';
import type { Collection } from './fields';
import styles from './history.module.css';
import type { HistorySearch, VersionName } from './search';
import type { EntryPath, Moment, Publication, Revision } from './timeline';

type MomentsProps = {
  path: EntryPath;
  collection: Collection;
  moments: readonly Moment[];
  newest: VersionName | undefined;
  from: VersionName | undefined;
  to: VersionName | undefined;
  onChoose: (change: Pick<HistorySearch, 'from' | 'to'>) => void;
  /** undefined: the user may not write. */
  onRestore: ((revision: Revision) => void) | undefined;
};

/** The timeline of an entry. Two columns of radio buttons select the versions to compare. */
export function Moments({ path, collection, moments, newest, from, to, onChoose, onRestore }: MomentsProps) {
  const t = useTexts('content').moments;
  const by = (m: Moment) => actorName('revision' in m ? m.revision.by : m.publication.by);
  const name = (m: Moment) => ('revision' in m ? t.revision(m.revision.number) : t.publication(m.publication.number));
  return (
    <section>
      <h2>{t.timeline}</h2>
      <p className={styles.heads} aria-hidden>
        <span>{t.from}</span>
        <span>{t.to}</span>
      </p>
      <ol className={styles.moments}>
        {moments.map((m) => (
          <li key={m.name} data-shown={m.name === to || m.name === from || undefined}>
            <span className={styles.radios}>
              <label title={t.from}>
                <input type="radio" name="from" aria-label={t.fromThis(name(m))} checked={m.name === from} onChange={() => onChoose({ from: m.name })} />
              </label>
              <label title={t.to}>
                <input type="radio" name="to" aria-label={t.toThis(name(m))} checked={m.name === to} onChange={() => onChoose({ to: m.name })} />
              </label>
            </span>
            <div>
              <h3>
                {'revision' in m ? <PenLine aria-hidden /> : <Globe aria-hidden />}
                {name(m)}
                {m.name === newest && (
                  <Chip tone="accent" plain>
                    {t.now}
                  </Chip>
                )}
                {'publication' in m && m.publication.unpublishedAt === null && <Chip tone="good">{t.readersSee}</Chip>}
              </h3>
              <p>
                {by(m)}, <Time value={m.at} as="dateTime" />
              </p>
              {'revision' in m ? <RevisionFacts revision={m.revision} collection={collection} onRestore={m.name === newest ? undefined : onRestore} /> : <PublicationFacts path={path} publication={m.publication} onRead={() => onChoose({ from: 'none', to: m.name })} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

const maxFields = 4;

function RevisionFacts({ revision, collection, onRestore }: { revision: Revision; collection: Collection; onRestore: ((revision: Revision) => void) | undefined }) {
  const t = useTexts('content').moments;
  const { note } = revision;
  const changed = revision.changed.map((name) => collection.fields.find((f) => f.name === name)?.label ?? name);
  return (
    <>
      {note && <p className={styles.note}>{t.quote(note)}</p>}
      {changed.length > 0 && (
        <p title={changed.join(', ')}>
          {changed.slice(0, maxFields).join(', ')}
          {changed.length > maxFields && ` ${t.more(changed.length - maxFields)}`}
        </p>
      )}
      {onRestore && (
        <Button kind="quiet" icon={<Undo2 aria-hidden />} aria-label={t.restoreThis(revision.number)} onPress={() => onRestore(revision)}>
          {t.restore}
        </Button>
      )}
    </>
  );
}

function PublicationFacts({ path, publication, onRead }: { path: EntryPath; publication: Publication; onRead: () => void }) {
  const t = useTexts('content').moments;
  const { number, releaseNumber, requestId, contentHash, unpublishedAt } = publication;
  const proof = `/api/projects/${path.projectId}/collections/${path.collectionId}/content/${path.contentId}/publications/${number}/proof`;
  return (
    <>
      {unpublishedAt && (
        <p>
          {t.until} <Time value={unpublishedAt} as="dateTime" />
        </p>
      )}
      <p className={styles.hash}>
        {releaseNumber && requestId !== null && (
          <Link to="/review/$projectId/$collectionId/$entryId" params={{ projectId: path.projectId, collectionId: path.collectionId, entryId: path.contentId }}>
            <Mono>{releaseNumber}</Mono>
          </Link>
        )}
        <span title={contentHash}>
          <Mono>
            {contentHash.slice(0, 8)} {contentHash.slice(8, 16)}
          </Mono>
        </span>
      </p>
      <Button kind="quiet" icon={<Eye aria-hidden />} aria-label={t.readThis(number)} onPress={onRead}>
        {t.read}
      </Button>
      <a className={styles.download} href={proof} download={`proof-${path.contentId}-${number}.json`} aria-label={t.proofThis(number)}>
        <Download aria-hidden />
        {t.proof}
      </a>
    </>
  );
}
