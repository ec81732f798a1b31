package sqlstore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// Mark implements ports.PublicLog.
func (s eventStore) Mark(ctx context.Context) (now event.Mark, keptSince time.Time, err error) {
	var running string
	_, err = sqldb.Single(ctx, s.Conn, "event", func(rows sqldb.Rows) (none struct{}, err error) {
		return none, rows.Scan(&now.Oldest, &now.Next, &running, (*sqldb.Instant)(&now.At), (*sqldb.Instant)(&keptSince), &now.Epoch, &now.Event)
	}, "SELECT m.oldest, m.next, m.running, "+s.DB.Dialect.Now()+", l.kept_since, i.epoch, (SELECT coalesce(max(id), 0) FROM events)"+
		" FROM ("+s.DB.Dialect.Mark()+") AS m CROSS JOIN event_log AS l CROSS JOIN installation AS i")
	if err == nil && now.Event != 0 {
		var last []event.Event
		last, err = s.brief(ctx, now.Event)
		for _, e := range last {
			now.End(e)
		}
	}
	if err != nil {
		return now, keptSince, err
	}
	for text := range strings.SplitSeq(running, ",") {
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return now, keptSince, err
		}
		now.Running = append(now.Running, n)
	}
	return now, keptSince, nil
}

// Digest implements ports.PublicLog.
func (s eventStore) Digest(ctx context.Context, id int64) (string, error) {
	found, err := s.brief(ctx, id)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].Digest(), nil
}

// brief returns what event.Event.Digest needs of an event, if it exists.
func (s eventStore) brief(ctx context.Context, id int64) ([]event.Event, error) {
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(e *event.Event) []any {
		return []any{&e.ID, (*sqldb.Instant)(&e.At), &e.Type, &e.Actor.Kind, &e.Actor.ID, &e.TenantID, &e.ProjectID, &e.SubjectID, &e.EntryID, &e.RequestID}
	}), "SELECT id, at, type, actor_kind, actor_id, tenant_id, project_id, subject_id, entry_id, request_id FROM events WHERE id = ?", id)
}

// Public implements ports.PublicLog.
func (s eventStore) Public(ctx context.Context, q ports.PublicQuery) ([]event.PublicEvent, error) {
	text, args := "SELECT "+events.Read+", xact FROM events WHERE public AND project_id = ? AND xact >= ? AND xact < ?",
		[]any{q.ProjectID, max(q.Since.Oldest, q.Transaction), q.Until.Next}
	narrow := func(given bool, condition string, with ...any) {
		if given {
			text, args = text+" AND "+condition, append(args, with...)
		}
	}
	narrow(len(q.Since.Running) > 0, "(xact >= ? OR xact ?)", q.Since.Next, sqldb.AmongIDs(q.Since.Running))
	narrow(len(q.Until.Running) > 0, "NOT xact ?", sqldb.AmongIDs(q.Until.Running))
	narrow(q.ID != 0, "(xact > ? OR id > ?)", q.Transaction, q.ID)
	narrow(q.Collection != "", "(collection = ? OR collection = '')", q.Collection)
	narrow(q.Locale != "", "(locale = ? OR locale = '')", q.Locale)
	return sqldb.Collect(ctx, s.Conn, func(from sqldb.Rows) (e event.PublicEvent, err error) {
		err = events.ScanInto(from, &e.Event, &e.Transaction)
		return e, err
	}, text+" ORDER BY xact, id LIMIT ?", append(args, q.Limit)...)
}
