import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { api, type Schemas } from '../../api/client';
import { projectsQuery } from '../../api/queries';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { useForm } from '../../ui/form';
import { NumberField, Select, Switch, TextArea, TextField } from '../../ui/forms';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { Removal } from '../deletion';
import { Copyable, ProjectPage, Section } from '../parts';
import { useProjectChange } from '../projectchange';
import { departmentsQuery } from '../queries';
import styles from '../settings.module.css';
import { PreviewUrl } from './previewurl';
import { InUse } from '../uses';

type Project = Schemas['Project'];

const megabyte = 1e6; // bytes
const noDepartment = 0;

const route = getRouteApi('/app/projects/$projectId/settings');

/** The settings of a Project. */
export function ProjectSettingsPage() {
  const t = useTexts('settings').project;
  const { projectId } = route.useParams();
  return (
    <ProjectPage projectId={projectId} title={t.title}>
      {(project) => (
        <>
          <Section title={t.general}>
            <div className={styles.narrow}>{may(project, 'project.update') ? <General project={project} /> : <Facts project={project} />}</div>
          </Section>
          {may(project, 'project.delete') && <Remove project={project} />}
        </>
      )}
    </ProjectPage>
  );
}

function General({ project }: { project: Project }) {
  const t = useTexts('settings').project;
  const copyable = useTexts('settings').copyable;
  const change = useProjectChange(project.id);
  // Admins of the organisation may move a Project. They are the users with the permission to delete it.
  const mayMove = may(project, 'project.delete');
  const departments = useQuery({ ...departmentsQuery(project.tenantId), enabled: mayMove }).data?.data ?? [];
  const form = useForm(
    {
      name: project.name,
      departmentId: project.departmentId ?? noDepartment,
      uploadLimit: project.uploadLimit / megabyte as number | null,
      allowedOrigins: project.allowedOrigins.join('\n'),
      previewUrl: project.previewUrl ?? '',
      previewOrigins: project.previewOrigins.join('\n'),
      revisionLimit: project.revisionLimit as number | null,
      publicationDays: project.publicationDays,
      removeLocation: !project.keepLocation,
      sharedCache: project.sharedCache as number | null,
    },
    async (_, { departmentId, uploadLimit, allowedOrigins, previewUrl, previewOrigins, revisionLimit, removeLocation, sharedCache, ...rest }) => {
      await change({
        ...rest,
        ...(departmentId !== undefined && { departmentId: departmentId === noDepartment ? null : departmentId }),
        ...(uploadLimit !== undefined && { uploadLimit: Math.round((uploadLimit ?? 0) * megabyte) }),
        ...(revisionLimit !== undefined && { revisionLimit: revisionLimit ?? 0 }),
        ...(allowedOrigins !== undefined && { allowedOrigins: allowedOrigins.split(/\s+/).filter(Boolean) }),
        ...(previewOrigins !== undefined && { previewOrigins: previewOrigins.split(/\s+/).filter(Boolean) }),
        ...(removeLocation !== undefined && { keepLocation: !removeLocation }),
        ...(sharedCache !== undefined && { sharedCache: sharedCache ?? 0 }),
        ...(previewUrl !== undefined && { previewUrl: previewUrl.trim() || null }),
      });
      toast(t.saved);
    },
  );
  return (
    <SaveForm form={form} action={t.save} problem={(error) => <InUse error={error} />}>
      <TextField label={t.name} required autoComplete="off" {...form.field('name')} />
      {mayMove && (
        <Select
          label={t.department}
          hint={t.departmentHint}
          {...form.field('departmentId')}
          options={[{ id: noDepartment, label: t.noDepartment }, ...departments.map((d) => ({ id: d.id, label: d.name }))]}
        />
      )}
      <div className={styles.pair}>
        <NumberField label={t.upload} hint={t.uploadHint} min={0} {...form.field('uploadLimit')} />
        <NumberField label={t.revisions} hint={t.revisionsHint} min={0} {...form.field('revisionLimit')} />
        <NumberField label={t.publications} hint={t.publicationsHint} min={0} {...form.field('publicationDays')} />
      </div>
      <Switch isSelected={form.values.removeLocation} onChange={(on) => form.set('removeLocation', on)} hint={t.locationHint}>
        {t.location}
      </Switch>
      <NumberField label={t.sharedCache} hint={t.sharedCacheHint} min={0} max={86400} {...form.field('sharedCache')} />
      <TextArea label={t.origins} hint={t.originsHint} rows={3} spellCheck={false} {...form.field('allowedOrigins')} />
      <TextArea label={t.previews} hint={t.previewsHint} rows={2} spellCheck={false} {...form.field('previewOrigins')} />
      <PreviewUrl project={project} {...form.field('previewUrl')} />
      <div className={styles.group}>
        <h3>{t.uuid}</h3>
        <Copyable texts={copyable} value={project.uuid} />
      </div>
    </SaveForm>
  );
}

/** The settings for users without the permission to change the Project. */
function Facts({ project }: { project: Project }) {
  const t = useTexts('settings').project;
  const copyable = useTexts('settings').copyable;
  const format = useFormat();
  return (
    <dl className={styles.facts}>
      <dt>{t.name}</dt>
      <dd>{project.name}</dd>
      <dt>{t.uuid}</dt>
      <dd>
        <Copyable texts={copyable} value={project.uuid} />
      </dd>
      <dt>{t.uploadPlain}</dt>
      <dd>{format.bytes(project.uploadLimit)}</dd>
      <dt>{t.origins}</dt>
      <dd>{format.list(project.allowedOrigins)}</dd>
      {project.previewOrigins.length > 0 && (
        <>
          <dt>{t.previews}</dt>
          <dd>{format.list(project.previewOrigins)}</dd>
        </>
      )}
      {project.previewUrl !== null && (
        <>
          <dt>{t.page}</dt>
          <dd>{project.previewUrl}</dd>
        </>
      )}
    </dl>
  );
}

function Remove({ project }: { project: Project }) {
  const t = useTexts('settings').project;
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <Section title={t.remove}>
      <Removal
        text={t.removeText}
        title={t.removeTitle(project.name)}
        typed={project.name}
        action={t.removeThis}
        onDelete={async () => {
          await api.DELETE('/api/projects/{projectId}', { params: { path: { projectId: project.id } } });
          await navigate({ to: '/organisation/tenants/$tenantId', params: { tenantId: project.tenantId } });
          toast(t.removed(project.name));
          await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
        }}
      />
    </Section>
  );
}
