import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { may } from '../api/rights';
import { useTexts } from '../i18n/language';
import { ProjectPage } from '../settings/parts';
import { tenantQuery } from '../settings/queries';
import { NotFound } from '../shell/failed';
import { Page, PageHead } from '../shell/page';
import { Empty, Problem, Skeleton } from '../ui/basics';
import { ButtonLink } from '../ui/button';
import { DownloadMenu } from './download';
import { Events } from './events';

const ofProject = getRouteApi('/app/projects/$projectId/audit');
const ofTenant = getRouteApi('/app/organisation/tenants/$tenantId/audit');

/** What happened in a Project. */
export function ProjectAuditPage() {
  const t = useTexts('audit').audit;
  const { projectId } = ofProject.useParams();
  const search = ofProject.useSearch();
  const navigate = ofProject.useNavigate();
  const scope = { kind: 'project', id: projectId } as const;
  return (
    <ProjectPage projectId={projectId} title={t.title} lead={t.lead} actions={(project) => (
        <>
          <ButtonLink to="/projects/$projectId/assistants" params={{ projectId }}>
            {t.assistants}
          </ButtonLink>
          {may(project, 'project.events.view') && <DownloadMenu scope={scope} search={search} />}
        </>
      )}
    >
      {(project) =>
        may(project, 'project.events.view') ? (
          <Events scope={scope} search={search} onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })} />
        ) : (
          <Empty title={t.notYours}>
            <p>{t.askAdmin}</p>
          </Empty>
        )
      }
    </ProjectPage>
  );
}

/** What happened in a tenant and its Projects. */
export function TenantAuditPage() {
  const t = useTexts('audit').audit;
  const { tenantId } = ofTenant.useParams();
  const search = ofTenant.useSearch();
  const navigate = ofTenant.useNavigate();
  const query = useQuery(tenantQuery(tenantId));
  const scope = { kind: 'tenant', id: tenantId } as const;
  const tenant = query.data;
  if (tenant && !may(tenant, 'tenant.events.view')) return <NotFound />;
  const above = [
    <Link key="organisation" activeOptions={{ exact: true }} to="/organisation">
      {t.organisation}
    </Link>,
    <Link key="tenant" activeOptions={{ exact: true }} to="/organisation/tenants/$tenantId" params={{ tenantId }}>
      {tenant?.name ?? String(tenantId)}
    </Link>,
  ];
  return (
    <Page title={t.title} above={above}>
      <PageHead title={t.title} lead={t.leadTenant}>
        {tenant && <DownloadMenu scope={scope} search={search} />}
      </PageHead>
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {!tenant && !query.error && <Skeleton />}
      {tenant && <Events scope={scope} search={search} onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })} />}
    </Page>
  );
}
