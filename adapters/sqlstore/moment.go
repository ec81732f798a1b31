package sqlstore

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// moments finds the time of a write that begins and ends publications, by ports.DatabaseClock. The time
// comes with the last reads before the statements of the write, so that it costs no round trip.
type moments struct {
	stored lockedEntries
	batch  []change
	now    []int64       // the time, if the write needs one
	ended  []endedBefore // the latest publications of entries that are not public
}

// endedBefore is the latest time of the publications of an entry.
type endedBefore struct{ entry, at int64 }

func newMoments(stored lockedEntries, batch []change) *moments {
	return &moments{stored: stored, batch: batch}
}

// before returns the stored entry that e replaces, or nil.
func (m *moments) before(e change) *core.Entry {
	if e.fresh {
		return nil
	}
	before := m.stored[e.ID]
	return &before
}

// read returns the statements that read the time, or none if the write needs no time.
func (m *moments) read(s entryStore, schema core.Schema) []sqldb.Statement {
	moves := false
	var hidden [][]any
	for _, e := range m.batch {
		if before := m.before(e); e.Moves(before) && e.Move.At.IsZero() {
			moves = true
			if !e.fresh && !before.IsPublic() {
				hidden = append(hidden, []any{e.ID})
			}
		}
	}
	if !moves {
		return nil
	}
	statements := s.OnRows(namedEntry, schema.Project, hidden, latestTimes)
	for i := range statements {
		statements[i].Read = sqldb.Reading(s.Conn, &m.ended, sqldb.Into(func(p *endedBefore) []any { return []any{&p.entry, &p.at} }), "").Read
	}
	return append(statements, sqldb.Reading(s.Conn, &m.now, sqldb.ScanValue[int64], "SELECT "+s.DB.Dialect.Now()))
}

var namedEntry = sqldb.NewTable("publications", "entry_id bigint")

// latestTimes selects the latest time of the publications of entries that have any.
const latestTimes = "SELECT v.column1, coalesce(p.unpublished_at, p.published_at) FROM (@rows) AS v JOIN publications p" +
	" ON p.project_id = @project AND p.entry_id = v.column1 AND p.number = " + lastNumber

// Moment reads only the last publication of each entry.
func (s entryStore) Moment(ctx context.Context, projectID int64, ids []int64) (at time.Time, err error) {
	err = s.change(ctx, func(ctx context.Context, s entryStore) error {
		var now []int64
		var last []endedBefore
		statements := s.OnRows(namedEntry, &core.Project{ID: projectID}, sqldb.Mapped(ids, func(id int64) []any { return []any{id} }), latestTimes)
		for i := range statements {
			statements[i].Read = sqldb.Reading(s.Conn, &last, sqldb.Into(func(p *endedBefore) []any { return []any{&p.entry, &p.at} }), "").Read
		}
		if _, err := s.Run(ctx, statements, []sqldb.Statement{sqldb.Reading(s.Conn, &now, sqldb.ScanValue[int64], "SELECT "+s.DB.Dialect.Now())}); err != nil {
			return err
		}
		at = time.UnixMilli(now[0]).UTC()
		for _, p := range last {
			at = core.NextMoment(at, time.UnixMilli(p.at).UTC())
		}
		return nil
	})
	return at, err
}

// date sets the times of the entries, records the events of the write and returns the changes of
// publications, all in the order of the batch.
func (m *moments) date(s entryStore, schema core.Schema) []core.PublicationChange {
	var now time.Time
	if len(m.now) > 0 {
		now = time.UnixMilli(m.now[0]).UTC()
	}
	latest := map[int64]time.Time{}
	for _, p := range m.ended {
		latest[p.entry] = time.UnixMilli(p.at).UTC()
	}
	changes := make([]core.PublicationChange, len(m.batch))
	for i, e := range m.batch {
		before, last := m.before(e), latest[e.ID]
		if before.IsPublic() {
			last = before.ReleasedAt
		}
		at := core.NextMoment(now, last)
		if !e.Move.At.IsZero() {
			at = e.Move.At
		}
		e.Date(before, at)
		changes[i] = schema.Collection.PublicationChange(before, e.Entry, at)
		s.Record(event.OfEntry(schema, before, e.Entry)...)
	}
	return changes
}
