import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { api, type Schemas } from '../../api/client';
import { useProjects } from '../../api/queries';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { toast } from '../../ui/toast';
import { CustomRoles } from '../people/customroles';
import { Removal } from '../deletion';
import { DepartmentWorkflow, workflowQuery } from '../workflow/departmentworkflow';
import { DepartmentDelegations, departmentDelegationsQuery } from '../people/delegations';
import { MemberList } from '../people/memberlist';
import { membersQuery } from '../people/places';
import { NameForm } from '../nameform';
import { Section } from '../parts';
import { PlaceFrame } from './placeframe';
import { ProjectList } from './projectlist';
import { customRolesQuery, departmentQuery, departmentsQuery, tenantQuery } from '../queries';

const route = getRouteApi('/app/organisation/departments/$departmentId');

/** The page of a Department: its Projects, workflow, custom roles and admins. */
export function DepartmentPage() {
  const t = useTexts('settings').department;
  const { departmentId } = route.useParams();
  const query = useQuery(departmentQuery(departmentId));
  const isComplete = useSections(departmentId);
  const tenantId = query.data?.tenantId ?? 0;
  const tenant = useQuery({ ...tenantQuery(tenantId), enabled: tenantId > 0 }).data;
  const projects = useProjects().filter((p) => p.departmentId === departmentId);
  return (
    <PlaceFrame
      query={isComplete ? query : { ...query, data: undefined }}
      above={() =>
        tenant
          ? [
              <Link key="tenant" activeOptions={{ exact: true }} to="/organisation/tenants/$tenantId" params={{ tenantId }}>
                {tenant.name}
              </Link>,
            ]
          : []
      }
    >
      {(department) => (
        <>
          <Section title={t.projects}>
            <ProjectList projects={projects} label={t.projects} />
          </Section>
          {may(department, 'department.workflow.view') && <DepartmentWorkflow department={department} />}
          <CustomRoles department={department} />
          {may(department, 'department.members.view') && (
            <MemberList place={{ kind: 'department', id: departmentId }} title={t.admins} lead={t.adminsLead} manages={may(department, 'department.members.manage')} />
          )}
          {may(department, 'department.members.view') && <DepartmentDelegations department={department} />}
          {may(department, 'department.update') && <General department={department} />}
        </>
      )}
    </PlaceFrame>
  );
}

/** Fetches the data of the sections, and reports whether all of it was here once: a button must not move while it is pressed. */
function useSections(departmentId: number): boolean {
  const client = useQueryClient();
  return useQuery({
    queryKey: ['sections of a department', departmentId],
    queryFn: async () => {
      const { hasWorkflow } = await client.ensureQueryData(departmentQuery(departmentId));
      await Promise.allSettled([
        client.ensureQueryData(customRolesQuery(departmentId)),
        client.ensureQueryData(membersQuery({ kind: 'department', id: departmentId })),
        client.ensureQueryData(departmentDelegationsQuery(departmentId)),
        hasWorkflow && client.ensureQueryData(workflowQuery(departmentId)),
      ]);
      return true;
    },
    staleTime: Infinity,
  }).isFetched;
}

function General({ department }: { department: Schemas['Department'] }) {
  const t = useTexts('settings').department;
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = { departmentId: department.id };
  const refreshList = () => client.invalidateQueries({ queryKey: departmentsQuery(department.tenantId).queryKey });
  return (
    <Section title={t.general}>
      <NameForm
        name={department.name}
        onSave={async (name) => {
          await api.PATCH('/api/departments/{departmentId}', { params: { path }, body: { name } });
          await client.invalidateQueries({ queryKey: departmentQuery(department.id).queryKey });
          await refreshList();
          toast(t.saved);
        }}
      />
      {may(department, 'department.delete') && (
        <Removal
          text={t.removeText}
          title={t.removeTitle(department.name)}
          typed={department.name}
          action={t.remove}
          onDelete={async () => {
            await api.DELETE('/api/departments/{departmentId}', { params: { path } });
            await navigate({ to: '/organisation/tenants/$tenantId', params: { tenantId: department.tenantId } });
            await refreshList();
          }}
        />
      )}
    </Section>
  );
}
