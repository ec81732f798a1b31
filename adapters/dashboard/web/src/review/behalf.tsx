import { useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../api/client';
import { useTexts } from '../i18n/language';
import type { InboxSearch } from '../inbox/search';
import { Note } from '../ui/basics';
import { Select } from '../ui/forms';
import type { Decision } from './decision';
import type { Request } from './queries';

type Lent = Schemas['LentDecision'][];

export type BehalfProps =
  | { /** The name of the user on whose behalf something was decided. */ of: string }
  | { /** What the user may decide on behalf of others, in a list. */ row: Lent }
  | { /** Which step the user decides, and in whose name. */ request: Request; decision: Decision; stepName: (step: Schemas['WorkflowStep']) => string }
  | { /** Limits the inbox to what the user may decide only on behalf of others. */ search: InboxSearch };

/** A part of a page about the choice of a step, or about decisions on behalf of others. */
export function Behalf(props: BehalfProps) {
  if ('request' in props)
    return (
      <>
        {props.request.canActOn.length > 1 && <StepChoice {...props} />}
        <Choice choice={props.request.canActFor ?? []} decision={props.decision} />
      </>
    );
  if ('search' in props) return <Filter {...props} />;
  return <Name name={'of' in props ? props.of : props.row.find((one) => !one.own)?.for[0]?.name} />;
}

function Name({ name }: { name: string | undefined }) {
  const t = useTexts('account').behalf;
  return name === undefined ? null : <small>{t.of(name)}</small>;
}

/** The choice among the open steps that the user may decide. */
function StepChoice({ request, decision, stepName }: { request: Request; decision: Decision; stepName: (step: Schemas['WorkflowStep']) => string }) {
  const t = useTexts('account').behalf;
  const steps = request.currentSteps.filter((step) => request.canActOn.includes(step.stepId ?? 0));
  return <Select label={t.which} value={String(decision.step?.stepId ?? 0)} onChange={(id: string) => decision.setStepId(Number(id))} options={steps.map((step) => ({ id: String(step.stepId), label: stepName(step) }))} />;
}

function Choice({ choice, decision }: { choice: Lent; decision: Decision }) {
  const t = useTexts('account').behalf;
  const lent = choice.find((one) => one.stepId === decision.step?.stepId);
  const first = lent?.for[0];
  if (!lent || !first) return null;
  if (!lent.own && lent.for.length === 1) return <Note>{t.only(first.name)}</Note>;
  return (
    <Select
      label={t.as}
      value={String(decision.forId ?? (lent.own ? 0 : first.id))}
      onChange={(id: string) => decision.setForId(Number(id) || undefined)}
      options={[...(lent.own ? [{ id: '0', label: t.own }] : []), ...lent.for.map((person) => ({ id: String(person.id), label: t.of(person.name) }))]}
    />
  );
}

function Filter({ search }: { search: InboxSearch }) {
  const t = useTexts('account').behalf.filter;
  const navigate = useNavigate();
  return (
    <Select
      label={t.label}
      hideLabel
      value={search.delegated ? 'delegated' : 'all'}
      onChange={(which: 'all' | 'delegated') => void navigate({ to: '/inbox', search: { ...search, page: undefined, delegated: which === 'delegated' || undefined } })}
      options={(['all', 'delegated'] as const).map((id) => ({ id, label: t[id] }))}
    />
  );
}
