package live_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/live"
	"imprimatur/core/reading"
	"imprimatur/ports"
)

// house is a Project whose entries change, and the feed of its changes.
type house struct {
	mu      sync.Mutex
	changes []reading.PublicChange
	reads   int
	gone    bool // the Project was deleted
	away    bool // the database is
	hear    func(ports.Change)
}

var project = &core.Project{ID: 3, UUID: "u3"}

func (h *house) Subscribe(fn func(ports.Change)) (stop func()) {
	h.hear = fn
	return func() {}
}

func (h *house) Live() bool { return true }

func (h *house) ProjectByUUID(context.Context, string) (*core.Project, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return nil, core.NotFound("project")
	}
	return project, nil
}

func (h *house) Now(context.Context, *core.Project) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strconv.Itoa(len(h.changes)), nil
}

func (h *house) Names(_ context.Context, _ *core.Project, since string, limit int) (reading.ChangeNames, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reads++
	if h.away {
		return reading.ChangeNames{}, errors.New("away")
	}
	if since == "old" {
		return reading.ChangeNames{}, &core.Error{Kind: core.KindGone, Code: "cursor_expired"}
	}
	n, err := strconv.Atoi(since)
	if err != nil {
		return reading.ChangeNames{}, core.BadParameter("since", nil, "is no cursor")
	}
	found := h.changes[n:]
	return reading.ChangeNames{Changes: found[:min(len(found), limit)], More: len(found) > limit, Next: strconv.Itoa(len(h.changes))}, nil
}

// publish changes n entries.
func (h *house) publish(n int) {
	h.mu.Lock()
	for range n {
		h.changes = append(h.changes, reading.PublicChange{Op: reading.ChangePut, ID: int64(len(h.changes) + 1), Collection: "articles"})
	}
	h.mu.Unlock()
	h.hear(ports.Change{Kind: ports.ChangeContent, ID: project.ID})
}

// took returns how often changes were read since the last call.
func (h *house) took() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.reads
	h.reads = 0
	return n
}

// open returns a Hub whose listeners the test closes.
func open(t *testing.T, limit int) (*house, *live.Hub) {
	t.Helper()
	h := &house{}
	hub := live.New(h, h, h, limit)
	t.Cleanup(hub.Close)
	return h, hub
}

func valid(context.Context) error { return nil }

func listen(t *testing.T, hub *live.Hub, since string) *live.Listener {
	t.Helper()
	l, err := hub.Listen(t.Context(), project, since, live.Credential{Key: "token 1", Check: valid})
	require.NoError(t, err)
	return l
}

// ids returns the entries in the next message, or nil without one.
func ids(l *live.Listener) []int64 {
	m, ok := l.Take()
	if !ok {
		return nil
	}
	found := []int64{}
	for _, item := range m.Items {
		found = append(found, item.ID)
	}
	return found
}

func TestOneReadServesAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, hub := open(t, 100)
		h.hear(ports.Change{Kind: ports.ChangeContent, ID: project.ID}) // nobody listens
		var all []*live.Listener
		for range 50 {
			all = append(all, listen(t, hub, ""))
		}
		h.publish(1)
		synctest.Wait()
		assert.Equal(t, 1, h.took())
		for _, l := range all {
			assert.Equal(t, "0", l.Cursor)
			assert.Equal(t, []int64{1}, ids(l))
			assert.Nil(t, ids(l))
		}
		// What follows within a second waits, and comes as one message.
		h.publish(1)
		h.publish(1)
		time.Sleep(live.Pace - time.Millisecond)
		synctest.Wait()
		assert.Nil(t, ids(all[0]))
		assert.Zero(t, h.took())
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, 1, h.took())
		for _, l := range all {
			assert.Equal(t, []int64{2, 3}, ids(l))
		}
		// A change of another Project, or of drafts alone, gives no message.
		time.Sleep(live.Pace)
		h.hear(ports.Change{Kind: ports.ChangeContent, ID: project.ID + 1})
		synctest.Wait()
		assert.Zero(t, h.took())
		h.hear(ports.Change{Kind: ports.ChangeContent, ID: project.ID})
		synctest.Wait()
		assert.Equal(t, 1, h.took())
		assert.Nil(t, ids(all[0]))
		for _, l := range all {
			l.Close()
			l.Close()
		}
		assert.Zero(t, hub.Listeners())
		h.publish(1)
		synctest.Wait()
		assert.Zero(t, h.took())
	})
}

