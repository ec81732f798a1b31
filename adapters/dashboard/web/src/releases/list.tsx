import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Package, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useProject } from '../api/queries';
import { may } from '../api/rights';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { requestQuery } from '../review/queries';
import { StepBar } from '../review/steps';
import { NotFound } from '../shell/failed';
import { Page, PageHead } from '../shell/page';
import { Chip, Empty, Mono, Problem, Skeleton, Time } from '../ui/basics';
import { Button, ButtonLink } from '../ui/button';
import { useForm } from '../ui/form';
import { Dialog } from '../ui/overlays';
import { SaveForm } from '../ui/saveform';
import { Tabs } from '../ui/tabs';
import { TextArea, TextField } from '../ui/textfields';
import { createRelease, releaseChanged, releasesQuery, rowsPerPage, type Release } from './queries';
import styles from './releases.module.css';
import { states, type ReleasesSearch } from './search';
import { stateTones } from './state';

const route = getRouteApi('/app/projects/$projectId/releases');

/** The releases of a Project, by state. */
export function ReleasesPage() {
  const t = useTexts('releases').list;
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const project = useProject(projectId);
  const [creating, create] = useState(false);
  if (!project) return <NotFound />;
  const writes = may(project, 'release.write');
  return (
    <Page
      title={t.title}
      above={[
        <Link key="project" activeOptions={{ exact: true }} to="/projects/$projectId" params={{ projectId }}>
          {project.name}
        </Link>,
      ]}
    >
      <PageHead title={t.title} lead={t.lead}>
        {writes && (
          <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => create(true)}>
            {t.create}
          </Button>
        )}
      </PageHead>
      <States search={search} />
      <Found key={search.state} search={search} />
      <List projectId={projectId} search={search} />
      <Dialog title={t.create} isOpen={creating} onClose={() => create(false)}>
        <NewRelease projectId={projectId} onClose={() => create(false)} />
      </Dialog>
    </Page>
  );
}

function States({ search }: { search: ReleasesSearch }) {
  const t = useTexts('releases');
  const current = search.state ?? 'open';
  return (
    <Tabs label={t.list.states}>
      {states.map((state) => (
        <Link key={state} to="." search={{ state: state === 'open' ? undefined : state }} activeOptions={{ exact: true }} aria-current={current === state ? 'page' : undefined}>
          {t.states[state]}
        </Link>
      ))}
    </Tabs>
  );
}

/** The search among the names, which follows the typing. */
function Found({ search }: { search: ReleasesSearch }) {
  const t = useTexts('releases').list;
  const navigate = route.useNavigate();
  const [text, setText] = useState(search.search ?? '');
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text.trim() !== (search.search ?? '')) void navigate({ search: (now) => ({ ...now, search: text.trim() || undefined, page: undefined }), replace: true });
    }, 250);
    return () => clearTimeout(timer);
  }, [text, search.search, navigate]);
  return (
    <div className={styles.find}>
      <TextField label={t.search} type="search" value={text} onChange={setText} autoComplete="off" />
    </div>
  );
}

function List({ projectId, search }: { projectId: number; search: ReleasesSearch }) {
  const t = useTexts('releases').list;
  const { state = 'open', page = 1 } = search;
  const query = useQuery(releasesQuery(projectId, { ...search, state }));
  if (query.error && !query.data) return <Problem error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton />;
  const { data, meta } = query.data;
  if (data.length === 0) {
    return (
      <Empty title={search.search ? t.noMatch : t.empty[state].title}>
        <p>{search.search ? t.noMatchNext : t.empty[state].next}</p>
      </Empty>
    );
  }
  const last = Math.ceil(meta.total / rowsPerPage);
  return (
    <>
      <ul className={styles.list} aria-label={t.title}>
        {data.map((release) => (
          <Row key={release.id} projectId={projectId} release={release} />
        ))}
      </ul>
      {last > 1 && (
        <nav className={styles.pages} aria-label={t.pages}>
          {page > 1 && (
            <ButtonLink to="/projects/$projectId/releases" params={{ projectId }} search={{ ...search, page: page === 2 ? undefined : page - 1 }}>
              {t.previous}
            </ButtonLink>
          )}
          <span>{t.pageOf(page, last)}</span>
          {page < last && (
            <ButtonLink to="/projects/$projectId/releases" params={{ projectId }} search={{ ...search, page: page + 1 }}>
              {t.next}
            </ButtonLink>
          )}
        </nav>
      )}
    </>
  );
}

/** One release: what it will do, and who or what it waits for. The whole row is a link. */
function Row({ projectId, release }: { projectId: number; release: Release }) {
  const t = useTexts('releases');
  const does = useDoes();
  return (
    <li>
      <Link className={styles.row} to="/projects/$projectId/releases/$releaseId" params={{ projectId, releaseId: release.id }}>
        <Package aria-hidden />
        <span className={styles.what}>
          <span className={styles.title}>{release.name}</span>
          <span className={styles.meta}>
            {release.request && <Mono>{release.request.releaseNumber}</Mono>}
            <span>{does(release)}</span>
            <span>{t.list.by(release.createdBy.name)}</span>
          </span>
          {release.fault && <span className={styles.fault}>{t.list.failed}</span>}
        </span>
        <span>{release.state === 'pending' ? <WaitsFor projectId={projectId} releaseId={release.id} /> : <Chip tone={stateTones[release.state]}>{t.states[release.state]}</Chip>}</span>
        <span className={styles.time}>
          {release.publishedAt ? <Time value={release.publishedAt} as="planned" /> : release.publishAt && release.state !== 'closed' ? <Time value={release.publishAt} as="planned" /> : null}
        </span>
      </Link>
    </li>
  );
}

/** The step that a submitted release waits at. */
function WaitsFor({ projectId, releaseId }: { projectId: number; releaseId: number }) {
  const t = useTexts('releases');
  const request = useQuery({ ...requestQuery({ projectId, releaseId }), refetchInterval: 30_000 }).data;
  return request?.status === 'pending' ? <StepBar request={request} /> : <Chip tone="wait">{t.states.pending}</Chip>;
}

/** Says what a release will do, or did: "3 entries: 2 will be published, 1 will end". */
export function useDoes() {
  const t = useTexts('releases').does;
  const format = useFormat();
  return ({ counts: { members, publish, unpublish }, state }: Pick<Release, 'counts' | 'state'>) =>
    members === 0 ? t.nothing : (state === 'published' ? t.done : t.members)(members, format.number(members), publish, format.number(publish), unpublish, format.number(unpublish));
}

function NewRelease({ projectId, onClose }: { projectId: number; onClose: () => void }) {
  const t = useTexts('releases');
  const navigate = useNavigate();
  const form = useForm({ name: '', description: '' }, async ({ name, description }) => {
    const release = await createRelease(projectId, { name: name.trim(), ...(description.trim() && { description: description.trim() }) });
    const place = { projectId, releaseId: release.id };
    await releaseChanged(place, release);
    onClose();
    void navigate({ to: '/projects/$projectId/releases/$releaseId', params: place });
  });
  return (
    <SaveForm form={form} action={t.list.create} onCancel={onClose}>
      <TextField label={t.form.name} hint={t.form.nameHint} required maxLength={120} autoComplete="off" {...form.field('name')} />
      <TextArea label={t.form.description} maxLength={2000} rows={3} {...form.field('description')} />
    </SaveForm>
  );
}
