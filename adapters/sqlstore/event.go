package sqlstore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// eventTable has the columns that differ between the events of one transaction.
var eventTable = newTable("events",
	"type text", "tenant_id bigint", "project_id bigint", "subject_id bigint",
	"collection text", "entry_id bigint", "locale text", "content_hash text", "release_number text", "group_id bigint", "slug text",
	"reason text", "role text", "place text", "imported text", "release_id bigint", "released text", "public boolean", "outgoing boolean",
)

// maxEvents bounds the events that one statement writes.
const maxEvents = 1000

// pendingEvents returns the statements that write the recorded events and set their ids. They run
// last before the commit, because readers of the feed wait for ids that are allocated and not yet
// visible.
func pendingEvents(ctx context.Context, c conn, actor core.Actor) (statements []Statement) {
	for some := range slices.Chunk(c.recorded(), maxEvents) {
		statements = append(statements, addEvents(ctx, c, actor, some))
	}
	return statements
}

func addEvents(ctx context.Context, c conn, actor core.Actor, events []event.Event) Statement {
	rows := mapped(events, func(e event.Event) []any {
		return []any{
			string(e.Type), e.TenantID, e.ProjectID, e.SubjectID,
			e.Collection, e.EntryID, e.Locale, e.ContentHash, e.ReleaseNumber, e.Group, e.Slug,
			e.Reason, e.Role, e.Place, encoded[*event.Imported]{e.Imported}, e.ReleaseID, encoded[*event.Released]{e.Released}, e.Public, notice.Of(&e) != "",
		}
	})
	by := actor.Ref()
	own := []any{by.Kind, by.ID, by.Name, ports.RequestID(ctx), int64(actor.Import)}
	statement := c.statement(insertEvents(c.db.dialect.Now()), append(own, rowList{eventTable.Types, rows})...)
	statement.Read = func(ids Rows) error {
		for i := 0; ids.Next(); i++ {
			if err := ids.Scan(&events[i].ID); err != nil {
				return err
			}
		}
		return ids.Err()
	}
	return statement
}

// insertEvents returns an INSERT of rows of eventTable. An event with a Project and no
// Tenant gets the Tenant of the Project. One that causes notices, or whose Project has a webhook, is
// outgoing.
func insertEvents(now string) string {
	columns := make([]string, len(eventTable.Columns))
	for i, name := range eventTable.Columns {
		columns[i] = "v.column" + strconv.Itoa(i+1)
		switch name {
		case "outgoing":
			columns[i] = "(" + columns[i] + " OR EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = v.column3))"
		case "tenant_id":
			columns[i] = "CASE WHEN v.column2 = 0 AND v.column3 <> 0 THEN coalesce((SELECT p.tenant_id FROM projects p WHERE p.id = v.column3), 0) ELSE v.column2 END"
		}
	}
	return "INSERT INTO events (at, actor_kind, actor_id, actor_name, request_id, import, " + strings.Join(eventTable.Columns, ", ") + ")" +
		" SELECT " + now + ", ?, ?, ?, ?, ?, " + strings.Join(columns, ", ") + " FROM (?) AS v RETURNING id"
}

var _ ports.EventLog = (*DB)(nil)

// recentEvents is the number of latest events among which a process looks for missing ids when it
// begins to follow the feed. Transactions that are running at this time have allocated their ids
// recently. If none is running, no id is missing and the latest event is enough: to read all of
// them costs several megabytes at the start.
const recentEvents = 10_000

// Poll implements ports.EventLog. It uses a separate connection, so that load on the pools
// does not delay it.
func (db *DB) Poll(ctx context.Context, after int64, missing []int64) (found ports.EventSnapshot, err error) {
	rows, err := db.pools.Watch.QueryContext(ctx, db.pollText(after, missing))
	if err != nil {
		return found, db.fault(err, "event")
	}
	defer rows.Close() //nolint:errcheck // rows.Err has the error
	for rows.Next() {
		var id, project *int64
		var kind *string
		if err := rows.Scan(&found.Oldest, &found.Next, &id, &kind, &project); err != nil {
			return found, db.fault(err, "event")
		}
		if id != nil {
			found.Events = append(found.Events, ports.EventHead{ID: *id, Type: event.Type(*kind), ProjectID: *project})
		}
	}
	return found, db.fault(rows.Err(), "event")
}

