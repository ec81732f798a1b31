import { useNavigate } from '@tanstack/react-router';
import { AlarmClock, ArrowDownUp, MessageSquare } from 'lucide-react';
import { useTexts } from '../i18n/language';
import { Button } from '../ui/button';
import { Menu, MenuItem } from '../ui/overlays';
import type { Tab } from './queries';
import type { InboxSearch } from './search';

/** The filters and the order of a list of requests. */
export function Order({ tab, search }: { tab: Tab; search: InboxSearch }) {
  const t = useTexts('inbox').inbox;
  const navigate = useNavigate();
  const usual = tab === 'submitted' || tab === 'returned' || tab === 'decided' ? 'newest' : 'oldest';
  const order = search.sort ?? usual;
  const orders = { ...(tab === 'scheduled' ? { oldest: t.soonest, newest: t.latest } : { oldest: t.oldestFirst, newest: t.newestFirst }), due: t.byDeadline };
  const deadlines = tab === 'waiting' || tab === 'submitted';
  const show = (change: Partial<InboxSearch>) => void navigate({ to: '/inbox', search: { ...search, page: undefined, ...change } });
  return (
    <>
      {deadlines && (
        <Button icon={<AlarmClock aria-hidden />} aria-pressed={search.overdue === true} onPress={() => show({ overdue: search.overdue ? undefined : true })}>
          {t.overdue}
        </Button>
      )}
      <Button icon={<MessageSquare aria-hidden />} aria-pressed={search.comments === true} onPress={() => show({ comments: search.comments ? undefined : true })}>
        {t.commented}
      </Button>
      <Menu
        label={t.sort}
        trigger={<Button icon={<ArrowDownUp aria-hidden />}>{orders[order]}</Button>}
        value={order}
        onChange={(sort) => show({ sort: sort === usual ? undefined : (sort as typeof order) })}
      >
        {(['oldest', 'newest', ...(deadlines ? (['due'] as const) : [])] as const).map((id) => (
          <MenuItem key={id} id={id} textValue={orders[id]}>
            <span>{orders[id]}</span>
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
