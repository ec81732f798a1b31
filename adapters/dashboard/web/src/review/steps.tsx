import { lazy, Suspense } from 'react';
import type { Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import { withTexts } from '../texts/load';
import type { BehalfProps } from './behalf';
import styles from './steps.module.css';

const Behalf = lazy(() => withTexts(import('./behalf'), 'account').then((m) => ({ default: m.Behalf })));

/** What few users see: the choice among several steps, and parts about decisions on behalf of others. */
export const OnBehalf = (props: BehalfProps) => (
  <Suspense>
    <Behalf {...props} />
  </Suspense>
);

type Step = Schemas['WorkflowStep'];
type Request = Schemas['ApprovalRequest'];

/** Returns the name of a step: its label, or the role that decides it. */
export function useStepName() {
  const t = useTexts('common').steps;
  return (step: Step) => step.stepLabel ?? (step.requiredCustomRoleId !== null ? t.customRole : t[step.requiredRoleKind]);
}

/** The steps that the request passes. */
export const applying = ({ steps }: Pick<Request, 'steps'>) => steps.filter((s) => s.applies !== false);

/** The index of the current step among those that apply, or -1 if the request is not pending. */
export function currentIndex({ currentStep, ...request }: Pick<Request, 'currentStep' | 'steps'>) {
  return currentStep ? applying(request).findIndex((s) => s.stepId === currentStep.stepId) : -1;
}

/** The step that an action decided; undefined for another action. Only approvals name one of several steps that are open together. */
export const stepOf = ({ steps }: Pick<Request, 'steps'>, { stepId, stepOrder }: Pick<Request['actions'][number], 'stepId' | 'stepOrder'>) =>
  steps.find((s) => (stepId === undefined ? s.stepOrder === stepOrder : s.stepId === stepId));

/** The approvals of a step. */
export const approvalsOf = (request: Pick<Request, 'steps' | 'actions'>, step: Step) => request.actions.filter((a) => a.type === 'approve' && stepOf(request, a)?.stepId === step.stepId);

/** What an approval of a step leads to: a later step, further approvals that lack, or undefined: the publication. */
export function afterApproval(request: Request, step: Step): Step | 'lacking' | undefined {
  const others = request.currentSteps.some((s) => s.stepId !== step.stepId);
  if (others || approvalsOf(request, step).length + 1 < (step.approvals ?? 1)) return 'lacking';
  return applying(request).find((s) => s.stepOrder > step.stepOrder);
}

/** The progress of a pending request, as bars and as text. */
export function StepBar({ request }: { request: Request }) {
  const t = useTexts('common').steps;
  const name = useStepName();
  const at = currentIndex(request);
  const steps = applying(request);
  const step = steps[at];
  if (!step) return null;
  return (
    <div className={styles.bar}>
      <span aria-hidden>
        {steps.map((s, i) => (
          <i key={s.stepId ?? i} data-state={request.currentSteps.some((open) => open.stepId === s.stepId) ? 'now' : s.stepOrder <= step.stepOrder ? 'done' : undefined} />
        ))}
      </span>
      <span>{t.step(at + 1, steps.length, name(step))}</span>
      {request.currentStep?.unreachable && <span className={styles.unreachable}>{t.unreachable}</span>}
    </div>
  );
}
