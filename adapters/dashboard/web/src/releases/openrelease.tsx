import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { GitCompareArrows, Plus, Send, Trash2, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useCollections, useProject } from '../api/queries';
import { may } from '../api/rights';
import { workflowQuery } from '../editor/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { requestQuery } from '../review/queries';
import { Page, PageHead } from '../shell/page';
import { withTexts } from '../texts/load';
import { Chip, Empty, Mono, Note, Problem, ProblemLine, Skeleton } from '../ui/basics';
import { Button, ButtonLink, IconButton } from '../ui/button';
import { DateField } from '../ui/datefield';
import { useForm } from '../ui/form';
import { Confirm, Menu, MenuItem } from '../ui/overlays';
import { SaveForm } from '../ui/saveform';
import { TextArea, TextField } from '../ui/textfields';
import { toast } from '../ui/toast';
import { Checked } from './checked';
import { KindIcon, KindWord } from './kind';
import { ReleasesLink } from './link';
import { useDoes } from './list';
import { MemberList } from './memberlist';
import { changeRelease, checkQuery, membersQuery, publishRelease, putMembers, releaseChanged, removeMembers, removeRelease, type Member, type Release, type ReleasePlace } from './queries';
import styles from './releases.module.css';
import type { ReleaseSearch } from './search';

const Record = lazy(() => withTexts(import('../review/record'), 'review').then((m) => ({ default: m.Record })));
const AddEntries = lazy(() => import('./addentries').then((m) => ({ default: m.AddEntries })));
const PastPublication = lazy(() => import('./pastpublication').then((m) => ({ default: m.PastPublication })));

type Props = { place: ReleasePlace; release: Release; search: ReleaseSearch };

/** An open release: its name and time, its members, and what keeps it from being sent. */
export function OpenRelease({ place, release, search }: Props) {
  const t = useTexts('releases');
  const project = useProject(place.projectId);
  const does = useDoes();
  const writes = may(project, 'release.write');
  return (
    <Page title={release.name} above={[<ReleasesLink key="releases" projectId={place.projectId} />]} status={<Chip>{t.states.open}</Chip>} width="full" actions={
        <>
          {release.counts.members > 0 && <SeeChanges place={place} />}
          {writes && <Sending place={place} release={release} />}
        </>
      }
    >
      <div className={styles.open}>
        <PageHead title={release.name} lead={does(release)}>
          {writes && <Removal place={place} release={release} />}
        </PageHead>
        {release.fault && (
          <Note tone="bad">
            {t.open.failed} {release.fault}
          </Note>
        )}
        <Outcome release={release} />
        <Members place={place} release={release} writes={writes} />
        {release.counts.members > 0 && writes && <Checked place={place} version={release.version} />}
        {writes && <Settings place={place} release={release} />}
        {release.request && search.tab === 'record' && (
          <Suspense fallback={<Skeleton />}>
            <Rounds place={place} />
          </Suspense>
        )}
      </div>
    </Page>
  );
}

/** How the last round ended, with a link to its record. */
function Outcome({ release: { request } }: { release: Release }) {
  const t = useTexts('releases').open;
  const status = useTexts('common').requestStatus;
  if (!request) return null;
  return (
    <Note tone={request.status === 'rejected' || request.status === 'revision_requested' ? 'wait' : 'neutral'}>
      {t.lastRound} <Mono>{request.releaseNumber}</Mono> <Chip>{status[request.status]}</Chip>{' '}
      <Link to="." search={(now) => ({ ...now, tab: 'record' }) as never}>
        {t.record}
      </Link>
    </Note>
  );
}

function Rounds({ place }: { place: ReleasePlace }) {
  const request = useQuery(requestQuery(place)).data;
  return request ? <Record subject={place} request={request} readable={false} /> : null;
}

