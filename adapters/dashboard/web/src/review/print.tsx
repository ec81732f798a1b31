import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { actorName } from '../ui/actor';
import { meaningOf } from './deadline';
import { titleOf } from './open';
import styles from './print.module.css';
import type { Request } from './queries';
import { stepOf, useStepName } from './steps';

type Action = Request['actions'][number];

/** The record of a request on paper: the content and each decision. Screens do not show it. */
export function PrintedRecord({ request, actions, chainHash, intact }: { request: Request; actions: readonly Action[]; chainHash: string; intact: boolean }) {
  const t = useTexts('conditions').print;
  const { did } = useTexts('review').record;
  const { methods } = useTexts('conditions');
  const format = useFormat();
  const stepName = useStepName();
  const roles = useTexts('common').steps;
  /** The role with which a step was decided, as the request has it. */
  const roleOf = (step: Request['steps'][number], { by }: Action) => {
    const { requiredRoleKind, requiredCustomRoleId } = by === 'escalation' && step.escalate ? step.escalate : step;
    return requiredCustomRoleId || !requiredRoleKind ? roles.customRole : roles[requiredRoleKind];
  };
  const content = request.snapshot as { fields?: Record<string, unknown> } | null;
  return (
    <section className={styles.paper} aria-hidden data-print>
      <h1>{titleOf(request) ?? request.releaseNumber}</h1>
      <p>{request.releaseNumber}</p>
      <dl>
        <dt>{t.content}</dt>
        <dd>{request.contentHash}</dd>
        <dt>{t.chain}</dt>
        <dd>
          {chainHash} {intact ? t.intact : t.broken}
        </dd>
      </dl>
      <h2>{t.decisions}</h2>
      {actions.map((action) => {
        const step = stepOf(request, action);
        return (
          <div key={action.id}>
            <b>{actorName(action.actor)}</b> {did[action.type]}
            {step && ` (${stepName(step)})`}
            <dl>
              <dt>{t.time}</dt>
              <dd>{format.exact(action.createdAt)}</dd>
              {step && <dt>{t.role}</dt>}
              {step && <dd>{roleOf(step, action)}</dd>}
              {action.onBehalfOf && <dt>{t.onBehalfOf}</dt>}
              {action.onBehalfOf && <dd>{action.onBehalfOf.name}</dd>}
              {action.signature && <dt>{t.meaning}</dt>}
              {action.signature && (
                <dd>
                  {meaningOf(action.signature)}, {methods[action.signature.method]}
                </dd>
              )}
              {action.comment && <dt>{t.comment}</dt>}
              {action.comment && <dd>{action.comment}</dd>}
              <dt>{t.hash}</dt>
              <dd>{action.hash}</dd>
            </dl>
          </div>
        );
      })}
      {content?.fields && <h2>{t.fields}</h2>}
      <dl>
        {Object.entries(content?.fields ?? {}).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
