import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client';
import { asApiError } from '../api/error';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import type { Decision } from '../review/decision';
import { DecisionBox } from '../review/decisionbox';
import { Contributors, Lost, NotYours, SealedContent, useStepTitle, Ways } from '../review/panel';
import { type ReleasePlace, type Request } from '../review/queries';
import review from '../review/review.module.css';
import { Way } from '../review/way';
import { Note, Problem, Time } from '../ui/basics';
import { Button } from '../ui/button';
import { Confirm } from '../ui/overlays';
import { Checkbox } from '../ui/toggles';
import { toast } from '../ui/toast';
import ui from '../ui/ui.module.css';
import { useRoomForPanel } from '../ui/width';
import { Warnings } from './checked';
import { useDoes } from './list';
import { cancelRelease, membersQuery, releaseChanged, revertRelease, type Release } from './queries';
import styles from './releases.module.css';

type Props = { place: ReleasePlace; release: Release; request: Request | undefined; decision: Decision; project?: Schemas['Project'] };

/** The column beside the changes: the decision about all members, the way to publication, and what is sealed. */
export function ReleasePanel({ place, release, request, decision, project }: Props) {
  const t = useTexts('releases');
  const does = useDoes();
  return (
    <>
      {request && <Deciding request={request} decision={decision} count={release.counts.members} />}
      <section>
        <h2>{t.panel.about}</h2>
        <p>{does(release)}</p>
        {release.state === 'approved' && release.fault && (
          <Note tone="bad">
            {t.open.retried} {release.fault}
          </Note>
        )}
        {(release.state === 'pending' || release.state === 'approved') && may(project, 'content.read') && <Warnings place={place} version={release.version} />}
        {release.description && <p className={styles.description}>{release.description}</p>}
        {!request && release.publishedAt && (
          <p>
            {t.panel.published} <Time value={release.publishedAt} as="dateTime" />
          </p>
        )}
        {release.revertOf && (
          <p>
            <Link className={ui.link} to="/projects/$projectId/releases/$releaseId" params={{ projectId: place.projectId, releaseId: release.revertOf }}>
              {t.panel.revertOf}
            </Link>
          </p>
        )}
        {release.revertedBy && (
          <p>
            <Link className={ui.link} to="/projects/$projectId/releases/$releaseId" params={{ projectId: place.projectId, releaseId: release.revertedBy }}>
              {t.panel.revertedBy}
            </Link>
          </p>
        )}
        {release.state === 'published' && may(project, 'release.write') && <Revert place={place} release={release} />}
        {!request && release.state === 'approved' && may(project, 'release.write') && <Cancel place={place} release={release} />}
      </section>
      {request && (
        <>
          <section>
            <h2>{t.panel.way}</h2>
            <Way request={request} project={project} />
            <Contributors request={request} isFirst />
            <Ways subject={place} request={request} project={project} />
          </section>
          <SealedContent subject={place} request={request}>
            <Link className={ui.link} to="." search={(now) => ({ ...now, tab: 'record' }) as never}>
              {t.open.record}
            </Link>
          </SealedContent>
        </>
      )}
    </>
  );
}

function Deciding({ request, decision, count }: { request: Request; decision: Decision; count: number }) {
  const narrow = !useRoomForPanel();
  const stepTitle = useStepTitle(request);
  return (
    <>
      {decision.lost && <Lost before={decision.lost.before} now={decision.lost.now} comment={request.canAct ? '' : decision.comment} />}
      {request.canAct && !narrow && (
        <section>
          <h2>{stepTitle}</h2>
          <DecisionBox request={request} decision={decision} id="decision" count={count} />
        </section>
      )}
      <NotYours request={request} />
      {request.canAct && narrow && <div className={review.footRoom} />}
    </>
  );
}

/** Makes a release that takes this one back. What was published since is asked about. */
function Revert({ place, release }: { place: ReleasePlace; release: Release }) {
  const t = useTexts('releases').panel;
  const navigate = useNavigate();
  const [asks, ask] = useState(false);
  const [skip, setSkip] = useState(false);
  const revert = useMutation({
    mutationFn: () => revertRelease(place, skip),
    onSuccess: async (made) => {
      ask(false);
      toast(t.reverted(made.name));
      const to = { projectId: place.projectId, releaseId: made.id };
      await releaseChanged(to, made);
      void navigate({ to: '/projects/$projectId/releases/$releaseId', params: to });
    },
  });
  const changedSince = revert.error ? asApiError(revert.error).code === 'changed_since' : false;
  return (
    <>
      <Button kind="quiet" icon={<Undo2 aria-hidden />} onPress={() => ask(true)}>
        {t.revert}
      </Button>
      <Confirm title={t.revertTitle(release.name)} isOpen={asks} onClose={() => ask(false)} onConfirm={() => revert.mutate()} isPending={revert.isPending} action={t.makeRevert}>
        <p>{t.revertAsk}</p>
        {revert.error && (changedSince ? <ChangedSince place={place} release={release} faults={asApiError(revert.error).faults} /> : <Problem error={revert.error} />)}
        {(changedSince || skip) && (
          <Checkbox isSelected={skip} onChange={setSkip}>
            {t.skipChanged}
          </Checkbox>
        )}
      </Confirm>
    </>
  );
}

const mostNamed = 10;

/** The members that were published or unpublished since, by title. */
function ChangedSince({ place, release, faults }: { place: ReleasePlace; release: Release; faults: readonly { location: string }[] }) {
  const t = useTexts('releases');
  const format = useFormat();
  const members = useQuery(membersQuery(place, release.version)).data;
  const ids = faults.map(({ location }) => Number(/^members\.(\d+)/.exec(location)?.[1]));
  return (
    <Note tone="bad" role="alert">
      {t.panel.changedSince(ids.length, format.number(ids.length))}
      <ul className={styles.faults}>
        {ids.slice(0, mostNamed).map((id) => (
          <li key={id}>{members?.find(({ entryId }) => entryId === id)?.title || t.untitled(id)}</li>
        ))}
        {ids.length > mostNamed && <li>{t.panel.more(format.number(ids.length - mostNamed))}</li>}
      </ul>
    </Note>
  );
}

/** Opens a release again that waits for its time without a review. */
function Cancel({ place, release }: { place: ReleasePlace; release: Release }) {
  const t = useTexts('releases').panel;
  const cancel = useMutation({ mutationFn: () => cancelRelease(place, release), onSettled: () => void releaseChanged(place) });
  return (
    <>
      <Button kind="quiet" icon={<Undo2 aria-hidden />} isPending={cancel.isPending} onPress={() => cancel.mutate()}>
        {t.cancel}
      </Button>
      {cancel.error && <Problem error={cancel.error} />}
    </>
  );
}
