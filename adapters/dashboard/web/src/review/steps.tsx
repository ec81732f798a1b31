import type { Schemas } from '../api/client';
import { texts, useTexts } from '../i18n/language';
import styles from './steps.module.css';

type Step = Schemas['WorkflowStep'];
type Request = Schemas['ApprovalRequest'];

/** Returns the name of a step: its label, or the role that decides it. */
export function useStepName() {
  const t = useTexts(words);
  return (step: Step) => step.stepLabel ?? (step.requiredCustomRoleId !== null ? t.customRole : t[step.requiredRoleKind]);
}

/** The index of the current step, or -1 if the request is not pending. */
export function currentIndex({ currentStep, steps }: Pick<Request, 'currentStep' | 'steps'>) {
  return currentStep ? steps.findIndex((s) => s.stepOrder === currentStep.stepOrder) : -1;
}

/** The progress of a pending request, as bars and as text. */
export function StepBar({ request }: { request: Request }) {
  const t = useTexts(words);
  const name = useStepName();
  const at = currentIndex(request);
  const step = request.steps[at];
  if (!step) return null;
  return (
    <div className={styles.bar}>
      <span aria-hidden>
        {request.steps.map((s, i) => (
          <i key={s.stepOrder} data-state={i < at ? 'done' : i === at ? 'now' : undefined} />
        ))}
      </span>
      <span>{t.step(at + 1, request.steps.length, name(step))}</span>
      {request.currentStep?.unreachable && <span className={styles.unreachable}>{t.unreachable}</span>}
    </div>
  );
}

const words = texts({
  en: {
    step: (number: number, of: number, name: string) => `Step ${number} of ${of}: ${name}`,
    unreachable: 'No user can decide this step',
    customRole: 'Special role',
    admin: 'Admin of the project',
    department_admin: 'Admin of the department',
    tenant_admin: 'Admin of the organisation',
  },
  de: {
    step: (number: number, of: number, name: string) => `Schritt ${number} von ${of}: ${name}`,
    unreachable: 'Diesen Schritt kann niemand entscheiden',
    customRole: 'Besondere Rolle',
    admin: 'Administrator des Projekts',
    department_admin: 'Administrator der Abteilung',
    tenant_admin: 'Administrator der Organisation',
  },
});