func TestListenersGetWhatTheyMissed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, hub := open(t, 1000)
		h.publish(3)
		first := listen(t, hub, "")
		assert.Equal(t, "3", first.Cursor)
		for range 200 {
			l := listen(t, hub, "1")
			assert.Equal(t, "1", l.Cursor)
			m, ok := l.Take()
			require.True(t, ok)
			assert.Equal(t, "3", m.Cursor)
			assert.Len(t, m.Items, 2)
			assert.False(t, m.More || m.Reset)
			l.Close()
		}
		assert.Equal(t, 1, h.took(), "one read for all")
		same := listen(t, hub, "3")
		assert.Nil(t, ids(same))
		assert.Zero(t, h.took())
		// Many changes are not named; later ones join what was not taken yet.
		slow := listen(t, hub, "")
		h.publish(1)
		synctest.Wait()
		time.Sleep(2 * live.Pace)
		h.publish(live.MaxNames)
		synctest.Wait()
		m, ok := slow.Take()
		require.True(t, ok)
		assert.Len(t, m.Items, live.MaxNames)
		assert.True(t, m.More)
		assert.Equal(t, strconv.Itoa(4+live.MaxNames), m.Cursor)
		assert.Equal(t, int64(4), m.Items[0].ID)
		expired := listen(t, hub, "old")
		m, ok = expired.Take()
		require.True(t, ok)
		assert.True(t, m.Reset)
		assert.Equal(t, strconv.Itoa(4+live.MaxNames), m.Cursor)
		_, err := hub.Listen(t.Context(), project, "x", live.Credential{Check: valid})
		assert.Equal(t, core.KindBadRequest, core.KindOf(err))
		assert.Equal(t, 4, hub.Listeners())
		for _, l := range []*live.Listener{first, same, slow, expired} {
			l.Close()
		}
	})
}

func TestOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, hub := open(t, 10)
		l := listen(t, hub, "")
		h.away = true
		h.publish(1)
		time.Sleep(3 * live.Pace)
		synctest.Wait()
		assert.Nil(t, ids(l))
		h.mu.Lock()
		h.away = false
		h.mu.Unlock()
		time.Sleep(live.Pace)
		synctest.Wait()
		assert.Equal(t, []int64{1}, ids(l))
		l.Close()
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, hub := open(t, live.MaxListeners+1)
		var all []*live.Listener
		for range live.MaxListeners {
			all = append(all, listen(t, hub, ""))
		}
		refused := func(p *core.Project) core.Kind {
			_, err := hub.Listen(t.Context(), p, "", live.Credential{Check: valid})
			return core.KindOf(err)
		}
		other := &core.Project{ID: 4, UUID: "u4"}
		assert.Equal(t, core.KindTooManyRequests, refused(project))
		elsewhere, err := hub.Listen(t.Context(), other, "", live.Credential{Check: valid})
		require.NoError(t, err)
		assert.Equal(t, core.KindUnavailable, refused(other))
		all[0].Close()
		assert.Equal(t, live.MaxListeners, hub.Listeners())
		listen(t, hub, "").Close()
		for _, l := range append(all, elsewhere) {
			l.Close()
		}
		assert.Zero(t, hub.Listeners())
	})
}

func TestListenersEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, hub := open(t, 10)
		var answer atomic.Pointer[core.Error]
		var checks atomic.Int64
		check := func(context.Context) error {
			checks.Add(1)
			if err := answer.Load(); err != nil {
				return err
			}
			return nil
		}
		ended := func(l *live.Listener) live.End {
			synctest.Wait()
			select {
			case <-l.Ended():
				return l.Reason()
			default:
				return ""
			}
		}
		kept := listen(t, hub, "")
		var doubted []*live.Listener
		for range 3 {
			l, err := hub.Listen(t.Context(), project, "", live.Credential{Key: "token 2", Check: check})
			require.NoError(t, err)
			doubted = append(doubted, l)
		}
		h.hear(ports.Change{Kind: ports.ChangeToken})
		assert.Empty(t, ended(doubted[0]))
		assert.Equal(t, int64(1), checks.Load(), "one check for all connections of a token")
		answer.Store(&core.Error{Kind: core.KindUnavailable})
		h.hear(ports.Change{Kind: ports.ChangeAccount})
		time.Sleep(2 * time.Second)
		assert.Empty(t, ended(doubted[0]), "the database is away")
		answer.Store(core.Unauthenticated())
		time.Sleep(time.Second)
		for _, l := range doubted {
			assert.Equal(t, live.EndToken, ended(l))
		}
		assert.Empty(t, ended(kept))
		h.mu.Lock()
		h.gone = true
		h.mu.Unlock()
		h.hear(ports.Change{Kind: ports.ChangeSchema, ID: project.ID})
		assert.Equal(t, live.EndProject, ended(kept))
		h.mu.Lock()
		h.gone = false
		h.mu.Unlock()
		last := listen(t, hub, "")
		hub.Close()
		assert.Equal(t, live.EndStopping, ended(last))
		_, err := hub.Listen(t.Context(), project, "", live.Credential{Check: valid})
		assert.Equal(t, core.KindUnavailable, core.KindOf(err))
		for _, l := range append(doubted, kept, last) {
			l.Close()
		}
	})
}
