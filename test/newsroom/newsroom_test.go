package newsroom_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"imprimatur/adapters/memory"
	"imprimatur/adapters/postgres"
	"imprimatur/adapters/sqlite"
	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
	"imprimatur/test/postgrestest"
)

// checks is the number of random histories per engine, unless -rapid.checks is given.
const checks = "12"

func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.steps": "60"} {
		if given[name] {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

type open func(t *testing.T) (ports.Stores, ports.Tx)

func openMemory(*testing.T) (ports.Stores, ports.Tx) {
	store := memory.New()
	return store.Stores(), store
}

func openSQLite(t *testing.T) (ports.Stores, ports.Tx) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "imprimatur.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, db.Close()) })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db.Stores(), db
}

func openPostgres(t *testing.T) (ports.Stores, ports.Tx) {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgrestest.Migrated(t), postgres.Options{Conns: 12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, db.Close()) })
	return db.Stores(), db
}

func closed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("closing: %v", err)
	}
}

func TestHistoriesOnMemory(t *testing.T) {
	t.Parallel()
	histories(t, openMemory)
}

func TestHistoriesOnSQLite(t *testing.T) {
	t.Parallel()
	histories(t, openSQLite)
}

func TestHistoriesOnPostgres(t *testing.T) {
	t.Parallel()
	histories(t, openPostgres)
}

func histories(t *testing.T, open open) {
	t.Helper()
	stores, tx := open(t)
	const tick = 15 * time.Millisecond
	rapid.Check(t, func(rt *rapid.T) {
		newsroom.CheckHistory(rt, newsroom.Engine{
			Stores: stores, Tx: tx, Clock: systemclock.New(), Tick: tick,
			Pass: func(ticks int) { time.Sleep(time.Duration(ticks) * tick) }, // of the real clock, by which schedules become due
		})
	})
}

func TestRacesOnSQLite(t *testing.T) {
	t.Parallel()
	races(t, openSQLite, 6)
}

func TestRacesOnPostgres(t *testing.T) {
	t.Parallel()
	races(t, openPostgres, 25)
}

