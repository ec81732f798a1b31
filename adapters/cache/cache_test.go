package cache

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/adapters/changefeed"
	"imprimatur/adapters/memory"
	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/ports"
)

// manualClock is a clock that the test sets.
type manualClock struct{ nanos atomic.Int64 }

func (c *manualClock) NowNano() int64                    { return c.nanos.Load() }
func (*manualClock) Tick(time.Duration) <-chan time.Time { return nil }
func (c *manualClock) pass(d time.Duration)              { c.nanos.Add(int64(d)) }
func hash(text string) (h [32]byte)                      { copy(h[:], text); return h }
func must[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// switchedFeed is a change feed whose liveness the test sets.
type switchedFeed struct {
	*changefeed.Local
	live atomic.Bool
}

func (f *switchedFeed) Live() bool { return f.live.Load() }
func notChanged() bool             { return false }

// fixture is a small organisation with both caches in front of its stores.
type fixture struct {
	stores      ports.Stores
	changes     *switchedFeed
	clock       *manualClock
	schemas     *Schemas
	credentials *Credentials
	project     *core.Project
	user        core.User
}

func setup(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{stores: memory.New().Stores(), changes: &switchedFeed{Local: changefeed.NewLocal()}, clock: &manualClock{}}
	now := time.Now()
	tenant := &core.Tenant{Name: "Acme", CreatedAt: now, UpdatedAt: now}
	w.project = &core.Project{UUID: "11111111-1111-4111-8111-111111111111", Name: "Site", DefaultLocale: "en", Locales: []string{"en"}, CreatedAt: now, UpdatedAt: now}
	w.user = core.User{Email: "ada@example.org", Active: true, CreatedAt: now, UpdatedAt: now}
	for _, insert := range []func(context.Context) error{
		func(ctx context.Context) error { return w.stores.Tenants.Insert(ctx, tenant) },
		func(ctx context.Context) error {
			w.project.TenantID = tenant.ID
			return w.stores.Projects.Insert(ctx, w.project)
		},
		func(ctx context.Context) error { return w.stores.Users.Insert(ctx, &w.user) },
		func(ctx context.Context) error {
			return w.stores.Sessions.Insert(ctx, account.Session{Hash: hash("session"), UserID: w.user.ID, CreatedAt: now, ExpiresAt: now.Add(time.Hour)})
		},
		func(ctx context.Context) error {
			return w.stores.Tokens.Insert(ctx, &core.Token{ProjectID: w.project.ID, Hash: hash("token"), Name: "first", CreatedAt: now})
		},
		func(ctx context.Context) error {
			return w.stores.Collections.Insert(ctx, &core.Collection{ProjectID: w.project.ID, Slug: "posts", Name: "first", Version: 1, CreatedAt: now, UpdatedAt: now})
		},
	} {
		if err := insert(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.schemas = newSchemas(w.stores, w.changes, w.clock)
	w.credentials = newCredentials(w.stores, w.changes, w.clock)
	return w
}

// Each case reads a value through a cache, changes it in the store, and lists the kinds of
// change that must invalidate the value.
var cases = []struct {
	name     string
	read     func(ctx context.Context, w *fixture) (string, error)
	write    func(ctx context.Context, w *fixture) error
	announce []ports.ChangeKind
	before   string
	after    string
}{
	{
		name: "Project by id",
		read: func(ctx context.Context, w *fixture) (string, error) {
			project, err := w.schemas.Project(ctx, w.project.ID)
			return nameOf(project), err
		},
		write: renameProject, announce: []ports.ChangeKind{ports.ChangeSchema}, before: "Site", after: "Renamed",
	},
	{
		name: "Project by UUID",
		read: func(ctx context.Context, w *fixture) (string, error) {
			project, err := w.schemas.ProjectByUUID(ctx, w.project.UUID)
			return nameOf(project), err
		},
		write: renameProject, announce: []ports.ChangeKind{ports.ChangeSchema}, before: "Site", after: "Renamed",
	},
	{
		name: "collections",
		read: func(ctx context.Context, w *fixture) (string, error) {
			collections, err := w.schemas.Collections(ctx, w.project.ID)
			if err != nil {
				return "", err
			}
			return collections[0].Name, nil
		},
		write: func(ctx context.Context, w *fixture) error {
			collections, err := w.stores.Collections.Collections(ctx, w.project.ID)
			if err != nil {
				return err
			}
			changed := *collections[0]
			changed.Name, changed.Version = "second", changed.Version+1
			return w.stores.Collections.Update(ctx, &changed)
		},
		announce: []ports.ChangeKind{ports.ChangeSchema}, before: "first", after: "second",
	},
	{
		name: "token",
		read: func(ctx context.Context, w *fixture) (string, error) {
			token, err := w.credentials.TokenByHash(ctx, hash("token"))
			if err != nil {
				return "", err
			}
			return token.Name, nil
		},
		write: func(ctx context.Context, w *fixture) error {
			token, err := w.stores.Tokens.TokenByHash(ctx, hash("token"))
			if err != nil {
				return err
			}
			token.Name = "second"
			return w.stores.Tokens.Update(ctx, token)
		},
		announce: []ports.ChangeKind{ports.ChangeToken}, before: "first", after: "second",
	},
	{
		name: "role of a session's user",
		read: func(ctx context.Context, w *fixture) (string, error) {
			_, actor, err := w.credentials.SessionActor(ctx, hash("session"))
			if err != nil {
				return "", err
			}
			if len(actor.Grants) == 0 {
				return "none", nil
			}
			return string(actor.Grants[0].Role), nil
		},
		write: func(ctx context.Context, w *fixture) error {
			return w.stores.Grants.Set(ctx, core.Grant{UserID: w.user.ID, Role: core.RoleEditor, TenantID: w.project.TenantID, ProjectID: w.project.ID})
		},
		announce: []ports.ChangeKind{ports.ChangeAccount}, before: "none", after: "editor",
	},
	{
		name: "end of a session",
		read: func(ctx context.Context, w *fixture) (string, error) {
			session, _, err := w.credentials.SessionActor(ctx, hash("session"))
			if errors.Is(err, core.ErrNotFound) {
				return "ended", nil
			}
			if session.UserID != w.user.ID {
				return "another user's", err
			}
			return "open", err
		},
		write: func(ctx context.Context, w *fixture) error {
			return w.stores.Sessions.Delete(ctx, hash("session"))
		},
		announce: []ports.ChangeKind{ports.ChangeAccount}, before: "open", after: "ended",
	},
}

func nameOf(project *core.Project) string {
	if project == nil {
		return ""
	}
	return project.Name
}

func renameProject(ctx context.Context, w *fixture) error {
	changed := *w.project
	changed.Name = "Renamed"
	return w.stores.Projects.Update(ctx, &changed)
}

func TestAnnouncedChangesAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	for _, test := range cases {
		for _, kind := range append(test.announce, ports.ChangeAll) {
			t.Run(test.name+" on "+string(kind), func(t *testing.T) {
				t.Parallel()
				w := setup(t)
				read := func() string { return must[string](t)(test.read(t.Context(), w)) }
				if got := read(); got != test.before {
					t.Fatalf("initially %q, want %q", got, test.before)
				}
				if err := test.write(t.Context(), w); err != nil {
					t.Fatal(err)
				}
				if got := read(); got != test.before {
					t.Fatalf("%q was looked up again without an announcement", got)
				}
				w.changes.Publish(ports.Change{Kind: kind, ID: 1})
				if got := read(); got != test.after {
					t.Errorf("after the announcement %q, want %q", got, test.after)
				}
			})
		}
	}
}

func TestOtherChangesAreSeenWithinHalfASecond(t *testing.T) {
	t.Parallel()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			read := func() string { return must[string](t)(test.read(t.Context(), w)) }
			read()
			if err := test.write(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			w.clock.pass(300 * time.Millisecond)
			read() // reading does not extend the expiry
			w.clock.pass(201 * time.Millisecond)
			if got := read(); got != test.after {
				t.Errorf("after half a second %q, want %q", got, test.after)
			}
		})
	}
}

