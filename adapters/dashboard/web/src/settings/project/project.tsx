import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { api, type Schemas } from '../../api/client';
import { projectsQuery } from '../../api/queries';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { texts, useTexts } from '../../i18n/language';
import { useForm } from '../../ui/form';
import { NumberField, Select, Switch, TextArea, TextField } from '../../ui/forms';
import { toast } from '../../ui/toast';
import { SaveForm } from '../../ui/saveform';
import { Copyable } from './copyable';
import { Removal } from '../deletion';
import { ProjectPage, Section } from '../parts';
import { useProjectChange } from '../projectchange';
import { departmentsQuery } from '../queries';
import styles from '../settings.module.css';
import { PreviewUrl } from './previewurl';
import { InUse } from '../uses';

type Project = Schemas['Project'];

const mebibyte = 1024 * 1024; // bytes; the API's default limit is a multiple of it
const noDepartment = 0;

const route = getRouteApi('/app/projects/$projectId/settings');

/** The settings of a Project. */
export function ProjectSettingsPage() {
  const t = useTexts(words);
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
  const t = useTexts(words);
  const change = useProjectChange(project.id);
  // Admins of the organisation may move a Project. They are the users with the permission to delete it.
  const mayMove = may(project, 'project.delete');
  const departments = useQuery({ ...departmentsQuery(project.tenantId), enabled: mayMove }).data?.data ?? [];
  const form = useForm(
    {
      name: project.name,
      departmentId: project.departmentId ?? noDepartment,
      uploadLimit: project.uploadLimit / mebibyte as number | null,
      allowedOrigins: project.allowedOrigins.join('\n'),
      previewUrl: project.previewUrl ?? '',
      revisionLimit: project.revisionLimit as number | null,
      publicationDays: project.publicationDays,
      removeLocation: !project.keepLocation,
    },
    async (_, { departmentId, uploadLimit, allowedOrigins, previewUrl, revisionLimit, removeLocation, ...rest }) => {
      await change({
        ...rest,
        ...(departmentId !== undefined && { departmentId: departmentId === noDepartment ? null : departmentId }),
        ...(uploadLimit !== undefined && { uploadLimit: Math.round((uploadLimit ?? 0) * mebibyte) }),
        ...(revisionLimit !== undefined && { revisionLimit: revisionLimit ?? 0 }),
        ...(allowedOrigins !== undefined && { allowedOrigins: allowedOrigins.split(/\s+/).filter(Boolean) }),
        ...(removeLocation !== undefined && { keepLocation: !removeLocation }),
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
      <TextArea label={t.origins} hint={t.originsHint} rows={3} spellCheck={false} {...form.field('allowedOrigins')} />
      <PreviewUrl project={project} {...form.field('previewUrl')} />
      <div className={styles.group}>
        <h3>{t.uuid}</h3>
        <Copyable value={project.uuid} />
      </div>
    </SaveForm>
  );
}

/** The settings for users without the permission to change the Project. */
function Facts({ project }: { project: Project }) {
  const t = useTexts(words);
  const format = useFormat();
  return (
    <dl className={styles.facts}>
      <dt>{t.name}</dt>
      <dd>{project.name}</dd>
      <dt>{t.uuid}</dt>
      <dd>
        <Copyable value={project.uuid} />
      </dd>
      <dt>{t.uploadPlain}</dt>
      <dd>{format.bytes(project.uploadLimit)}</dd>
      <dt>{t.origins}</dt>
      <dd>{format.list(project.allowedOrigins)}</dd>
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
  const t = useTexts(words);
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

const words = texts({
  en: {
    title: 'Settings',
    general: 'General',
    name: 'Name',
    department: 'Department',
    departmentHint: 'Its admins get rights here, and its workflow applies unless the project has its own.',
    noDepartment: 'None',
    upload: 'Largest upload, in MiB',
    uploadPlain: 'Largest upload',
    uploadHint: 'For one file.',
    revisions: 'Revisions of an entry',
    revisionsHint: '0 keeps all.',
    publications: 'Days that publications are kept',
    publicationsHint: 'After their end, at least a year. Empty: for ever.',
    location: 'Remove the location from uploaded pictures',
    locationHint: 'Pictures that are uploaded no longer say where they were taken. They look the same and keep their copyright.',
    origins: 'Web pages that may read content',
    originsHint: 'One origin a line, such as https://www.example.com. * means all.',
    page: 'Page of an entry',
    uuid: 'Id in the content API',
    save: 'Save',
    saved: 'The settings were saved.',
    remove: 'Delete',
    removeThis: 'Delete the project',
    removeTitle: (name: string) => `Delete ${name}?`,
    removeText: 'All its entries, media, tokens and their history are deleted. This cannot be undone.',
    removed: (name: string) => `${name} was deleted.`,
  },
  de: {
    title: 'Einstellungen',
    general: 'Allgemein',
    name: 'Name',
    department: 'Abteilung',
    departmentHint: 'Ihre Administratoren erhalten hier Rechte, und ihre Freigabe gilt, solange das Projekt keine eigene hat.',
    noDepartment: 'Keine',
    upload: 'Größte Datei, in MiB',
    uploadPlain: 'Größte Datei',
    uploadHint: 'Je hochgeladener Datei.',
    revisions: 'Fassungen je Eintrag',
    revisionsHint: '0 behält alle.',
    publications: 'Tage, die Veröffentlichungen bleiben',
    publicationsHint: 'Nach ihrem Ende, mindestens ein Jahr. Leer: immer.',
    location: 'Aufnahmeort aus hochgeladenen Bildern entfernen',
    locationHint: 'Hochgeladene Bilder verraten nicht mehr, wo sie entstanden. Sie sehen gleich aus und behalten ihre Urheberangaben.',
    origins: 'Webseiten, die Inhalte lesen dürfen',
    originsHint: 'Ein Ursprung je Zeile, etwa https://www.example.com. * bedeutet alle.',
    page: 'Seite eines Eintrags',
    uuid: 'Kennung in der Inhalts-API',
    save: 'Speichern',
    saved: 'Die Einstellungen sind gespeichert.',
    remove: 'Löschen',
    removeThis: 'Projekt löschen',
    removeTitle: (name: string) => `${name} löschen?`,
    removeText: 'Alle Einträge, Medien und Tokens des Projekts werden samt ihrer Geschichte gelöscht. Das lässt sich nicht rückgängig machen.',
    removed: (name: string) => `${name} ist gelöscht.`,
  },
});
