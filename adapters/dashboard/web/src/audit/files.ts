import type { Event } from './queries';

// The files that the list of events can be downloaded as.

export type Format = 'jsonl' | 'csv';

const columns: [name: string, value: (event: Event) => string | number | undefined][] = [
  ['id', (e) => e.id],
  ['type', (e) => e.type],
  ['at', (e) => e.at],
  ['actorKind', (e) => e.actor.kind],
  ['actorId', (e) => e.actor.id],
  ['actorName', (e) => e.actor.name],
  ['tenantId', (e) => e.tenantId],
  ['projectId', (e) => e.projectId],
  ['subjectId', (e) => e.subjectId],
  ['collection', (e) => e.collection],
  ['entryId', (e) => e.entryId],
  ['locale', (e) => e.locale],
  ['translationGroup', (e) => e.translationGroup],
  ['slug', (e) => e.slug],
  ['releaseNumber', (e) => e.releaseNumber],
  ['contentHash', (e) => e.contentHash],
  ['requestId', (e) => e.requestId],
];

/** The events as a file: JSON Lines as the API has them, or CSV (RFC 4180) with a header. */
export function fileOf(events: readonly Event[], format: Format): string {
  if (format === 'jsonl') return events.map((event) => `${JSON.stringify(event)}\n`).join('');
  const rows = [columns.map(([name]) => name), ...events.map((event) => columns.map(([, value]) => cell(value(event) ?? '')))];
  return rows.map((row) => `${row.join(',')}\r\n`).join('');
}

/** A value in CSV. An apostrophe keeps a spreadsheet from running a name that looks like a formula. */
function cell(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
