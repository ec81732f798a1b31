import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Said } from '../faults/said';
import { useTexts } from '../i18n/language';
import { Empty, Mono, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { Paged } from '../ui/paged';
import styles from './notices.module.css';
import { distinct, noticesQuery, useRead, type Notice } from './queries';
import { pathOf } from './said';
import { Sentence } from './sentence';

/** Marks all notices that were shown as read. */
export function ReadAll() {
  const t = useTexts('notices').list;
  const read = useRead();
  const shown = useInfiniteQuery(noticesQuery).data?.pages.flatMap(({ data }) => data) ?? [];
  if (!shown.some(({ readAt }) => readAt === null)) return null;
  return (
    <Button kind="quiet" isPending={read.isPending} onPress={() => read.mutate({ before: shown[0]!.at })}>
      {t.readAll}
    </Button>
  );
}

/** The notices, the newest first. onOpen is called when the user opens one. */
export function NoticeList({ onOpen }: { onOpen?: () => void }) {
  const t = useTexts('notices').list;
  const query = useInfiniteQuery(noticesQuery);
  return (
    <Paged query={query} items={distinct(query.data?.pages ?? [])} none={<Empty title={t.none} children={<p>{t.noneHint}</p>} />} more={t.more}>
      {(found) => (
        <ul className={styles.list} aria-label={t.notices}>
          {found.map((notice) => (
            <Row key={notice.id} notice={notice} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </Paged>
  );
}

function Row({ notice, onOpen }: { notice: Notice; onOpen?: () => void }) {
  const t = useTexts('notices').list;
  const read = useRead();
  const unread = notice.readAt === null;
  const open = () => {
    if (unread) read.mutate({ ids: [notice.id] });
    onOpen?.();
  };
  return (
    <li data-unread={unread || undefined}>
      <Link to={pathOf(notice.link) as never} onClick={open} preload={false}>
        <span className={styles.said}>
          {unread && <span className="visually-hidden">{t.unread}: </span>}
          <Sentence notice={notice} />
        </span>
        <Comment notice={notice} />
        <small>
          <Time value={notice.at} />
          {notice.projectName && <span>{notice.projectName}</span>}
          {notice.releaseNumber && <Mono>{notice.releaseNumber}</Mono>}
        </small>
      </Link>
    </li>
  );
}

/** What a person wrote, or why something failed. */
function Comment({ notice: { kind, comment } }: { notice: Notice }) {
  const off: Partial<Record<string, string>> = useTexts('notices').list.off;
  if (!comment) return null;
  if (kind === 'webhook_off') return <span className={styles.why}>{off[comment] ?? comment}</span>;
  if (kind === 'publication_failed') {
    return (
      <span className={styles.why}>
        <Said text={comment} />
      </span>
    );
  }
  return <q className={styles.comment}>{comment}</q>;
}
