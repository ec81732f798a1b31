import { Eye, Users } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSession } from '../api/queries';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import { Mono, Note, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { toast } from '../ui/toast';
import { obstacle } from './foureyes';
import type { Answer, Request } from './queries';
import styles from './review.module.css';
import { applying, currentIndex, stepOf, useStepName } from './steps';

// What few reviews show. It loads on demand.

/** What was said about earlier requests since the last publication. */
export function EarlierComments({ comments }: { comments: Answer[] }) {
  const t = useTexts('review').panel;
  const did = useTexts('common').requestStatus;
  const stepName = useStepName();
  return (
    <section>
      <h2>{t.earlier}</h2>
      <ul className={styles.comments}>
        {comments.map(({ request, action }) => {
          const step = stepOf(request, action);
          return (
            <li key={action.id}>
              <b>{actorName(action.actor)}</b> {step && `(${stepName(step)}) `}
              <Time value={action.createdAt} as="dateTime" />
              <blockquote>{action.comment}</blockquote>
              <small>
                <Mono>{request.releaseNumber}</Mono> {did[request.status]}
              </small>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Shows which user decided while the page was open, and the current state. */
export function Lost({ before, now, comment }: { before: Request; now: Request; comment: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => void box.current?.focus(), [now.id]);
  const t = useTexts('review').panel;
  const stepName = useStepName();
  const action = now.actions.findLast((a) => !before.actions.some((b) => b.id === a.id) && a.type !== 'publish') ?? now.actions.at(-1);
  const steps = applying(now);
  const step = steps[currentIndex(now)];
  return (
    <div ref={box} tabIndex={-1}>
    <Note tone="wait" role="alert" icon={<Users aria-hidden />}>
      <p>{t.notSent}</p>
      {now.id !== before.id ? (
        <p>{t.otherRequest(now.releaseNumber)}</p>
      ) : (
        action && (
          <p>
            {t.did[action.type](actorName(action.actor))} <Time value={action.createdAt} />
            {action.comment && (
              <>
                : <q>{action.comment}</q>
              </>
            )}
          </p>
        )
      )}
      <p>{step ? t.nowAt(currentIndex(now) + 1, steps.length, stepName(step)) : t.nowIs[now.status]}</p>
      {comment.trim() && (
        <>
          <p>{t.yourWords}</p>
          <blockquote className={styles.kept}>{comment}</blockquote>
          <Button onPress={() => void navigator.clipboard.writeText(comment).then(() => toast(t.copied))}>{t.copy}</Button>
        </>
      )}
    </Note>
    </div>
  );
}

/** In place of the decision: why the user may not decide. */
export function NotYours({ request, isFirst = false }: { request: Request; isFirst?: boolean }) {
  const t = useTexts('review').panel;
  const { id } = useSession();
  const why = obstacle(request, id);
  if (!why) return null;
  return (
    <Note icon={<Eye aria-hidden />}>
      <p>{isFirst && (why === 'changed' || why === 'changedByToken') ? t.notYoursFirst[why] : t.notYours[why]}</p>
      {why !== 'role' && why !== 'seated' && <p>{t.fourEyes}</p>}
    </Note>
  );
}
