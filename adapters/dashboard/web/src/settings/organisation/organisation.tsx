import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Users } from 'lucide-react';
import { useState } from 'react';
import { api, type Schemas } from '../../api/client';
import { tenantsQuery, departmentsQuery } from '../queries';
import { useProjects, useSession } from '../../api/queries';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { Page, PageHead } from '../../shell/page';
import { Empty, Problem, Skeleton } from '../../ui/basics';
import { Button, ButtonLink } from '../../ui/button';
import { Dialog } from '../../ui/overlays';
import { NameForm } from '../nameform';
import css from './organisation.module.css';
import { Section } from '../parts';

type Tenant = Schemas['Tenant'];

/** The organisations that the user may see, with their departments and Projects. */
export function OrganisationPage() {
  const t = useTexts('settings').organisation;
  const client = useQueryClient();
  const session = useSession();
  const query = useQuery(tenantsQuery);
  const [creating, setCreating] = useState(false);
  const tenants = query.data?.data;
  const close = () => setCreating(false);
  const listsUsers = may(session, 'user.list') || tenants?.some((tenant) => may(tenant, 'user.list'));
  return (
    <Page title={t.title}>
      <PageHead title={t.title} lead={t.lead}>
        {listsUsers && (
          <ButtonLink to="/organisation/users" icon={<Users aria-hidden />}>
            {t.users}
          </ButtonLink>
        )}
        {may(session, 'tenant.create') && (
          <Button kind="primary" icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
            {t.create}
          </Button>
        )}
      </PageHead>
      {query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {!tenants && !query.error && <Skeleton />}
      {tenants?.length === 0 && (
        <Empty title={t.none}>
          <p>{t.noneHint}</p>
        </Empty>
      )}
      {tenants?.map((tenant) => (
        <TenantTree key={tenant.id} tenant={tenant} />
      ))}
      <Dialog title={t.create} isOpen={creating} onClose={close}>
        <NameForm
          action={t.create}
          onCancel={close}
          onSaved={close}
          onSave={async (name) => {
            await api.POST('/api/tenants', { body: { name } });
            await client.invalidateQueries({ queryKey: tenantsQuery.queryKey });
          }}
        />
      </Dialog>
    </Page>
  );
}

function TenantTree({ tenant }: { tenant: Tenant }) {
  const t = useTexts('settings').organisation;
  const departments = useQuery(departmentsQuery(tenant.id)).data?.data;
  const projects = useProjects().filter((p) => p.tenantId === tenant.id);
  if (!departments) return <Skeleton />;
  const without = projects.filter((p) => !departments.some((d) => d.id === p.departmentId));
  return (
    <Section
      title={tenant.name}
      actions={
        <ButtonLink to="/organisation/tenants/$tenantId" params={{ tenantId: tenant.id }}>
          {t.manage(tenant.name)}
        </ButtonLink>
      }
    >
      <ul className={css.departments}>
        {departments.map((department) => (
          <li key={department.id}>
            <h3>
              <Link to="/organisation/departments/$departmentId" params={{ departmentId: department.id }}>
                {department.name}
              </Link>
            </h3>
            <Projects projects={projects.filter((p) => p.departmentId === department.id)} />
          </li>
        ))}
        {(without.length > 0 || departments.length === 0) && (
          <li>
            <h3>{t.noDepartment}</h3>
            <Projects projects={without} />
          </li>
        )}
      </ul>
    </Section>
  );
}

function Projects({ projects }: { projects: Schemas['Project'][] }) {
  const t = useTexts('settings').organisation;
  if (projects.length === 0) return <p>{t.noProjects}</p>;
  return (
    <ul>
      {projects.map((project) => (
        <li key={project.id}>
          <Link to="/projects/$projectId" params={{ projectId: project.id }}>
            {project.name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
