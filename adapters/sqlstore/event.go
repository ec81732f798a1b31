package sqlstore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// eventTable has the columns that differ between the events of one transaction.
var eventTable = sqldb.NewTable("events",
	"type text", "tenant_id bigint", "project_id bigint", "subject_id bigint",
	"collection text", "entry_id bigint", "locale text", "content_hash text", "release_number text", "group_id bigint", "slug text",
	"reason text", "role text", "place text", "imported text", "release_id bigint", "released text", "public boolean", "outgoing boolean",
)

// maxEvents bounds the events that one statement writes.
const maxEvents = 1000

// pendingEvents returns the statements that write the recorded events and set their ids. They run
// last before the commit, because readers of the feed wait for ids that are allocated and not yet
// visible.
func pendingEvents(ctx context.Context, c sqldb.Conn, actor core.Actor) (statements []sqldb.Statement) {
	for some := range slices.Chunk(c.Recorded(), maxEvents) {
		statements = append(statements, addEvents(ctx, c, actor, some))
	}
	return statements
}

func addEvents(ctx context.Context, c sqldb.Conn, actor core.Actor, events []event.Event) sqldb.Statement {
	rows := sqldb.Mapped(events, func(e event.Event) []any {
		return []any{
			string(e.Type), e.TenantID, e.ProjectID, e.SubjectID,
			e.Collection, e.EntryID, e.Locale, e.ContentHash, e.ReleaseNumber, e.Group, e.Slug,
			e.Reason, e.Role, e.Place, sqldb.Encode(e.Imported), e.ReleaseID, sqldb.Encode(e.Released), e.Public, notice.Of(&e) != "",
		}
	})
	by := actor.Ref()
	own := []any{by.Kind, by.ID, by.Name, ports.RequestID(ctx), int64(actor.Import)}
	statement := c.Statement(insertEvents(c.DB.Dialect.Now()), append(own, sqldb.RowList{Types: eventTable.Types, Rows: rows})...)
	statement.Read = func(ids sqldb.Rows) error {
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
	rows, err := db.Pools.Watch.QueryContext(ctx, db.pollText(after, missing))
	if err != nil {
		return found, db.Fault(err, "event")
	}
	defer rows.Close() //nolint:errcheck // rows.Err has the error
	for rows.Next() {
		var id, project *int64
		var kind *string
		if err := rows.Scan(&found.Oldest, &found.Next, &id, &kind, &project); err != nil {
			return found, db.Fault(err, "event")
		}
		if id != nil {
			found.Events = append(found.Events, ports.EventHead{ID: *id, Type: event.Type(*kind), ProjectID: *project})
		}
	}
	return found, db.Fault(rows.Err(), "event")
}

// pollText returns the statement of Poll. Its numbers are part of the text, because prepared
// statements do not outlive a transaction behind a connection pooler.
func (db *DB) pollText(after int64, missing []int64) string {
	const columns = "SELECT id, type, project_id FROM events WHERE "
	snapshot := "SELECT s.oldest, s.next, e.id, e.type, e.project_id FROM (" + db.Dialect.Snapshot(after < 0 || len(missing) > 0) + ") AS s LEFT JOIN "
	if after < 0 {
		return snapshot + "events AS e ON e.id > (SELECT coalesce(max(id), 0) FROM events)" +
			" - CASE WHEN s.oldest < s.next THEN " + strconv.Itoa(recentEvents) + " ELSE 1 END ORDER BY e.id"
	}
	events := columns + "id > " + sqldb.Number(after)
	if len(missing) > 0 {
		events += " UNION ALL " + columns + "id IN (" + strings.Join(sqldb.Mapped(missing, sqldb.Number), ", ") + ")"
	}
	return snapshot + "(" + events + ") AS e ON TRUE ORDER BY e.id"
}

// eventStore implements ports.EventStore.
type eventStore struct{ sqldb.Conn }

var events = sqldb.NewTableOf("events", "event", func(e *event.Event) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &e.ID},
		{Name: "at", Kind: "bigint", Of: (*sqldb.Instant)(&e.At)},
		{Name: "type", Kind: "text", Of: &e.Type},
		{Name: "actor_kind", Kind: "text", Of: &e.Actor.Kind},
		{Name: "actor_id", Kind: "bigint", Of: &e.Actor.ID},
		{Name: "actor_name", Kind: "text", Of: &e.Actor.Name},
		{Name: "tenant_id", Kind: "bigint", Of: &e.TenantID},
		{Name: "project_id", Kind: "bigint", Of: &e.ProjectID},
		{Name: "subject_id", Kind: "bigint", Of: &e.SubjectID},
		{Name: "collection", Kind: "text", Of: &e.Collection},
		{Name: "entry_id", Kind: "bigint", Of: &e.EntryID},
		{Name: "locale", Kind: "text", Of: &e.Locale},
		{Name: "content_hash", Kind: "text", Of: &e.ContentHash},
		{Name: "release_number", Kind: "text", Of: &e.ReleaseNumber},
		{Name: "request_id", Kind: "text", Of: &e.RequestID},
		{Name: "group_id", Kind: "bigint", Of: &e.Group},
		{Name: "slug", Kind: "text", Of: &e.Slug},
		{Name: "reason", Kind: "text", Of: &e.Reason},
		{Name: "role", Kind: "text", Of: &e.Role},
		{Name: "place", Kind: "text", Of: &e.Place},
		{Name: "import", Kind: "smallint", Of: &e.Import},
		{Name: "imported", Kind: "text", Of: sqldb.InJSON(&e.Imported)},
		{Name: "release_id", Kind: "bigint", Of: &e.ReleaseID},
		{Name: "released", Kind: "text", Of: sqldb.InJSON(&e.Released)},
		{Name: "public", Kind: "boolean", Of: &e.Public},
		{Name: "outgoing", Kind: "boolean"},
	}
})

// Record implements ports.EventStore.
func (s eventStore) Record(ctx context.Context, e event.Event) error {
	return s.Change(ctx, func(_ context.Context, c sqldb.Conn) error {
		c.Record(e)
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
	narrow(!q.Since.IsZero(), "at >= ?", sqldb.Instant(q.Since))
	narrow(!q.Until.IsZero(), "at < ?", sqldb.Instant(q.Until))
	return events.All(ctx, s.Conn, end+" ORDER BY "+order+" LIMIT ?", append(args, q.Limit)...)
}
