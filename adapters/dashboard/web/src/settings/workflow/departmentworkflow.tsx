import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { may } from '../../api/rights';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Problem, Skeleton } from '../../ui/basics';
import { Button } from '../../ui/button';
import { Deletion } from '../deletion';
import { Nothing, Section } from '../parts';
import { customRolesQuery, departmentQuery } from '../queries';
import { valuesOf } from './step';
import { Steps } from './steps';
import { InUse } from '../uses';
import { WorkflowEditor } from './workfloweditor';

export const workflowQuery = (departmentId: number) => $api.queryOptions('get', '/api/departments/{departmentId}/approval-workflow', { params: { path: { departmentId } } });

/** The workflow for the Projects of a Department that have no own workflow. */
export function DepartmentWorkflow({ department }: { department: Schemas['Department'] }) {
  const {
    departmentworkflow: t,
    workflow: { exempt, unpublishing },
  } = useTexts('workflow');
  const format = useFormat();
  const client = useQueryClient();
  const none = !department.hasWorkflow;
  const query = useQuery({ ...workflowQuery(department.id), enabled: !none });
  const customRoles = useQuery(customRolesQuery(department.id)).data?.data ?? [];
  const [creating, setCreating] = useState(false);
  const [removing, setRemoving] = useState(false);
  // After a removal, the query keeps its old data.
  const workflow = none ? undefined : query.data;
  const sets = may(department, 'department.workflow.set');
  const path = { departmentId: department.id };
  const place = { departmentId: department.id, tenantId: department.tenantId };
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: departmentQuery(department.id).queryKey });
    await client.invalidateQueries({ queryKey: workflowQuery(department.id).queryKey });
    await client.invalidateQueries({ queryKey: ['get', '/api/projects/{projectId}/approval-workflow/effective'] });
  };
  return (
    <Section
      title={t.title}
      lead={t.lead}
      actions={
        workflow &&
        sets && (
          <Button kind="danger" onPress={() => setRemoving(true)}>
            {t.remove}
          </Button>
        )
      }
    >
      {!none && query.error && <Problem error={query.error} retry={() => void query.refetch()} />}
      {!none && query.isPending && <Skeleton />}
      {none && !creating && (
        <Nothing title={t.none}>
          <p>{t.noneHint}</p>
          {sets && (
            <Button kind="primary" onPress={() => setCreating(true)}>
              {t.begin}
            </Button>
          )}
        </Nothing>
      )}
      {workflow && !sets && (
        <>
          <Steps steps={valuesOf(workflow).steps} customRoles={customRoles} place={place} />
          {workflow.unpublishing !== 'free' && <p>{unpublishing[workflow.unpublishing]}</p>}
          {workflow.exempt && <p>{exempt(format.list(workflow.exempt.collections))}</p>}
        </>
      )}
      {sets && (workflow || creating) && (
        <WorkflowEditor
          workflow={workflow}
          place={place}
          customRoles={customRoles}
          help={t.giveRole}
          onCancel={workflow ? undefined : () => setCreating(false)}
          onSave={async (body) => {
            await api.PUT('/api/departments/{departmentId}/approval-workflow', { params: { path }, body });
            await refresh();
            setCreating(false);
          }}
        />
      )}
      <Deletion
        title={t.removeTitle}
        isOpen={removing}
        onClose={() => setRemoving(false)}
        action={t.remove}
        problem={(error) => <InUse error={error} />}
        onDelete={async () => {
          await api.DELETE('/api/departments/{departmentId}/approval-workflow', { params: { path } });
          await refresh();
        }}
      >
        <p>{t.removeText}</p>
      </Deletion>
    </Section>
  );
}
