import { CircleAlert, Pencil } from 'lucide-react';
import { Fragment } from 'react';
import type { Schemas } from '../../api/client';
import { Said } from '../../faults/said';
import { useTexts } from '../../i18n/language';
import { Chip } from '../../ui/basics';
import { IconButton } from '../../ui/button';
import { Sortable } from '../../ui/sortable';
import { Deciders, type WorkflowPlace } from '../../review/deciders';
import { When } from '../../review/when';
import { useRoleNames } from '../people/roles';
import { conditionOf, stepOptionNames, stepOptions, type Step } from './step';
import styles from './workflow.module.css';

type CustomRole = Schemas['CustomRole'];

/** Returns the name of the role that decides a step. */
export function useDeciderName(customRoles: readonly CustomRole[]) {
  const t = useTexts('workflow').steps;
  const roles = useRoleNames();
  return (step: Pick<Step, 'roleKind' | 'customRoleId'>) => (step.customRoleId === null ? roles[step.roleKind] : t.holder(customRoles.find((role) => role.id === step.customRoleId)?.name ?? `#${step.customRoleId}`));
}

/** Returns the name of a step: its label, or the role that decides it. */
export function useStepName(customRoles: readonly CustomRole[]) {
  const decider = useDeciderName(customRoles);
  return (step: Step) => step.label.trim() || decider(step);
}

/** Why no user can decide a step, in the user's language. */
export function Reasons({ of }: { of: Pick<Step, 'reasons'> }) {
  return of.reasons.map((reason, i) => (
    <Fragment key={reason}>
      {i > 0 && '; '}
      <Said text={reason} />
    </Fragment>
  ));
}

type StepsProps = {
  steps: Step[];
  customRoles: readonly CustomRole[];
  place: WorkflowPlace;
  /** The id of the edited step. */
  selected?: string;
  onSelect?: (id: string) => void;
  onOrder?: (steps: Step[]) => void;
  faulty?: (index: number) => boolean;
};

/** The steps of a workflow as a row of cards. */
export function Steps({ steps, customRoles, place, selected, onSelect, onOrder, faulty }: StepsProps) {
  const { steps: t, options } = useTexts('workflow');
  const name = useStepName(customRoles);
  const decider = useDeciderName(customRoles);
  return (
    <div className={styles.line} data-editable={onSelect ? true : undefined}>
      <Sortable label={t.steps} items={steps} nameOf={name} onOrder={onOrder} layout="line">
        {(step, i) => (
          <>
            <div className={styles.card} data-selected={step.id === selected || undefined}>
              <span className={styles.number}>{t.number(i + 1)}</span>
              <b>{name(step)}</b>
              {step.label.trim() !== '' && <small>{decider(step)}</small>}
              <small>
                <Deciders place={place} decider={step} />
              </small>
              {step.when && (
                <small>
                  <When condition={conditionOf(step.when)} />
                </small>
              )}
              {step.remind.count !== null && <small>{t.reminds[step.remind.unit](step.remind.count)}</small>}
              {step.due.count !== null && <small>{t.due[step.due.unit](step.due.count)}</small>}
              {step.escalate && step.escalate.after.count !== null && <small>{t.escalates[step.escalate.after.unit](step.escalate.after.count, decider(step.escalate))}</small>}
              {i > 0 && step.together && <Chip plain>{t.together}</Chip>}
              {(step.approvals ?? 1) > 1 && <Chip plain>{t.approvals(step.approvals!)}</Chip>}
              {step.meanings.length > 0 && <Chip plain>{t.signature}</Chip>}
              {stepOptionNames.map((option) => step[option] !== stepOptions[option] && <Chip key={option} plain>{options[option].chip}</Chip>)}
              {step.unreachable && (
                <span className={styles.problem}>
                  <CircleAlert aria-hidden />
                  <span>
                    {t.unreachable}: <Reasons of={step} />
                  </span>
                </span>
              )}
              {faulty?.(i) && (
                <span className={styles.problem}>
                  <CircleAlert aria-hidden />
                  {t.faulty}
                </span>
              )}
            </div>
            {onSelect && <IconButton label={t.edit(name(step))} icon={<Pencil aria-hidden />} onPress={() => onSelect(step.id)} />}
          </>
        )}
      </Sortable>
    </div>
  );
}
