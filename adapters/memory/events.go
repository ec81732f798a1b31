package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

type events struct{ conn }

// record adds events to the transaction, which sets their time and actor.
func (st *state) record(events ...event.Event) {
	for _, e := range events {
		st.lastEvent++
		e.ID = st.lastEvent
		e.Public = e.Public || e.Type.Shown()
		if p, ok := st.projects.get(e.ProjectID); ok {
			e.TenantID = p.TenantID
		}
		st.events = append(st.events, e)
		if e.Type == event.ReleasePublished {
			n, _ := st.releaseCounts.get(e.ProjectID)
			st.releaseCounts.put(e.ProjectID, n+1)
		}
		if notice.Of(&e) != "" || e.ProjectID != 0 && st.webhooks.any(func(w webhook.Webhook) bool { return w.ProjectID == e.ProjectID }) {
			st.outgoing = append(slices.Clip(st.outgoing), e.ID)
		}
	}
}

// sign sets the common fields of the events after the given id, and returns the events.
func (st *state) sign(after int64, common event.Event) []event.Event {
	first, _ := slices.BinarySearchFunc(st.events, after+1, func(e event.Event, id int64) int { return cmp.Compare(e.ID, id) })
	signed := st.events[first:]
	for i := range signed {
		e := &signed[i]
		e.At, e.Actor, e.RequestID, e.Import = common.At, common.Actor, common.RequestID, common.Import
	}
	return signed
}

func (s events) Record(ctx context.Context, e event.Event) error {
	return s.apply(ctx, func(st *state) { st.record(e) })
}

func (s events) Events(ctx context.Context, q ports.EventQuery) ([]event.Event, error) {
	return view(ctx, s.conn, func(st *state) (rows []event.Event, err error) {
		for i := range st.events {
			e := st.events[i]
			if q.Newest {
				e = st.events[len(st.events)-1-i]
			}
			follows := q.After == 0 || !q.Newest && e.ID > q.After || q.Newest && e.ID < q.After
			if len(rows) < q.Limit && follows && (q.TenantID == 0 || e.TenantID == q.TenantID) &&
				(q.ProjectID == 0 || e.ProjectID == q.ProjectID) && (q.Type == "" || e.Type == q.Type) && (q.EntryID == 0 || e.EntryID == q.EntryID) &&
				(q.Actor.Kind == "" || e.Actor.Kind == q.Actor.Kind && e.Actor.ID == q.Actor.ID) &&
				(!q.Assistants || e.Actor.Kind == core.KindAssistant) && (q.Since.IsZero() || !e.At.Before(q.Since)) && (q.Until.IsZero() || e.At.Before(q.Until)) {
				rows = append(rows, e)
			}
		}
		return rows, nil
	})
}

// Mark implements ports.PublicLog. An event is a transaction of its own.
func (s events) Mark(ctx context.Context) (now event.Mark, keptSince time.Time, err error) {
	_, err = view(ctx, s.conn, func(st *state) (none struct{}, err error) {
		now, keptSince = event.Mark{At: s.now(), Oldest: st.lastEvent + 1, Next: st.lastEvent + 1, Epoch: st.installation.Epoch}, st.keptSince
		if n := len(st.events); n > 0 {
			now.End(st.events[n-1])
		}
		return none, nil
	})
	return now, keptSince, err
}

// Digest implements ports.PublicLog.
func (s events) Digest(ctx context.Context, id int64) (string, error) {
	return view(ctx, s.conn, func(st *state) (string, error) {
		i, found := slices.BinarySearchFunc(st.events, id, func(e event.Event, id int64) int { return cmp.Compare(e.ID, id) })
		if !found {
			return "", nil
		}
		return st.events[i].Digest(), nil
	})
}

// Public implements ports.PublicLog.
func (s events) Public(ctx context.Context, q ports.PublicQuery) ([]event.PublicEvent, error) {
	return view(ctx, s.conn, func(st *state) (rows []event.PublicEvent, err error) {
		for _, e := range st.events {
			if len(rows) < q.Limit && e.Public && e.ProjectID == q.ProjectID && e.ID > q.ID && !q.Since.Has(e.ID) && q.Until.Has(e.ID) &&
				(q.Collection == "" || e.Collection == "" || e.Collection == q.Collection) && (q.Locale == "" || e.Locale == "" || e.Locale == q.Locale) {
				rows = append(rows, event.PublicEvent{Event: e, Transaction: e.ID})
			}
		}
		return rows, nil
	})
}

// Poll implements ports.EventLog. Transactions run one after another, so none is
// uncommitted.
func (s *Store) Poll(ctx context.Context, after int64, _ []int64) (ports.EventSnapshot, error) {
	found, err := s.Stores().Events.Events(ctx, ports.EventQuery{After: after, Limit: 10_000})
	return ports.EventSnapshot{Events: ports.EventHeads(found), Oldest: 1, Next: 1}, err
}

// OnCommit implements ports.EventLog.
func (s *Store) OnCommit(fn func([]event.Event)) { s.onCommit = fn }
