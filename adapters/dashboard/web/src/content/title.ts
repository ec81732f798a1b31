import type { Schemas } from '../api/client';

type Field = Schemas['Field'];

/** The field whose text names an entry: the first text of one line. */
export function titleField(fields: readonly Field[]): Field | undefined {
  return fields.find((f) => f.type === 'text' && !f.multiple && !f.hidden);
}

/** What names an entry in lists: its title, or its id. */
export function titleOf(fields: readonly Field[], entry: { id: number; fields: Record<string, unknown> }): string {
  const field = titleField(fields);
  const title = field && entry.fields[field.name];
  return typeof title === 'string' && title.trim() ? title : `#${entry.id}`;
}
