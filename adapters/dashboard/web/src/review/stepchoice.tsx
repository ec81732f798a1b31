import { useTexts } from '../i18n/language';
import { Select } from '../ui/forms';
import type { Request } from './queries';
import { useStepName } from './steps';

/** The choice among the open steps that the user may decide. */
export function StepChoice({ request, stepId, onChange }: { request: Request; stepId: number; onChange: (stepId: number) => void }) {
  const t = useTexts('review').decisionbox;
  const stepName = useStepName();
  const steps = request.currentSteps.filter((step) => request.canActOn.includes(step.stepId ?? 0));
  return <Select label={t.which} value={String(stepId)} onChange={(id: string) => onChange(Number(id))} options={steps.map((step) => ({ id: String(step.stepId), label: stepName(step) }))} />;
}
