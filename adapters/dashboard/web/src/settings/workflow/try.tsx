import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client';
import { useProjects } from '../../api/queries';
import { Said } from '../../faults/said';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import type { WorkflowPlace } from '../../review/deciders';
import { enough, longestText, searchQuery } from '../../shell/searchfind';
import { Chip, Problem } from '../../ui/basics';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/overlays';
import { TextField } from '../../ui/textfields';
import styles from './workflow.module.css';

type Found = Pick<Schemas['SearchResults']['entries'][number], 'id' | 'projectId' | 'title'>;
type TryProps = {
  place: WorkflowPlace;
  /** The workflow that is edited; undefined: the saved one. */
  workflow?: Schemas['WorkflowInput'];
  onClose: () => void;
};

/** Shows who would have to decide the draft of an entry if the user submitted it now. */
export default function TryDialog({ place, workflow, onClose }: TryProps) {
  const t = useTexts('workflow').trial;
  const projects = useProjects();
  const [text, setText] = useState('');
  const words = useDeferredValue(text.trim());
  const { data, isFetching } = useQuery({ ...searchQuery(words), placeholderData: keepPreviousData });
  const here = (projectId: number) => (place.project ? projectId === place.project.id : projects.some(({ id, departmentId }) => id === projectId && departmentId === place.departmentId));
  const found = enough(words) ? (data?.entries ?? []).filter(({ projectId }) => here(projectId)) : [];
  const trial = useMutation({
    mutationFn: ({ id, projectId }: Found) => dataOf(api.POST('/api/projects/{projectId}/approval-workflow/try', { params: { path: { projectId } }, body: { entryId: id, ...(workflow && { workflow }) } })),
  });
  return (
    <Dialog title={t.title} isOpen onClose={onClose}>
      <p>{t.lead}</p>
      <TextField label={t.search} type="search" value={text} onChange={setText} maxLength={longestText} autoComplete="off" autoFocus />
      <ul className={styles.found} aria-label={t.found}>
        {found.map((entry) => (
          <li key={entry.id}>
            <span>
              {entry.title} <small>{entry.collectionName}</small>
            </span>
            <Button isPending={trial.isPending && trial.variables.id === entry.id} onPress={() => trial.mutate(entry)} aria-label={t.tryIt(entry.title)}>
              {t.try}
            </Button>
          </li>
        ))}
      </ul>
      <p role="status">{!enough(words) ? t.type : isFetching ? t.searching : found.length === 0 ? t.nothing : ''}</p>
      {trial.error && <Problem error={trial.error} />}
      {trial.data && <Result title={trial.variables.title} trial={trial.data} />}
      <footer>
        <Button onPress={onClose}>{t.close}</Button>
      </footer>
    </Dialog>
  );
}

function Result({ title, trial }: { title: string; trial: Schemas['Trial'] }) {
  const t = useTexts('workflow').trial;
  const heading = t.result(title);
  return (
    <section aria-label={heading} className={styles.trial}>
      <h3>{heading}</h3>
      {trial.steps.length === 0 && <p>{trial.exempt ? t.exempt : t.direct}</p>}
      <ol>
        {trial.steps.map((step) => (
          <li key={step.stepId}>
            <Tried step={step} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Tried({ step }: { step: Schemas['TriedStep'] }) {
  const t = useTexts('workflow').trial;
  const format = useFormat();
  return (
    <>
      <b>{step.stepLabel ?? t.step(step.stepId)}</b> {step.approvals > 1 && <Chip plain>{t.approvals(step.approvals)}</Chip>} {!step.applies && <Chip plain>{t.skipped}</Chip>} {step.dueIn && <Chip plain>{t.due(step.dueIn)}</Chip>}
      {step.applies && <p>{step.deciders.length > 0 ? format.list(step.deciders.map(({ name }) => name)) : t.nobody}</p>}
      {step.barred.map(({ person, reason }) => (
        <p key={person.id}>
          {t.barred(person.name)} <Said text={reason} />
        </p>
      ))}
      {step.unreachable && (
        <p className={styles.problem}>
          {t.unreachable} <Said text={(step.reasons ?? []).join('; ')} />
        </p>
      )}
    </>
  );
}
