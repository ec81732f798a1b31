import { useTexts } from '../i18n/language';
import { Chip } from '../ui/basics';
import { statusOf, statusTones, statusWords } from './status';

/** The status word of an entry. */
export function StatusChip({ entry }: { entry: Parameters<typeof statusOf>[0] }) {
  const status = statusOf(entry);
  return <Chip tone={statusTones[status]}>{useTexts(statusWords)[status]}</Chip>;
}
