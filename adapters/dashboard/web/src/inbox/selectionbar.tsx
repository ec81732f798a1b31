import { useQueryClient } from '@tanstack/react-query';
import { CalendarClock, Check, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { ProblemLine } from '../ui/basics';
import { Button, IconButton } from '../ui/button';
import { focusNext } from '../ui/focus';
import type { Selection } from '../ui/selection';
import { toast } from '../ui/toast';
import type { BulkAction } from './bulk';
import bulk from '../ui/bulk.module.css';
import styles from './inbox.module.css';
import { requestsQuery, type ListTab } from './queries';
import type { InboxSearch } from './search';

type Request = Schemas['ApprovalRequest'];

const BulkDialog = lazy(() => import('./bulkdialog').then((m) => ({ default: m.BulkDialog })));

/** The maximum number of requests that "select all" selects. */
const most = 500;
const step = 100; // the maximum of one response

/** What can be done with several requests of a tab. */
export function actionsOf(tab: ListTab): readonly BulkAction[] {
  if (tab === 'waiting') return ['approve', 'schedule'];
  return tab === 'submitted' || tab === 'scheduled' ? ['schedule'] : [];
}

/** The actions for the selected requests. */
export function SelectionBar({ tab, search, total, selection }: { tab: ListTab; search: InboxSearch; total: number; selection: Selection<Request> }) {
  const t = useTexts('inbox').selection;
  const format = useFormat();
  const queryClient = useQueryClient();
  const [task, setTask] = useState<{ action: BulkAction; requests: Request[] }>();
  const [isSelecting, setSelecting] = useState(false);
  const count = selection.items.size;
  const selectAll = async () => {
    setSelecting(true);
    try {
      for (let page = 1; (page - 1) * step < Math.min(total, most); page++) {
        const { data } = await queryClient.fetchQuery(requestsQuery(tab, { ...search, page }, step));
        selection.set(data, true);
      }
    } catch (caught) {
      toast(<ProblemLine error={caught} />);
    } finally {
      setSelecting(false);
    }
  };
  const close = (done: readonly Request[]) => {
    // Requests with new times stay selected, as they are now, so that they can be approved next.
    selection.set(done, task?.action === 'schedule');
    setTask(undefined);
    focusNext(() => document.querySelector<HTMLElement>('[data-row]') ?? document.getElementById('content'));
  };
  return (
    <>
      <div role="status" className="visually-hidden">
        {count > 0 && t.selected(count, format.number(count))}
      </div>
      {count > 0 && (
        <section className={`${bulk.bulk} ${styles.bulk}`} aria-label={t.label}>
          <span>{t.selected(count, format.number(count))}</span>
          {count < Math.min(total, most) && (
            <Button kind="quiet" onPress={() => void selectAll()} isPending={isSelecting}>
              {total > most ? t.selectFirst(format.number(most)) : t.selectAll(format.number(total))}
            </Button>
          )}
          <span className={bulk.actions}>
            {actionsOf(tab).map((action) => (
              <Button key={action} icon={action === 'approve' ? <Check aria-hidden /> : <CalendarClock aria-hidden />} onPress={() => setTask({ action, requests: [...selection.items.values()] })}>
                {t.actions[action]}
              </Button>
            ))}
            <IconButton label={t.clear} icon={<X aria-hidden />} onPress={selection.clear} />
          </span>
        </section>
      )}
      {task && (
        <Suspense fallback={null}>
          <BulkDialog {...task} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
