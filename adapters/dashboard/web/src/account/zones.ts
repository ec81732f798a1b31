import { fold } from '../i18n/fold';

/** A time zone and its current offset from UTC. */
export type Zone = { id: string; offset: string };

let known: Zone[] | undefined;

// Some browsers list zones by outdated names, but accept the current names too.
const renamed: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};


/** UTC, and all time zones that the browser supports, sorted by name. */
export function timeZones(): Zone[] {
  if (!known) {
    const names = Intl.supportedValuesOf('timeZone').map((id) => renamed[id] ?? id);
    known = [...new Set(['UTC', ...names.sort()])].map((id) => ({ id, offset: offsetOf(id) }));
  }
  return known;
}

/** The offset of a zone from UTC at a time: "UTC+1" or "UTC+5:30". */
export function offsetOf(timeZone: string, at = new Date()) {
  const name = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(at).find((part) => part.type === 'timeZoneName')?.value ?? '';
  return name.replace('GMT', 'UTC');
}

/** The display name of a zone: "America/New York". */
export const zoneName = (id: string) => id.replaceAll('_', ' ');

/** Whether a zone's name or offset contains every word of a text. Case and accents are ignored. */
export function zoneMatches(zone: Zone, text: string) {
  const name = fold(`${zoneName(zone.id)} ${zone.offset}`);
  return fold(text)
    .split(/[\s/_]+/)
    .every((word) => name.includes(word));
}

