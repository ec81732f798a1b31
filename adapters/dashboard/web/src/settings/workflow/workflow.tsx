import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Note, Problem, Skeleton } from '../../ui/basics';
import { Button } from '../../ui/button';
import ui from '../../ui/ui.module.css';
import { Deletion } from '../deletion';
import { ProjectPage } from '../parts';
import { customRolesQuery, departmentQuery } from '../queries';
import { valuesOf } from './step';
import { Steps } from './steps';
import { TryButton } from './trybutton';
import { placeOf } from '../../review/deciders';
import { InUse } from '../uses';
import { WorkflowEditor } from './workfloweditor';
import styles from './workflow.module.css';

type Project = Schemas['Project'];

const route = getRouteApi('/app/projects/$projectId/workflow');

const effectiveQuery = (projectId: number) => $api.queryOptions('get', '/api/projects/{projectId}/approval-workflow/effective', { params: { path: { projectId } } });

/** The effective workflow of a Project, and the Project's own workflow. */
export function WorkflowPage() {
  const t = useTexts('workflow').workflow;
  const { projectId } = route.useParams();
  return (
    <ProjectPage projectId={projectId} title={t.title} lead={t.lead}>
      {(project) => <Governing project={project} />}
    </ProjectPage>
  );
}

function Governing({ project }: { project: Project }) {
  const t = useTexts('workflow').workflow;
  const client = useQueryClient();
  const format = useFormat();
  const effective = useQuery(effectiveQuery(project.id));
  const departmentId = project.departmentId ?? 0;
  const department = useQuery({ ...departmentQuery(departmentId), enabled: departmentId > 0 });
  const customRoles = useQuery({ ...customRolesQuery(departmentId), enabled: departmentId > 0 }).data?.data ?? [];
  const [own, setOwn] = useState(false);
  const [removing, setRemoving] = useState(false);
  if (effective.error) return <Problem error={effective.error} retry={() => void effective.refetch()} />;
  if (!effective.data) return <Skeleton />;

  const { source, workflow } = effective.data;
  const mayset = may(project, 'project.workflow.set');
  const departmentLink = department.data ? (
    <Link className={ui.link} to="/organisation/departments/$departmentId" params={{ departmentId }}>
      {department.data.name}
    </Link>
  ) : (
    t.itsDepartment
  );
  const path = { projectId: project.id };
  const refresh = () => client.invalidateQueries({ queryKey: effectiveQuery(project.id).queryKey });
  const help = (
    <>
      {t.giveRole}{' '}
      <Link to="/projects/$projectId/members" params={path}>
        {t.members}
      </Link>
      {departmentId > 0 && (
        <>
          , <Link to="/organisation/departments/$departmentId" params={{ departmentId }}>{department.data?.name ?? t.itsDepartment}</Link>
        </>
      )}
      .
    </>
  );
  const editing = mayset && (own || source === 'project');
  return (
    <div className={styles.force}>
      <p>
        {source === 'project' ? t.fromProject : source === 'none' ? t.fromNone : t.fromDepartment}
        {source === 'department' && <> {departmentLink}.</>}
      </p>
      {own && source === 'department' && <Note>{t.copied}</Note>}
      {editing ? (
        <WorkflowEditor
          key={source}
          workflow={workflow ?? undefined}
          isNew={source !== 'project'}
          place={placeOf(project)}
          customRoles={customRoles}
          help={help}
          onCancel={source === 'project' ? undefined : () => setOwn(false)}
          onSave={async (body) => {
            await api.PUT('/api/projects/{projectId}/approval-workflow', { params: { path }, body });
            await refresh();
            setOwn(false);
          }}
        />
      ) : (
        workflow && (
          <>
            <Steps steps={valuesOf(workflow).steps} customRoles={customRoles} place={placeOf(project)} />
            <p>{workflow.allowSelfApproval ? t.self : t.noSelf}</p>
            {workflow.unpublishing !== 'free' && <p>{t.unpublishing[workflow.unpublishing]}</p>}
            {workflow.exempt && <p>{t.exempt(format.list(workflow.exempt.collections))}</p>}
            <div>
              <TryButton place={placeOf(project)} />
            </div>
            {workflow.steps.some((step) => step.unreachable) && (
              <Note tone="bad">
                {t.unreachable} {help}
              </Note>
            )}
          </>
        )
      )}
      {mayset && source !== 'project' && !own && (
        <div>
          <Button onPress={() => setOwn(true)}>{source === 'none' ? t.begin : t.beginOwn}</Button>
        </div>
      )}
      {mayset && source === 'project' && (
        <>
          <div>
            <Button kind="danger" onPress={() => setRemoving(true)}>
              {departmentId > 0 ? t.useDepartment : t.remove}
            </Button>
          </div>
          <Deletion
            title={departmentId > 0 ? t.useDepartmentTitle : t.removeTitle}
            isOpen={removing}
            onClose={() => setRemoving(false)}
            action={t.removeOwn}
            problem={(error) => <InUse error={error} />}
            onDelete={async () => {
              await api.DELETE('/api/projects/{projectId}/approval-workflow', { params: { path } });
              await refresh();
            }}
          >
            <p>{departmentId > 0 ? t.useDepartmentText : t.removeText}</p>
          </Deletion>
        </>
      )}
    </div>
  );
}
