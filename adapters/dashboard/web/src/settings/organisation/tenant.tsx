import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Building2, Plus, ScrollText, Users } from 'lucide-react';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client';
import { asApiError } from '../../api/error';
import { projectsQuery, useProjects } from '../../api/queries';
import { may } from '../../api/rights';
import { useTexts } from '../../i18n/language';
import { Problem } from '../../ui/basics';
import { Button, ButtonLink } from '../../ui/button';
import { useForm } from '../../ui/form';
import { Select, TextField } from '../../ui/forms';
import { Dialog } from '../../ui/overlays';
import { toast } from '../../ui/toast';
import { Switch } from '../../ui/toggles';
import { SaveForm } from '../../ui/saveform';
import { Removal } from '../deletion';
import { LanguageList } from '../languages/languagelist';
import { MemberList } from '../people/memberlist';
import { NameForm } from '../nameform';
import { Nothing, Row, Rows, Section } from '../parts';
import { FactorPolicy } from './factorpolicy';
import { PlaceFrame } from './placeframe';
import { ProjectList } from './projectlist';
import { ProviderPage } from '../signon/provider';
import { Providers } from '../signon/providers';
import { departmentsQuery, tenantQuery, tenantsQuery } from '../queries';
import styles from '../settings.module.css';

type Tenant = Schemas['Tenant'];

const route = getRouteApi('/app/organisation/tenants/$tenantId');

/** The page of an organisation, or that of one of its identity providers. */
export function TenantPage() {
  const { tenantId } = route.useParams();
  const { provider } = route.useSearch();
  return provider ? <ProviderPage tenantId={tenantId} providerId={provider} /> : <Organisation tenantId={tenantId} />;
}

/** An organisation: its departments, Projects, admins and identity providers. */
function Organisation({ tenantId }: { tenantId: number }) {
  const t = useTexts('settings').tenant;
  return (
    <PlaceFrame
      query={useQuery(tenantQuery(tenantId))}
      actions={(tenant) => (
        <>
          {may(tenant, 'tenant.events.view') && (
            <ButtonLink to="/organisation/tenants/$tenantId/audit" params={{ tenantId }} icon={<ScrollText aria-hidden />}>
              {t.audit}
            </ButtonLink>
          )}{' '}
          {may(tenant, 'user.list') && (
            <ButtonLink to="/organisation/users" search={{ tenant: tenantId }} icon={<Users aria-hidden />}>
              {t.users}
            </ButtonLink>
          )}
        </>
      )}
    >
      {(tenant) => (
        <>
          <Departments tenant={tenant} />
          <Projects tenant={tenant} />
          {may(tenant, 'tenant.members.view') && (
            <MemberList place={{ kind: 'tenant', id: tenantId }} title={t.admins} lead={t.adminsLead} manages={may(tenant, 'tenant.members.manage')} />
          )}
          {may(tenant, 'tenant.providers.manage') && <Providers tenantId={tenantId} />}
          {may(tenant, 'tenant.update') && <General tenant={tenant} />}
        </>
      )}
    </PlaceFrame>
  );
}

function Departments({ tenant }: { tenant: Tenant }) {
  const t = useTexts('settings').tenant;
  const client = useQueryClient();
  const [creating, setCreating] = useState(false);
  const departments = useQuery(departmentsQuery(tenant.id)).data?.data;
  const close = () => setCreating(false);
  return (
    <Section
      title={t.departments}
      lead={t.departmentsLead}
      actions={
        may(tenant, 'department.create') && (
          <Button icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
            {t.createDepartment}
          </Button>
        )
      }
    >
      {departments?.length === 0 && (
        <Nothing title={t.noDepartments}>
          <p>{t.noDepartmentsHint}</p>
        </Nothing>
      )}
      {departments && departments.length > 0 && (
        <Rows label={t.departments}>
          {departments.map((department) => (
            <Row
              key={department.id}
              icon={<Building2 aria-hidden />}
              title={
                <Link to="/organisation/departments/$departmentId" params={{ departmentId: department.id }}>
                  {department.name}
                </Link>
              }
            />
          ))}
        </Rows>
      )}
      <Dialog title={t.createDepartment} isOpen={creating} onClose={close}>
        <NameForm
          action={t.createDepartment}
          onCancel={close}
          onSaved={close}
          onSave={async (name) => {
            await api.POST('/api/tenants/{tenantId}/departments', { params: { path: { tenantId: tenant.id } }, body: { name } });
            await client.invalidateQueries({ queryKey: departmentsQuery(tenant.id).queryKey });
          }}
        />
      </Dialog>
    </Section>
  );
}

