import { Download } from 'lucide-react';
import { useState } from 'react';
import { maxLimit } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { ProblemLine } from '../ui/basics';
import { Button } from '../ui/button';
import { Menu, MenuItem } from '../ui/overlays';
import { toast } from '../ui/toast';
import { fileOf, type Format } from './files';
import { fetchEvents, type Event, type Scope } from './queries';
import type { AuditSearch } from './search';

const most = 10_000;

/** The button that downloads the filtered events, at most the newest 10,000. */
export function DownloadMenu({ scope, search }: { scope: Scope; search: AuditSearch }) {
  const t = useTexts('audit').download;
  const format = useFormat();
  const [pending, setPending] = useState(false);
  const download = async (as: Format) => {
    setPending(true);
    try {
      const { events, more } = await allEvents(scope, search, format.timeZone);
      save(new Blob([fileOf(events, as)], { type: as === 'csv' ? 'text/csv' : 'application/jsonl' }), `events-${scope.kind}-${scope.id}.${as}`);
      toast(more ? t.cut(format.number(most)) : t.done(events.length, format.number(events.length)));
    } catch (caught) {
      toast(<ProblemLine error={caught} />);
    } finally {
      setPending(false);
    }
  };
  return (
    <Menu
      label={t.download}
      trigger={
        <Button icon={<Download aria-hidden />} isPending={pending}>
          {t.download}
        </Button>
      }
    >
      <MenuItem onAction={() => void download('csv')}>{t.csv}</MenuItem>
      <MenuItem onAction={() => void download('jsonl')}>{t.jsonl}</MenuItem>
    </Menu>
  );
}

/** Fetches the events that search selects, at most the newest 10,000, and whether there are more. */
async function allEvents(scope: Scope, search: AuditSearch, timeZone: string) {
  const events: Event[] = [];
  let after: number | undefined;
  do {
    // oxlint-disable-next-line no-await-in-loop -- a page says where the next one begins
    const { data, meta } = await fetchEvents(scope, search, timeZone, { after, limit: maxLimit });
    events.push(...data);
    after = meta.next ?? undefined;
  } while (after !== undefined && events.length < most);
  return { events, more: after !== undefined };
}

/** Saves a file on the user's device. */
function save(content: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