// With a live feed, a cached value is replaced only after a change or after ten seconds.
// Without one, values older than half a second are not used.
func TestLiveFeedKeepsEntriesLonger(t *testing.T) {
	t.Parallel()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			read := func() string { return must[string](t)(test.read(t.Context(), w)) }
			w.changes.live.Store(true)
			read()
			if err := test.write(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			w.clock.pass(9 * time.Second)
			if got := read(); got != test.before {
				t.Errorf("%q was looked up again without an announcement", got)
			}
			w.changes.live.Store(false)
			if got := read(); got != test.after {
				t.Errorf("without a feed %q, want %q", got, test.after)
			}
		})
	}
}

func TestEntriesExpire(t *testing.T) {
	t.Parallel()
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.changes.live.Store(true)
			read := func() string { return must[string](t)(test.read(t.Context(), w)) }
			read()
			if err := test.write(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			w.clock.pass(6 * time.Second)
			read() // reading does not extend the expiry
			w.clock.pass(5 * time.Second)
			if got := read(); got != test.after {
				t.Errorf("after eleven seconds %q, want %q", got, test.after)
			}
		})
	}
}

func TestMissingObjectsAreNotCached(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const uuid = "22222222-2222-4222-8222-222222222222"
	if _, err := w.schemas.ProjectByUUID(t.Context(), uuid); !errors.Is(err, core.ErrNotFound) {
		t.Fatalf("ProjectByUUID = %v, want not found", err)
	}
	late := &core.Project{UUID: uuid, TenantID: w.project.TenantID, Name: "Late", DefaultLocale: "en", Locales: []string{"en"}, CreatedAt: time.Now(), UpdatedAt: time.Now()}
	if err := w.stores.Projects.Insert(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	if got := must[*core.Project](t)(w.schemas.ProjectByUUID(t.Context(), uuid)); got.ID != late.ID {
		t.Errorf("found project %d, want %d", got.ID, late.ID)
	}
}

// A lookup that began before a change must not store the old value after it.
func TestLookupDuringAChangeIsNotCached(t *testing.T) {
	t.Parallel()
	var stored atomic.Int64
	stored.Store(1)
	began, goOn := make(chan struct{}), make(chan struct{})
	var loads atomic.Int64
	values := newLookups(&manualClock{}, notChanged, func(_ context.Context, _ key) (int64, error) {
		value := stored.Load()
		if loads.Add(1) == 1 {
			close(began)
			<-goOn
		}
		return value, nil
	})

	old := make(chan int64)
	go func() {
		value, _ := values.get(context.Background(), key{})
		old <- value
	}()
	<-began
	stored.Store(2)
	values.clear()
	if got := must[int64](t)(values.get(t.Context(), key{})); got != 2 {
		t.Errorf("right after the change %d, want 2", got)
	}
	close(goOn)
	<-old
	if got := must[int64](t)(values.get(t.Context(), key{})); got != 2 {
		t.Errorf("after the earlier lookup %d, want 2", got)
	}
}

// Concurrent callers share one lookup, and a cancelled caller does not affect the others.
func TestConcurrentCallersShareALookup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var loads atomic.Int64
		values := newLookups(&manualClock{}, notChanged, func(ctx context.Context, k key) (int64, error) {
			loads.Add(1)
			time.Sleep(time.Second) // until all callers wait
			return k.id, ctx.Err()
		})
		var done sync.WaitGroup
		for range 50 {
			done.Go(func() {
				if value, err := values.get(context.Background(), idKey(7)); err != nil || value != 7 {
					t.Errorf("get = %d, %v", value, err)
				}
			})
		}
		done.Wait()
		if loads.Load() != 1 {
			t.Errorf("%d lookups, want 1", loads.Load())
		}
	})
}

