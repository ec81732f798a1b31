import { texts, useTexts } from '../i18n/language';
import type { Column } from './columns';

/** Returns a function for the label of a column or of a system field. */
export function useColumnLabel() {
  const names: Record<string, string> = useTexts(words);
  return ({ name, field }: Pick<Column, 'name' | 'field'>) => names[name] ?? field?.label ?? name;
}

const words = texts({
  en: { _status: 'Status', id: 'Id', locale: 'Language', publishedAt: 'Published', createdAt: 'Created', updatedAt: 'Updated' },
  de: { _status: 'Status', id: 'Id', locale: 'Sprache', publishedAt: 'Veröffentlicht', createdAt: 'Angelegt', updatedAt: 'Geändert' },
});