/** The main action: what it does is on the button, and is asked before. */
function Sending({ place, release }: { place: ReleasePlace; release: Release }) {
  const t = useTexts('releases').open;
  const format = useFormat();
  const [asks, ask] = useState(false);
  const governing = useQuery(workflowQuery(place.projectId)).data?.workflow;
  const check = useQuery({ ...checkQuery(place, release.version), enabled: release.counts.members > 0 }).data;
  const faults = check?.faults.length ?? 0;
  const workflow = check?.reviewed === false ? null : governing;
  const due = release.publishAt !== undefined && release.publishAt !== null && Date.parse(release.publishAt) > Date.now() ? release.publishAt : undefined;
  const send = useMutation({
    mutationFn: () => publishRelease(place),
    onSuccess: async (request) => {
      ask(false);
      toast(request ? t.sent(request.releaseNumber) : due ? t.scheduled : t.published);
      await releaseChanged(place);
    },
    onError: () => void releaseChanged(place),
  });
  if (governing === undefined) return null; // a word before that could promise a publication that the workflow forbids
  const action = workflow ? t.send : due ? t.schedule : t.publish;
  return (
    <>
      <Button kind="primary" icon={<Send aria-hidden />} isDisabled={release.counts.members === 0 || workflow === undefined || faults > 0} onPress={() => ask(true)}>
        {action}
      </Button>
      <Confirm title={t.asks(release.name)} isOpen={asks} onClose={() => ask(false)} onConfirm={() => send.mutate()} isPending={send.isPending} action={action}>
        <p>{workflow ? t.sendAsk(workflow.steps.map((step) => step.stepLabel || t.step(step.stepOrder)).join(' → ')) : due ? t.scheduleAsk(format.dateTime(due)) : t.publishAsk}</p>
        {workflow && due && <p>{t.thenAt(format.dateTime(due))}</p>}
        {send.error && <Problem error={send.error} />}
      </Confirm>
    </>
  );
}

function SeeChanges({ place }: { place: ReleasePlace }) {
  const t = useTexts('releases').open;
  return (
    <ButtonLink to="/projects/$projectId/releases/$releaseId" params={place} search={{ tab: 'changes' }} icon={<GitCompareArrows aria-hidden />}>
      {t.changes}
    </ButtonLink>
  );
}

/** Closes the release, or deletes one that was never submitted. */
function Removal({ place, release }: { place: ReleasePlace; release: Release }) {
  const t = useTexts('releases').open;
  const navigate = useNavigate();
  const [asks, ask] = useState(false);
  const fresh = release.rounds === 0;
  const remove = useMutation({
    mutationFn: () => removeRelease(place, release),
    onSuccess: async () => {
      toast(fresh ? t.deleted(release.name) : t.closed(release.name));
      await navigate({ to: '/projects/$projectId/releases', params: { projectId: place.projectId } });
      await releaseChanged(place);
    },
  });
  return (
    <>
      <Button kind="quiet" icon={<Trash2 aria-hidden />} onPress={() => ask(true)}>
        {fresh ? t.delete : t.close}
      </Button>
      <Confirm title={fresh ? t.deleteTitle(release.name) : t.closeTitle(release.name)} isOpen={asks} onClose={() => ask(false)} onConfirm={() => remove.mutate()} isPending={remove.isPending} action={fresh ? t.delete : t.close} danger>
        <p>{fresh ? t.deleteAsk : t.closeAsk}</p>
        {remove.error && <Problem error={remove.error} />}
      </Confirm>
    </>
  );
}

function Members({ place, release, writes }: { place: ReleasePlace; release: Release; writes: boolean }) {
  const { open: t, untitled } = useTexts('releases');
  const query = useQuery(membersQuery(place, release.version));
  const [adding, add] = useState(false);
  const [past, choosePast] = useState<Member>();
  const changed = (error?: unknown) => {
    if (error) toast(<ProblemLine error={error} />);
    void releaseChanged(place);
  };
  const put = useMutation({
    mutationFn: ({ member, action }: { member: Member; action: Member['action'] }) => putMembers(place, [{ entryId: member.entryId, action }]),
    onSettled: (_, error) => changed(error),
  });
  const remove = useMutation({ mutationFn: (member: Member) => removeMembers(place, release, [member.entryId]), onSettled: (_, error) => changed(error) });
  return (
    <section aria-labelledby="members">
      <div className={styles.sectionHead}>
        <h2 id="members">{t.members}</h2>
        {writes && (
          <Button icon={<Plus aria-hidden />} onPress={() => add(true)}>
            {t.add}
          </Button>
        )}
      </div>
      {query.error && !query.data ? (
        <Problem error={query.error} retry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton />
      ) : query.data.length === 0 ? (
        <Empty title={t.noMembers}>
          <p>{t.noMembersNext}</p>
        </Empty>
      ) : (
        <MemberList label={t.members} members={query.data}>
          {(member) => <MemberRow place={place} member={member} onAction={writes ? (action) => (action === 'past' ? choosePast(member) : put.mutate({ member, action })) : undefined} onRemove={writes ? () => remove.mutate(member) : undefined} />}
        </MemberList>
      )}
      {adding && (
        <Suspense fallback={null}>
          <AddEntries place={place} members={query.data ?? []} onClose={() => add(false)} />
        </Suspense>
      )}
      {past && (
        <Suspense fallback={null}>
          <PastPublication place={place} member={past} title={past.title || untitled(past.entryId)} onClose={() => choosePast(undefined)} />
        </Suspense>
      )}
    </section>
  );
}

