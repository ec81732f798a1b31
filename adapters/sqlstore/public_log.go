package sqlstore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/ports"
)

// publicEventRow is an eventRow in the order of ports.PublicLog.
type publicEventRow struct {
	eventRow `bun:",extend"`
}

func (r publicEventRow) core() core.PublicEvent {
	return core.PublicEvent{Event: r.eventRow.core(), Transaction: r.Xact}
}

// Mark implements ports.PublicLog.
func (s eventStore) Mark(ctx context.Context) (now core.Mark, keptSince time.Time, err error) {
	var running string
	_, err = single(ctx, s.conn, "event", func(rows Rows) (none struct{}, err error) {
		return none, rows.Scan(&now.Oldest, &now.Next, &running, (*instant)(&now.At), (*instant)(&keptSince))
	}, "SELECT m.oldest, m.next, m.running, "+s.db.dialect.Now()+", l.kept_since FROM ("+s.db.dialect.Mark()+") AS m CROSS JOIN event_log AS l")
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

// Public implements ports.PublicLog.
func (s eventStore) Public(ctx context.Context, q ports.PublicQuery) ([]core.PublicEvent, error) {
	return all[publicEventRow](ctx, s.conn, "event", func(rows *bun.SelectQuery) *bun.SelectQuery {
		rows = rows.Where("e.public AND e.project_id = ? AND e.xact >= ? AND e.xact < ?", q.ProjectID, max(q.Since.Oldest, q.Transaction), q.Until.Next)
		if len(q.Since.Running) > 0 {
			rows = rows.Where("(e.xact >= ? OR e.xact IN (?))", q.Since.Next, bun.List(q.Since.Running))
		}
		if len(q.Until.Running) > 0 {
			rows = rows.Where("e.xact NOT IN (?)", bun.List(q.Until.Running))
		}
		if q.ID != 0 {
			rows = rows.Where("(e.xact > ? OR e.id > ?)", q.Transaction, q.ID)
		}
		if q.Collection != "" {
			rows = rows.Where("(e.collection = ? OR e.collection = '')", q.Collection)
		}
		if q.Locale != "" {
			rows = rows.Where("(e.locale = ? OR e.locale = '')", q.Locale)
		}
		return rows.Order("e.xact", "e.id").Limit(int64(q.Limit))
	})
}
