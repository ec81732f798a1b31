package changefeed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"imprimatur/core/event"
	"imprimatur/ports"
)

// table is a ports.EventLog that can be made unavailable.
type table struct {
	mu       sync.Mutex
	events   []event.Event
	away     bool
	onCommit func([]event.Event)
}

func (l *table) Poll(ctx context.Context, after int64, _ []int64) (ports.EventSnapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return ports.EventSnapshot{}, errors.Join(errors.New("away"), ctx.Err())
	}
	return ports.EventSnapshot{Events: ports.EventHeads(l.events[max(after, 0):])}, nil
}

func (l *table) OnCommit(fn func([]event.Event)) { l.onCommit = fn }

// add commits an event of this or another process.
func (l *table) add(t event.Type, projectID int64, own bool) {
	l.mu.Lock()
	e := event.Event{ID: int64(len(l.events)) + 1, Type: t, ProjectID: projectID}
	l.events = append(l.events, e)
	l.mu.Unlock()
	if own {
		l.onCommit([]event.Event{e})
	}
}

func (l *table) setUnavailable(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
}

// received is a subscriber that records changes.
type received struct {
	mu   sync.Mutex
	seen []ports.Change
}

func (r *received) receive(c ports.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, c)
}

func (r *received) take() []ports.Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	return seen
}

func expect(t *testing.T, what string, got, want []ports.Change) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: received %v, want %v", what, got, want)
	}
}

var dropAll = []ports.Change{{Kind: ports.ChangeAll}}

func TestFeed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.InfoLevel)
		log, got := &table{}, &received{}
		feed := New(log, zap.New(core))
		feed.Subscribe(got.receive)
		if feed.Live() {
			t.Error("live before the first poll")
		}
		feed.Start(t.Context())
		defer feed.Stop()
		synctest.Wait()
		if !feed.Live() {
			t.Error("not live after the first poll")
		}
		expect(t, "at the start", got.take(), dropAll)

		content := []ports.Change{{Kind: ports.ChangeContent, ID: 3}}
		log.add("entry.updated", 3, true)
		expect(t, "own change, at once", got.take(), content)
		log.add("entry.updated", 3, false)
		time.Sleep(pollInterval + time.Millisecond)
		synctest.Wait()
		expect(t, "change of another process, after one poll", got.take(), content)

		log.setUnavailable(true)
		time.Sleep(liveTime - pollInterval)
		if !feed.Live() {
			t.Error("not live although nothing can be stale yet")
		}
		time.Sleep(2*pollInterval + 2*time.Millisecond)
		if feed.Live() {
			t.Error("live although the events could not be read")
		}
		log.add("entry.updated", 4, true)
		expect(t, "own change during the outage", got.take(), []ports.Change{{Kind: ports.ChangeContent, ID: 4}})
		time.Sleep(2 * logDelay)
		log.setUnavailable(false)
		time.Sleep(pollInterval + time.Millisecond)
		synctest.Wait()
		if !feed.Live() {
			t.Error("not live although the events can be read again")
		}
		expect(t, "after an outage", got.take(), dropAll)
		time.Sleep(pollInterval)
		synctest.Wait()
		expect(t, "afterwards", got.take(), nil)
		if lines := logs.All(); len(lines) != 2 {
			t.Errorf("the outage is logged in %d lines, want 2: %v", len(lines), lines)
		}
	})
}

// An event type that this version does not know may affect any cached value.
func TestEveryEventTypeMapsToChanges(t *testing.T) {
	t.Parallel()
	for kind, want := range map[event.Type][]ports.ChangeKind{
		event.EntryCreated:      {ports.ChangeContent},
		event.MediaDeleted:      {ports.ChangeContent},
		event.CollectionUpdated: {ports.ChangeSchema, ports.ChangeContent},
		event.ProjectDeleted:    {ports.ChangeSchema, ports.ChangeContent, ports.ChangeAccount, ports.ChangeToken},
		event.TokenRevoked:      {ports.ChangeToken},
		event.SessionEnded:      {ports.ChangeAccount},
		event.SessionCreated:    nil,
		event.SessionFailed:     nil,
		event.FactorUsedBack:    nil,
		event.FactorRemoved:     {ports.ChangeAccount},
		event.SessionVerified:   {ports.ChangeAccount},
		event.MemberRemoved:     {ports.ChangeAccount},
		event.RoleDeleted:       {ports.ChangeAccount},
		event.DepartmentDeleted: {ports.ChangeAccount},
		event.UserUpdated:       {ports.ChangeAccount},
		event.RequestApproved:   nil,
		event.PublicationFailed: nil,
		event.WorkflowUpdated:   {ports.ChangeContent},
		"invoice.created":       {ports.ChangeAll},
	} {
		if got := kindsOf(kind); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
}
