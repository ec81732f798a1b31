import { EyeOff } from 'lucide-react';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Note } from '../ui/basics';

/** Names the items and values that a version keeps and no page shows, because the definition does not admit them now. */
export function Withheld({ parts }: { parts: readonly Schemas['Withheld'][] | null | undefined }) {
  const t = useTexts('common').withheld;
  const format = useFormat();
  if (!parts || parts.length === 0) return null;
  const items = parts.filter((part) => part.key || part.type);
  const values = parts.filter((part) => !items.includes(part));
  const named = (list: readonly Schemas['Withheld'][], name: (part: Schemas['Withheld']) => string) => format.list([...new Set(list.map(name))]);
  return (
    <Note icon={<EyeOff aria-hidden />}>
      {items.length > 0 && t.items(items.length, format.number(items.length), named(items, (part) => part.type || part.path))}{' '}
      {values.length > 0 && t.values(values.length, format.number(values.length), named(values, (part) => part.path))} {t.stays}
    </Note>
  );
}
