import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import ui from '../../ui/ui.module.css';
import { FromAbove, MemberList } from './memberlist';
import { ProjectPage, Rows, Section } from '../parts';
import { departmentQuery, tenantQuery } from '../queries';

const route = getRouteApi('/app/projects/$projectId/members');

/** The users with a role in a Project. */
export function MembersPage() {
  const t = useTexts('people').members;
  const { projectId } = route.useParams();
  return (
    <ProjectPage projectId={projectId} title={t.title}>
      {(project) => (
        <>
          <MemberList place={{ kind: 'project', id: projectId }} title={t.here} manages={may(project, 'project.members.manage')} />
          <Above project={project} />
        </>
      )}
    </ProjectPage>
  );
}

/** The admins of the Department and the organisation, if the user may see them. */
function Above({ project }: { project: Schemas['Project'] }) {
  const t = useTexts('people').members;
  const departmentId = project.departmentId ?? 0;
  const tenant = useQuery(tenantQuery(project.tenantId)).data;
  const department = useQuery({ ...departmentQuery(departmentId), enabled: departmentId > 0 }).data;
  const seesDepartment = may(department, 'department.members.view');
  const seesTenant = may(tenant, 'tenant.members.view');
  return (
    <Section title={t.above} lead={seesDepartment || seesTenant ? t.aboveLead : t.aboveHidden}>
      {(seesDepartment || seesTenant) && (
        <Rows label={t.above}>
          {seesDepartment && (
            <FromAbove
              place={{ kind: 'department', id: departmentId }}
              where={
                <Link className={ui.link} to="/organisation/departments/$departmentId" params={{ departmentId }}>
                  {department?.name}
                </Link>
              }
            />
          )}
          {seesTenant && (
            <FromAbove
              place={{ kind: 'tenant', id: project.tenantId }}
              where={
                <Link className={ui.link} to="/organisation/tenants/$tenantId" params={{ tenantId: project.tenantId }}>
                  {tenant?.name}
                </Link>
              }
            />
          )}
        </Rows>
      )}
    </Section>
  );
}
