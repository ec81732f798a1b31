import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useProject } from '../api/queries';
import { useFormat } from '../i18n/format';
import { useTexts } from '../i18n/language';
import { Row, Rows } from '../settings/parts';
import { Empty, Mono, Time } from '../ui/basics';
import { Paged } from '../ui/paged';
import { Filters } from './filters';
import { actorKey, actorsOf, useNames, type Names } from './names';
import { eventsQuery, type Event, type Scope } from './queries';
import type { AuditSearch } from './search';
import { Sentence } from './sentence';
import styles from './audit.module.css';

type EventsProps = { scope: Scope; search: AuditSearch; onSearch: (change: AuditSearch) => void };

/** The events of a Project or tenant with filters, the newest first. */
export function Events({ scope, search, onSearch }: EventsProps) {
  const t = useTexts('audit').events;
  const format = useFormat();
  const query = useInfiniteQuery(eventsQuery(scope, search, format.timeZone));
  const events = query.data?.pages.flatMap((page) => page.data) ?? [];
  const names = useNames(scope, events);
  return (
    <>
      <Filters scope={scope} search={search} onChange={onSearch} actors={actorsOf(events, names.members, t.system)} entry={names.entry(search.entry ?? 0)} />
      <Paged query={query} items={events} none={<Empty title={t.none} children={<p>{t.noneHint}</p>} />} more={t.more}>
        {(events) => (
          <Rows label={t.events}>
            {events.map((event) => (
              <EventRow key={event.id} event={event} scope={scope} names={names} search={search} />
            ))}
          </Rows>
        )}
      </Paged>
    </>
  );
}

function EventRow({ event, scope, names, search }: { event: Event; scope: Scope; names: Names; search: AuditSearch }) {
  const t = useTexts('audit').events;
  const { actor } = event;
  const project = useProject(event.projectId ?? 0);
  const name = actor.kind === 'system' ? t.system : actor.kind === 'token' ? t.token(actor.name) : actor.name;
  const filter = { ...search, actor: actorKey(actor) };
  const who =
    scope.kind === 'project' ? (
      <Link to="/projects/$projectId/audit" params={{ projectId: scope.id }} search={filter} children={name} />
    ) : (
      <Link to="/organisation/tenants/$tenantId/audit" params={{ tenantId: scope.id }} search={filter} children={name} />
    );
  return (
    <Row
      title={
        <span className={styles.sentence}>
          <Sentence event={event} scope={scope} names={names} who={who} />
        </span>
      }
      meta={
        <>
          <Mono>{event.type}</Mono>
          {scope.kind === 'tenant' && project && <span>{project.name}</span>}
          {event.releaseNumber && <Mono>{event.releaseNumber}</Mono>}
        </>
      }
      aside={<Time value={event.at} as="dateTime" />}
    />
  );
}
