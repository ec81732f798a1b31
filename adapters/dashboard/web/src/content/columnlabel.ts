import { useTexts } from '../i18n/language';
import type { Column } from './columns';

/** Returns a function for the label of a column or of a system field. */
export function useColumnLabel() {
  const names: Record<string, string> = useTexts('content').columnlabel;
  return ({ name, field }: Pick<Column, 'name' | 'field'>) => names[name] ?? field?.label ?? name;
}