function Projects({ tenant }: { tenant: Tenant }) {
  const t = useTexts('settings').tenant;
  const [creating, setCreating] = useState(false);
  const projects = useProjects().filter((p) => p.tenantId === tenant.id);
  return (
    <Section
      title={t.projects}
      actions={
        may(tenant, 'project.create') && (
          <Button icon={<Plus aria-hidden />} onPress={() => setCreating(true)}>
            {t.createProject}
          </Button>
        )
      }
    >
      <ProjectList projects={projects} label={t.projects} />
      <Dialog title={t.createProject} isOpen={creating} onClose={() => setCreating(false)}>
        <CreateProject tenant={tenant} onClose={() => setCreating(false)} />
      </Dialog>
    </Section>
  );
}

function CreateProject({ tenant, onClose }: { tenant: Tenant; onClose: () => void }) {
  const t = useTexts('settings').tenant;
  const client = useQueryClient();
  const navigate = useNavigate();
  const departments = useQuery(departmentsQuery(tenant.id)).data?.data ?? [];
  const form = useForm({ name: '', departmentId: 0, locales: ['en'] }, async ({ name, departmentId, locales }) => {
    const body = { name, departmentId: departmentId || null, locales };
    const project = await dataOf(api.POST('/api/tenants/{tenantId}/projects', { params: { path: { tenantId: tenant.id } }, body }));
    await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    onClose();
    await navigate({ to: '/projects/$projectId/collections', params: { projectId: project.id } });
  });
  return (
    <SaveForm form={form} action={t.createProject} onCancel={onClose}>
      <TextField label={t.name} required autoComplete="off" {...form.field('name')} />
      <Select label={t.department} {...form.field('departmentId')} options={[{ id: 0, label: t.noDepartment }, ...departments.map((d) => ({ id: d.id, label: d.name }))]} />
      <LanguageList label={t.languages} hint={t.languagesHint} value={form.values.locales} onChange={(locales) => form.set('locales', locales)} fault={form.fault('locales')} />
    </SaveForm>
  );
}

/** What e-mails to the users of a tenant say. A choice is stored at once. */
function MailContent({ tenant }: { tenant: Tenant }) {
  const t = useTexts('settings').tenant;
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (mailContent: Tenant['mailContent']) => api.PATCH('/api/tenants/{tenantId}', { params: { path: { tenantId: tenant.id } }, body: { mailContent } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tenantQuery(tenant.id).queryKey });
      toast(t.saved);
    },
  });
  return (
    <div className={styles.narrow}>
      {change.error && <Problem error={asApiError(change.error)} />}
      <Select
        label={t.mailContent}
        hint={t.mailContentHint}
        value={change.isPending ? change.variables : tenant.mailContent}
        onChange={change.mutate}
        options={[
          { id: 'full', label: t.mailFull },
          { id: 'none', label: t.mailNone },
        ]}
      />
    </div>
  );
}

/** Whether people may have assistants in the Projects of a tenant. A choice is stored at once. */
function AssistantSwitch({ tenant }: { tenant: Tenant }) {
  const t = useTexts('settings').tenant;
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (assistants: boolean) => api.PATCH('/api/tenants/{tenantId}', { params: { path: { tenantId: tenant.id } }, body: { assistants } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: tenantQuery(tenant.id).queryKey });
      toast(t.saved);
    },
  });
  return (
    <div className={styles.narrow}>
      {change.error && <Problem error={asApiError(change.error)} />}
      <Switch isSelected={change.isPending ? change.variables : tenant.assistants} onChange={change.mutate} hint={t.assistantsHint}>
        {t.assistants}
      </Switch>
    </div>
  );
}

function General({ tenant }: { tenant: Tenant }) {
  const t = useTexts('settings').tenant;
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = { tenantId: tenant.id };
  return (
    <Section title={t.general}>
      <NameForm
        name={tenant.name}
        onSave={async (name) => {
          await api.PATCH('/api/tenants/{tenantId}', { params: { path }, body: { name } });
          await client.invalidateQueries({ queryKey: tenantQuery(tenant.id).queryKey });
          await client.invalidateQueries({ queryKey: tenantsQuery.queryKey });
          toast(t.saved);
        }}
      />
      <MailContent tenant={tenant} />
      <AssistantSwitch tenant={tenant} />
      <FactorPolicy key={tenant.requireSecondFactor?.from} tenant={tenant} />
      {may(tenant, 'tenant.delete') && (
        <Removal
          text={t.removeText}
          title={t.removeTitle(tenant.name)}
          typed={tenant.name}
          action={t.remove}
          onDelete={async () => {
            await api.DELETE('/api/tenants/{tenantId}', { params: { path } });
            await navigate({ to: '/organisation' });
            await client.invalidateQueries({ queryKey: tenantsQuery.queryKey });
          }}
        />
      )}
    </Section>
  );
}
