import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';

export type Condition = Schemas['Condition'];

/** The changes that a step applies to, as one sentence. skipped says that the request does not pass the step. */
export function When({ condition, skipped }: { condition: Condition; skipped?: boolean }) {
  const t = useTexts('conditions');
  const format = useFormat();
  const { collections, locales, fields, actions } = condition;
  const parts = [
    actions && format.list(actions.map((action) => t.of[action])),
    fields && t.fields(format.list([...fields])),
    collections && t.collections(format.list(collections)),
    locales && t.locales(format.list(locales)),
  ].filter((part) => part !== undefined);
  return (skipped ? t.skipped : t.only)(parts.join('; '));
}