/** What a release does with a member. past: it publishes an earlier publication again. */
type Deed = Member['action'] | 'past';

type RowProps = { place: ReleasePlace; member: Member; onAction?: (deed: Deed) => void; onRemove?: () => void };

function MemberRow({ place: { projectId }, member, onAction, onRemove }: RowProps) {
  const t = useTexts('releases');
  const format = useFormat();
  const collection = useCollections(projectId).find((c) => c.id === member.collectionId);
  const name = member.title || t.untitled(member.entryId);
  const deed: Deed = member.action === 'publish' && member.from !== 'draft' ? 'past' : member.action;
  return (
    <div className={styles.member}>
      <KindIcon kind={member.kind} />
      <span className={styles.what}>
        {member.gone ? (
          <span className={styles.title}>{name}</span>
        ) : (
          <Link className={styles.title} to="/projects/$projectId/collections/$collectionId/entries/$entryId" params={{ projectId, collectionId: member.collectionId, entryId: member.entryId }}>
            {name}
          </Link>
        )}
        <span className={styles.meta}>
          <KindWord kind={member.kind} />
          <span>{collection?.name ?? member.collection}</span>
          <abbr title={format.locale(member.locale)}>{member.locale}</abbr>
          {member.from !== 'draft' && <span>{t.open.again(member.from.publication)}</span>}
          {(member.dropped?.length ?? 0) > 0 && <span>{t.open.without(format.list(member.dropped!))}</span>}
          {member.gone && <span className={styles.fault}>{t.open.gone}</span>}
        </span>
      </span>
      {onAction && (
        <Menu label={t.open.actionOf(name)} value={deed} onChange={(next) => next !== 'past' && next !== deed && onAction(next as Deed)} trigger={<Button kind="quiet">{t.open.actions[deed]}</Button>}>
          {(['publish', 'past', 'unpublish'] as const).map((one) => (
            // Also the chosen publication is chosen again: the item acts, it is not only selected.
            <MenuItem key={one} id={one} textValue={t.open.chooses[one]} onAction={one === 'past' ? () => onAction(one) : undefined}>
              {t.open.chooses[one]}
            </MenuItem>
          ))}
        </Menu>
      )}
      {onRemove && <IconButton label={t.open.remove(name)} icon={<X aria-hidden />} onPress={onRemove} />}
    </div>
  );
}

/** The name, the description and the time. */
function Settings({ place, release }: { place: ReleasePlace; release: Release }) {
  const t = useTexts('releases');
  const { timeZone } = useFormat();
  const form = useForm({ name: release.name, description: release.description ?? '', publishAt: release.publishAt ?? null }, async (_, changed) => {
    await releaseChanged(place, await changeRelease(place, release, changed));
    toast(t.form.saved);
  });
  return (
    <section aria-labelledby="settings">
      <h2 id="settings">{t.form.title}</h2>
      <SaveForm form={form} action={t.form.save}>
        <TextField label={t.form.name} required maxLength={120} autoComplete="off" {...form.field('name')} />
        <TextArea label={t.form.description} maxLength={2000} rows={3} {...form.field('description')} />
        <DateField kind="datetime" label={t.form.publishAt} hint={t.form.publishAtHint} timeZone={timeZone} {...form.field('publishAt')} />
      </SaveForm>
    </section>
  );
}