// races runs decisions, edits, withdrawals, schedules and two workers on one article
// concurrently. Each succeeds or returns a conflict. Afterwards only approved content is
// public, and every audit trail verifies.
func races(t *testing.T, open open, rounds int) {
	t.Helper()
	stores, tx := open(t)
	w := newsroom.New(t, stores, tx, systemclock.New())
	w.SetWorkflow(newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin))
	admin, editor := w.Actor("admin"), w.Actor("editor")
	for round := range rounds {
		id := w.Create(newsroom.Article(fmt.Sprint("round ", round), newsroom.Published(true))).ID
		decide := func(do func(context.Context, core.Actor, review.Subject, approval.Decision) (*approval.View, error)) func() error {
			return func() error {
				_, err := do(t.Context(), admin, w.Ref(id), approval.Decision{Comment: "c"})
				return err
			}
		}
		update := func(wr core.EntryWrite) func() error {
			return func() error {
				_, err := w.Writer.Update(t.Context(), editor, w.Ref(id), nil, wr)
				return err
			}
		}
		due := func() error {
			_, _, err := w.Worker.PublishDue(t.Context())
			return err
		}
		work := []func() error{
			decide(w.Reviews.Approve), decide(w.Reviews.Approve), decide(w.Reviews.Approve), decide(w.Reviews.Reject), decide(w.Reviews.PublishNow),
			update(newsroom.Article("edited")), update(core.EntryWrite{Published: new(false)}),
			func() error {
				again := newsroom.Article("again", newsroom.Published(true), newsroom.At(time.Now().Add(20*time.Millisecond)))
				if err := update(again)(); core.KindOf(err) != core.KindForbidden { // a step is approved: the editor may not change the time
					return err
				}
				return nil
			},
			func() error {
				_, err := w.Reviews.Reschedule(t.Context(), admin, w.Ref(id), schedule.Times{PublishAt: core.Some(time.Now().Add(10 * time.Millisecond))})
				return err
			},
			due, due,
		}
		rand.Shuffle(len(work), func(i, j int) { work[i], work[j] = work[j], work[i] })
		var all sync.WaitGroup
		for _, do := range work {
			all.Go(func() {
				if err := do(); err != nil && !errors.Is(err, core.ErrConflict) {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		all.Wait()
		checkArticle(t, w, id)
	}
}

// checkArticle verifies one article against its requests and audit trails.
func checkArticle(t *testing.T, w *newsroom.Fixture, id int64) {
	t.Helper()
	requests, err := w.Stores.Requests.EntryRequests(t.Context(), w.Project.ID, id, 100)
	w.OK(err)
	e := w.Entry(id)
	open, released := 0, ""
	for _, r := range requests {
		if r.Status.Open() {
			open++
		}
		if r.Status == review.RequestPublished && released == "" {
			released = r.ContentHash()
		}
		actions, err := w.Stores.Requests.Actions(t.Context(), w.Project.ID, r.ID)
		w.OK(err)
		if audit := approval.Verify(r, actions); !audit.Valid() || r.Version != versions(actions) {
			t.Errorf("request %d, version %d: %d actions, audit faults %v", r.ID, r.Version, len(actions), audit.Faults)
		}
		approvals := 0
		for _, a := range actions {
			if a.Type == review.ActionApprove {
				approvals++
			}
		}
		if r.Status == review.RequestPublished && approvals != len(r.Steps) {
			t.Errorf("request %d was published after %d approvals", r.ID, approvals)
		}
	}
	if open > 1 {
		t.Errorf("entry %d has %d open requests", id, open)
	}
	if _, hash, _ := w.Articles.Snapshot(e.Locale, e.Published, nil); e.Published != nil && hash != released {
		t.Errorf("entry %d is public as %s, which was not approved", id, e.Published)
	}
	_, err = w.Stores.Schedules.Scheduled(t.Context(), w.Project.ID, id, schedule.Publish)
	if scheduled := err == nil; scheduled != (len(requests) > 0 && requests[0].Status == review.RequestApproved) {
		t.Errorf("entry %d, scheduled %v: its latest request is %s", id, scheduled, requests[0].Status)
	}
}

// versions returns the version of a request after its actions. A publish action shares the
// version of the decision that caused it, unless it was scheduled.
func versions(actions []review.Action) int64 {
	n := int64(len(actions))
	for _, a := range actions {
		if a.Type == review.ActionPublish && a.Actor.Kind != "system" {
			n--
		}
	}
	return n
}

func TestConcurrentWritesAreInRevisionsOnSQLite(t *testing.T) {
	t.Parallel()
	writeConcurrently(t, openSQLite)
}

func TestConcurrentWritesAreInRevisionsOnPostgres(t *testing.T) {
	t.Parallel()
	writeConcurrently(t, openPostgres)
}

// writeConcurrently saves one draft as two users concurrently, with and without the expected
// version. A revision has the title of each successful write: the write ends the other user's
// revision, and its note closes its own.
func writeConcurrently(t *testing.T, open open) {
	t.Helper()
	stores, tx := open(t)
	w := newsroom.New(t, stores, tx, systemclock.New())
	id := w.Create(newsroom.Article("first")).ID
	accepted := make(chan string, 1000)
	var all sync.WaitGroup
	for _, user := range []string{"editor", "admin"} {
		for _, matched := range []bool{true, false} {
			all.Go(func() {
				for n := range 10 {
					title := fmt.Sprintf("%s %v %d", user, matched, n)
					wr := newsroom.Article(title)
					wr.Note = &title
					var ifMatch *core.EntryTag
					if matched {
						ifMatch = &core.EntryTag{Version: w.Entry(id).Version}
					}
					_, err := w.Writer.Update(t.Context(), w.Actor(user), w.Ref(id), ifMatch, wr)
					switch {
					case err == nil:
						accepted <- title
					case !matched || !errors.Is(err, core.ErrPrecondition):
						t.Errorf("%s: %v", title, err)
					}
				}
			})
		}
	}
	all.Wait()
	close(accepted)
	found := map[string]string{}
	w.Revisions(w.Entry(id), func(r core.RevisionRecord, content string) { found[r.Note] = content })
	for title := range accepted {
		if want := `"title":"` + title + `"`; !strings.Contains(found[title], want) {
			t.Errorf("the revision %q has %s", title, found[title])
		}
		delete(found, title)
	}
	delete(found, "") // the first write, unless the same user's next write extended its revision
	if len(found) > 0 {
		t.Errorf("revisions of refused writes: %v", found)
	}
}

func TestWorkersShareOnSQLite(t *testing.T) {
	t.Parallel()
	workersShare(t, openSQLite)
}

func TestWorkersShareOnPostgres(t *testing.T) {
	t.Parallel()
	workersShare(t, openPostgres)
}

// workersShare runs several workers on many due publications: each is published once, by
// one worker, and none remains.
func workersShare(t *testing.T, open open) {
	t.Helper()
	const due, workers = 40, 3
	stores, tx := open(t)
	w := newsroom.New(t, stores, tx, systemclock.New())
	w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	at := time.Now().Add(time.Hour)
	var ids []int64
	for n := range due {
		id := w.Create(newsroom.Article(fmt.Sprint("article ", n), newsroom.Published(true), newsroom.At(at))).ID
		w.OK(w.Approve("admin", id))
		ids = append(ids, id)
	}
	for _, id := range ids { // make them due
		p, err := stores.Schedules.Scheduled(t.Context(), w.Project.ID, id, schedule.Publish)
		w.OK(err)
		p.DueAt = time.Now().Add(-time.Second).UTC().Truncate(time.Millisecond)
		w.OK(stores.Schedules.Schedule(t.Context(), p))
	}
	counts := make([]int, workers)
	var all sync.WaitGroup
	for i := range workers {
		worker := approval.NewWorker(w.Stores.Schedules, w.Tx, w.Publisher, w.Clock)
		all.Go(func() {
			published, failed, err := worker.PublishDue(t.Context())
			if counts[i] = published; err != nil || failed > 0 {
				t.Errorf("worker %d failed %d: %v", i, failed, err)
			}
		})
	}
	all.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	if published, failed, err := w.Worker.PublishDue(t.Context()); err != nil || failed > 0 || total+published != due {
		t.Errorf("workers published %v, then %d more, want %d in total: %v", counts, published, due, err)
	}
	for _, id := range ids {
		v := w.Request(id)
		if v.Request.Status != review.RequestPublished || len(v.Actions) != 3 || w.Public(id) == "" {
			t.Errorf("request %d is %s after %d actions", v.Request.ID, v.Request.Status, len(v.Actions))
		}
	}
}

func TestWrongClocksOnSQLite(t *testing.T) {
	t.Parallel()
	wrongClocks(t, openSQLite)
}

func TestWrongClocksOnPostgres(t *testing.T) {
	t.Parallel()
	wrongClocks(t, openPostgres)
}

// wrongClocks runs processes whose clocks are an hour off: they publish on time, by the
// clock of the database.
func wrongClocks(t *testing.T, open open) {
	t.Helper()
	stores, tx := open(t)
	for name, off := range map[string]time.Duration{"fast": time.Hour, "slow": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newsroom.New(t, stores, tx, shifted{off})
			w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			now := func() time.Time {
				at, err := stores.Clock.Now(t.Context())
				w.OK(err)
				return at
			}
			due := now().Add(time.Second).UTC().Truncate(time.Millisecond)
			id := w.Create(newsroom.Article("on time", newsroom.Published(true), newsroom.At(due))).ID
			w.OK(w.Approve("admin", id))
			for w.Public(id) == "" {
				wait, err := w.Worker.Wait(t.Context())
				w.OK(err)
				time.Sleep(wait) // as the worker of the program does
				_, _, err = w.Worker.PublishDue(t.Context())
				w.OK(err)
			}
			if seen := now(); seen.Before(due) {
				t.Errorf("public %v before it was due", due.Sub(seen))
			}
			if v := w.Request(id); v.Request.Status != review.RequestPublished || len(v.Actions) != 3 {
				t.Errorf("the request is %s after %d actions", v.Request.Status, len(v.Actions))
			}
		})
	}
}

// shifted is a clock with a constant error.
type shifted struct{ by time.Duration }

func (c shifted) Now() time.Time { return time.Now().Add(c.by) }
