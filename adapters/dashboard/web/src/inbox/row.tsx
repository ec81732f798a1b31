import { Link } from '@tanstack/react-router';
import { FileText, MessageSquare, Package } from 'lucide-react';
import type { Schemas } from '../api/client';
import { useSession } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { reviewLink, titleOf } from '../review/open';
import { requestTones } from '../review/status';
import { OnBehalf, StepBar } from '../review/steps';
import { actorName } from '../ui/actor';
import { Chip, Mono, Time, useNow } from '../ui/basics';
import { SelectBox } from '../ui/selectbox';
import styles from './inbox.module.css';
import { late, type ListTab } from './queries';
import type { InboxSearch } from './search';

type Request = Schemas['ApprovalRequest'];

type RowProps = {
  tab: ListTab;
  request: Request;
  projectName?: string;
  search: InboxSearch;
  /** undefined: requests cannot be selected. */
  selected: boolean | undefined;
  /** range: select from the last one to this one. */
  onToggle: (request: Request, range: boolean) => void;
};

/** A request in a list of the inbox. The whole row is a link to its review. */
export function RequestRow({ tab, request, projectName, search, selected, onToggle }: RowProps) {
  const t = useTexts('inbox').row;
  const format = useFormat();
  const own = tab === 'submitted' || tab === 'returned';
  // The author needs the reason of the rejection or revision request.
  const answer = request.status === 'rejected' || request.status === 'revision_requested' ? request.actions.at(-1) : undefined;
  const title = titleOf(request) ?? t.untitled(request.entryId ?? 0);
  const Icon = request.kind === 'release' ? Package : FileText;
  return (
    <li data-selected={selected || undefined}>
      {selected !== undefined && <SelectBox className={styles.check} label={t.select(title)} isSelected={selected} onToggle={(range) => onToggle(request, range)} />}
      <Link
        className={styles.row}
        data-row={request.id}
        onClick={(event) => {
          if (selected === undefined || !event.shiftKey) return;
          event.preventDefault();
          onToggle(request, true);
        }}
        {...reviewLink(request, { project: search.project, sort: tab === 'waiting' && search.sort !== 'oldest' ? search.sort : undefined })}
      >
        <Icon aria-hidden />
        <span className={styles.what}>
          <span className={styles.title}>{title}</span>
          <span className={styles.meta}>
            <Mono>{request.releaseNumber}</Mono>
            <span>{projectName}</span>
            {request.locale !== null ? <abbr title={format.locale(request.locale)}>{request.locale}</abbr> : <span>{t.release}</span>}
            {!own && <span>{t.by(request.submittedBy.name)}</span>}
            {request.openComments > 0 && (
              <span className={styles.said}>
                <MessageSquare aria-hidden />
                <span aria-hidden>{format.number(request.openComments)}</span>
                <span className="visually-hidden">{t.openComments(request.openComments, format.number(request.openComments))}</span>
              </span>
            )}
            {request.canActFor && <OnBehalf row={request.canActFor} />}
          </span>
          {own && answer?.comment && (
            <span className={styles.answer}>
              {actorName(answer.actor)}: <q>{answer.comment}</q>
            </span>
          )}
        </span>
        <span className={styles.state}>{request.status === 'pending' ? <StepBar request={request} /> : <Status request={request} />}</span>
        <Due request={request} />
        <End tab={tab} request={request} />
      </Link>
    </li>
  );
}

function Status({ request }: { request: Request }) {
  return <Chip tone={requestTones[request.status]}>{useTexts('common').requestStatus[request.status]}</Chip>;
}

/** The time of publication, planned or past. */
function Due({ request }: { request: Request }) {
  const t = useTexts('inbox').row;
  if (request.status === 'published' && request.publishedAt) {
    return (
      <span className={styles.due}>
        <small>{t.wentOut}</small>
        <Time value={request.publishedAt} as="planned" />
      </span>
    );
  }
  if (request.status !== 'pending' && request.status !== 'approved') return <span className={styles.due} />;
  return (
    <span className={styles.due} data-time={request.scheduledPublishAt ? true : undefined}>
      <small>{t.goesOut}</small>
      {request.scheduledPublishAt ? <Time value={request.scheduledPublishAt} as="planned" /> : t.onApproval}
    </span>
  );
}

/** The last column: how long a request has waited, or when the user decided. */
function End({ tab, request }: { tab: ListTab; request: Request }) {
  const t = useTexts('inbox').row;
  const now = useNow();
  const me = useSession().id;
  if (tab === 'decided') {
    const mine = request.actions.findLast((a) => a.actor.kind === 'user' && a.actor.id === me && a.type in t.decisions);
    return (
      <span className={styles.end}>
        {mine && (
          <>
            <small>{t.decisions[mine.type as keyof typeof t.decisions]}</small>
            <Time value={mine.createdAt} as="planned" />
          </>
        )}
      </span>
    );
  }
  if (request.status !== 'pending') {
    return (
      <span className={styles.end}>
        <small>{t.submitted}</small>
        <Time value={request.submittedAt} as="planned" />
      </span>
    );
  }
  const isLate = late(request, now);
  return (
    <span className={styles.end} data-late={isLate || undefined}>
      <small>{isLate ? t.late : t.waits}</small>
      <Time value={request.submittedAt} as="duration" />
      {request.dueAt && (
        <small>
          {t.due} <Time value={request.dueAt} as="planned" />
        </small>
      )}
    </span>
  );
}
