import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { useTexts } from '../../i18n/language';
import { Note } from '../../ui/basics';

/** Says how many requests will wait for a step that no user can decide, if any will. */
export function Stranded({ removal }: { removal: Schemas['Removal'] | undefined }) {
  const t = useTexts('people').stranded;
  const format = useFormat();
  if (!removal || removal.unreachable.count === 0) return null;
  const { count, complete } = removal.unreachable;
  return <Note tone="bad">{t.will(format.number(count), count, complete)}</Note>;
}
