import type { EventType } from '../api/eventtypes';
import { isDay } from '../overview/days';
import { positive } from '../shell/search';

/** The filters of the list of events in its URL. */
export type AuditSearch = {
  type?: EventType;
  /** The actor: "user:6", "token:3", "assistant:3" or "system". */
  actor?: string;
  entry?: number;
  day?: string;
};

export function parseAuditSearch(raw: Record<string, unknown>): AuditSearch {
  return {
    type: typeof raw.type === 'string' && /^[a-z]+\.[a-z_]+$/.test(raw.type) ? (raw.type as EventType) : undefined,
    actor: typeof raw.actor === 'string' && /^(?:system|(?:user|token|assistant):[1-9]\d*)$/.test(raw.actor) ? raw.actor : undefined,
    entry: positive(raw.entry),
    day: isDay(raw.day) ? raw.day : undefined,
  };
}