// Concurrent callers that find an outdated entry share one lookup, too.
func TestOutdatedEntriesAreLookedUpOnce(t *testing.T) {
	t.Parallel()
	clock := &manualClock{}
	late, goOn := make(chan struct{}), make(chan struct{})
	var slow atomic.Bool
	live := func() bool {
		if slow.CompareAndSwap(true, false) { // the caller that found the outdated value
			close(late)
			<-goOn
		}
		return false
	}
	var loads atomic.Int64
	values := newLookups(clock, live, func(context.Context, key) (int64, error) { return loads.Add(1), nil })
	must[int64](t)(values.get(t.Context(), key{}))
	clock.pass(maxAgeOffline + 1)
	slow.Store(true)
	second := make(chan int64)
	go func() {
		value, _ := values.get(context.Background(), key{})
		second <- value
	}()
	<-late
	if got := must[int64](t)(values.get(t.Context(), key{})); got != 2 {
		t.Errorf("the first caller got %d, want 2", got)
	}
	close(goOn)
	if got := <-second; got != 2 {
		t.Errorf("the second caller got %d, want the first caller's value", got)
	}
}

func BenchmarkProjectByUUID(b *testing.B) {
	stores := memory.New().Stores()
	project := &core.Project{UUID: "11111111-1111-4111-8111-111111111111", Name: "Site", DefaultLocale: "en", Locales: []string{"en"}}
	if err := stores.Projects.Insert(b.Context(), project); err != nil {
		b.Fatal(err)
	}
	schemas := NewSchemas(stores, changefeed.NewLocal())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := schemas.ProjectByUUID(b.Context(), project.UUID); err != nil {
			b.Fatal(err)
		}
	}
}
