import { useTexts } from '../i18n/language';
import { Chip } from '../ui/basics';
import { statusTones, type Status } from './status';

/** A chip with the status of an entry. */
export function StatusChip({ entry: { status } }: { entry: { status: Status } }) {
  return <Chip tone={statusTones[status]}>{useTexts('common').entryStatus[status]}</Chip>;
}