// pollText returns the statement of Poll. Its numbers are part of the text, because prepared
// statements do not outlive a transaction behind a connection pooler.
func (db *DB) pollText(after int64, missing []int64) string {
	const columns = "SELECT id, type, project_id FROM events WHERE "
	snapshot := "SELECT s.oldest, s.next, e.id, e.type, e.project_id FROM (" + db.dialect.Snapshot(after < 0 || len(missing) > 0) + ") AS s LEFT JOIN "
	if after < 0 {
		return snapshot + "events AS e ON e.id > (SELECT coalesce(max(id), 0) FROM events)" +
			" - CASE WHEN s.oldest < s.next THEN " + strconv.Itoa(recentEvents) + " ELSE 1 END ORDER BY e.id"
	}
	events := columns + "id > " + number(after)
	if len(missing) > 0 {
		events += " UNION ALL " + columns + "id IN (" + strings.Join(mapped(missing, number), ", ") + ")"
	}
	return snapshot + "(" + events + ") AS e ON TRUE ORDER BY e.id"
}

// eventStore implements ports.EventStore.
type eventStore struct{ conn }

var events = rowsOf("events", "event", func(e *event.Event) []member {
	return []member{
		{name: "id", kind: "bigint", of: &e.ID},
		{name: "at", kind: "bigint", of: (*instant)(&e.At)},
		{name: "type", kind: "text", of: &e.Type},
		{name: "actor_kind", kind: "text", of: &e.Actor.Kind},
		{name: "actor_id", kind: "bigint", of: &e.Actor.ID},
		{name: "actor_name", kind: "text", of: &e.Actor.Name},
		{name: "tenant_id", kind: "bigint", of: &e.TenantID},
		{name: "project_id", kind: "bigint", of: &e.ProjectID},
		{name: "subject_id", kind: "bigint", of: &e.SubjectID},
		{name: "collection", kind: "text", of: &e.Collection},
		{name: "entry_id", kind: "bigint", of: &e.EntryID},
		{name: "locale", kind: "text", of: &e.Locale},
		{name: "content_hash", kind: "text", of: &e.ContentHash},
		{name: "release_number", kind: "text", of: &e.ReleaseNumber},
		{name: "request_id", kind: "text", of: &e.RequestID},
		{name: "group_id", kind: "bigint", of: &e.Group},
		{name: "slug", kind: "text", of: &e.Slug},
		{name: "reason", kind: "text", of: &e.Reason},
		{name: "role", kind: "text", of: &e.Role},
		{name: "place", kind: "text", of: &e.Place},
		{name: "import", kind: "smallint", of: &e.Import},
		{name: "imported", kind: "text", of: inJSON[*event.Imported]{&e.Imported}},
		{name: "release_id", kind: "bigint", of: &e.ReleaseID},
		{name: "released", kind: "text", of: inJSON[*event.Released]{&e.Released}},
		{name: "public", kind: "boolean", of: &e.Public},
		{name: "outgoing", kind: "boolean"},
	}
})

// Record implements ports.EventStore.
func (s eventStore) Record(ctx context.Context, e event.Event) error {
	return s.change(ctx, func(_ context.Context, c conn) error {
		c.record(e)
		return nil
	})
}

func (s eventStore) Events(ctx context.Context, q ports.EventQuery) ([]event.Event, error) {
	end, args := " WHERE true", []any(nil)
	narrow := func(given bool, condition string, with ...any) {
		if given {
			end, args = end+" AND "+condition, append(args, with...)
		}
	}
	order, follows := "id", "id > ?"
	if q.Newest {
		order, follows = "id DESC", "id < ?"
	}
	narrow(q.After != 0, follows, q.After)
	narrow(q.TenantID != 0, "tenant_id = ?", q.TenantID)
	narrow(q.ProjectID != 0, "project_id = ?", q.ProjectID)
	narrow(q.Type != "", "type = ?", string(q.Type))
	narrow(q.Actor.Kind != "", "actor_kind = ? AND actor_id = ?", q.Actor.Kind, q.Actor.ID)
	narrow(q.Assistants, "actor_kind = 'assistant'") // as the index events_assistants has it
	narrow(q.EntryID != 0, "entry_id = ?", q.EntryID)
	narrow(!q.Since.IsZero(), "at >= ?", instant(q.Since))
	narrow(!q.Until.IsZero(), "at < ?", instant(q.Until))
	return events.all(ctx, s.conn, end+" ORDER BY "+order+" LIMIT ?", append(args, q.Limit)...)
}
