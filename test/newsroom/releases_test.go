package newsroom_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

var releaseOperations = flag.Int("operations", 0, "the number of operations of the model of releases on each engine; 0: few")

// TestReleasesFollowTheModel compares what readers see with a model of drafts, requests, releases, publications, the
// trash and workflows, after each of many random operations.
func TestReleasesFollowTheModel(t *testing.T) {
	t.Parallel()
	for name, few := range map[string]int{"memory": 4000, "sqlite": 500, "postgres": 500} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if *releaseOperations > 0 {
				few = *releaseOperations
			}
			stores, tx := stores[name](t)
			histories, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
			if err != nil {
				t.Fatal(err)
			}
			published := 0 // releases
			rapid.Check(t, func(rt *rapid.T) { published += followReleases(rt, stores, tx, max(few/histories, 1)) })
			if published == 0 && !testing.Short() { // rapid makes a fifth of the histories then
				t.Error("no release was published")
			}
			t.Logf("%d releases were published", published)
		})
	}
}

// modelEntry is what the model knows of an entry.
type modelEntry struct {
	draft, public string // titles; "" public: readers see none
	hidden        string // what the trash hides
	trashed       bool
	pending       string           // title in its own open request
	titles        map[int64]string // of its publications, by number
}

// modelMember is a member of a release of the model. before is the public title when the release was published.
type modelMember struct {
	action                schedule.Action
	from                  int64
	title, before, expect string
}

// modelRelease is a release of the model.
type modelRelease struct {
	state    release.State
	reviewed bool // its submission has a request
	due      time.Time
	rounds   int
	members  map[int64]*modelMember
}

// releaseModel is a newsroom and what its readers must see.
type releaseModel struct {
	*newsroom.Fixture
	rt       *rapid.T
	random   *rand.Rand // uniform, unlike draws
	releases *releasing.Releases
	governed bool
	entries  map[int64]*modelEntry
	all      map[int64]*modelRelease
	words    int
	done     string // the last operation
	out      int    // releases that were published
}

// followReleases runs random operations and returns how many releases were published.
func followReleases(rt *rapid.T, stores ports.Stores, tx ports.Tx, operations int) int {
	w := newsroom.New(rt, stores, tx, systemclock.New())
	m := &releaseModel{
		Fixture: w, rt: rt, random: rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0)), releases: releasing.New(stores, tx, w.Writer, w.Requests, w.Publisher),
		entries: map[int64]*modelEntry{}, all: map[int64]*modelRelease{},
	}
	w.Worker.PublishUngoverned = m.releases.PublishDue
	kinds := []func(){
		m.create, m.edit, m.edit, m.publish, m.publish, m.decide, m.decide, m.takeAway, m.restore, m.workflow, m.work, m.work,
		m.newRelease, m.put, m.put, m.put, m.remove, m.submit, m.submit, m.submit, m.review, m.review, m.review, m.unschedule, m.revert,
	}
	for _, begin := range []func(){m.create, m.create, m.create, m.newRelease, m.put, m.put, m.newRelease, m.put} {
		begin()
		m.check()
	}
	for range operations {
		kinds[m.random.IntN(len(kinds))]()
		m.check()
	}
	m.verify()
	return m.out
}

func (m *releaseModel) bool() bool { return m.random.IntN(2) == 0 }

// pick returns one of the keys of items, or 0.
func pick[V any](m *releaseModel, items map[int64]V) int64 {
	if len(items) == 0 {
		return 0
	}
	return slices.Sorted(maps.Keys(items))[m.random.IntN(len(items))]
}

func (m *releaseModel) word() string {
	m.words++
	return fmt.Sprint("t", m.words)
}

func (m *releaseModel) did(format string, args ...any) {
	m.done = fmt.Sprintf(format, args...)
	m.rt.Log(m.done)
}

// expect fails unless err says what the model does.
func (m *releaseModel) expect(err error, want bool) bool {
	m.Helper()
	if core.KindOf(err) == core.KindInternal && err != nil || (err == nil) != want {
		m.Fatalf("%s: %v, success expected: %v", m.done, err, want)
	}
	return err == nil
}

// submitted returns the submitted release that has an entry, or nil.
func (m *releaseModel) submitted(entry int64) *modelRelease {
	for _, r := range m.all {
		if r.state.Submitted() && r.members[entry] != nil {
			return r
		}
	}
	return nil
}

func (m *releaseModel) create() {
	if len(m.entries) >= 8 {
		m.edit()
		return
	}
	title := m.word()
	id := m.Create(newsroom.Article(title)).ID
	m.entries[id] = &modelEntry{draft: title, titles: map[int64]string{}}
	m.did("create %d", id)
}

func (m *releaseModel) edit() {
	id := pick(m, m.entries)
	if id == 0 {
		return
	}
	e, title := m.entries[id], m.word()
	m.did("edit %d to %s", id, title)
	_, err := m.Writer.Update(m.Context(), m.Actor("editor"), m.Ref(id), nil, newsroom.Article(title, func(wr *core.EntryWrite) { wr.KeepPublished = true }))
	if m.expect(err, !e.trashed) {
		e.draft = title
	}
}

func (m *releaseModel) publish() {
	id := pick(m, m.entries)
	if id == 0 {
		return
	}
	e := m.entries[id]
	m.did("publish %d", id)
	_, err := m.Writer.Publish(m.Context(), m.Actor("editor"), m.Ref(id), writing.Publication{}, nil)
	switch {
	case !m.expect(err, !e.trashed) || m.submitted(id) != nil || e.pending != "":
	case m.governed && e.draft != e.public: // what readers see already needs no request
		e.pending = e.draft
	default:
		e.public = e.draft
	}
}

func (m *releaseModel) decide() {
	id := pick(m, m.entries)
	if id == 0 {
		return
	}
	e, approves := m.entries[id], m.bool()
	m.did("decide about %d: %v", id, approves)
	act := m.Reviews.Reject
	if approves {
		act = m.Reviews.Approve
	}
	_, err := act(m.Context(), m.Actor("admin"), m.Ref(id), approval.Decision{})
	if !m.expect(err, e.pending != "") {
		return
	}
	if approves {
		e.public = e.pending
	}
	e.pending = ""
}

// takeAway unpublishes or trashes an entry, and may withdraw the release that has it.
func (m *releaseModel) takeAway() {
	id := pick(m, m.entries)
	if id == 0 {
		return
	}
	e, trash, withdraws, of := m.entries[id], m.bool(), m.bool(), m.submitted(id)
	m.did("take away %d: trash %v, withdraw %v", id, trash, withdraws)
	writer := m.Writer
	if withdraws {
		writer = writer.WithdrawingReleases()
	}
	act := writer.Unpublish
	if trash {
		act = writer.Trash
	}
	_, err := act(m.Context(), m.Actor("editor"), m.Ref(id), nil, "")
	if !m.expect(err, !e.trashed && (of == nil || withdraws)) {
		return
	}
	if of != nil {
		of.state = release.Open
	}
	e.hidden, e.public, e.pending, e.trashed = "", "", "", trash
	if trash {
		e.hidden = e.titles[m.current(id, true)]
	}
}

// current returns the number of the publication that readers see, or with last of the last one that ended.
func (m *releaseModel) current(id int64, last bool) int64 {
	read := m.Stores.Publications.Current
	if last {
		read = m.Stores.Publications.Latest
	}
	found, err := read(m.Context(), m.Project.ID, []int64{id})
	m.OK(err)
	return found[id].Number
}

func (m *releaseModel) restore() {
	trashed := maps.Clone(m.entries)
	maps.DeleteFunc(trashed, func(_ int64, e *modelEntry) bool { return !e.trashed })
	id := pick(m, trashed)
	if id == 0 {
		return
	}
	e := m.entries[id]
	m.did("restore %d", id)
	was := m.Entry(id).Published != nil
	_, err := m.Writer.Restore(m.Context(), m.Actor("editor"), m.Ref(id), nil)
	if m.expect(err, true) {
		if e.trashed = false; was && !m.governed {
			e.public = e.hidden
		}
	}
}

func (m *releaseModel) workflow() {
	m.governed = !m.governed
	m.did("governed: %v", m.governed)
	if !m.governed {
		m.OK(m.Workflows.RemoveProject(m.Context(), core.Actor{System: true}, m.Project))
		return
	}
	m.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	for _, r := range m.all {
		if r.state == release.Approved && !r.reviewed {
			r.state = release.Open
		}
	}
}

// work publishes what is due. A release is published whole or not at all.
func (m *releaseModel) work() {
	m.did("work")
	_, failed, err := m.Worker.PublishDue(m.Context())
	m.OK(err)
	if failed > 0 {
		m.Fatalf("%d publications failed", failed)
	}
	for id, r := range m.all {
		if r.state == release.Approved && m.stored(id).State == release.Published {
			if m.stored(id).PublishedAt.Before(r.due) {
				m.Fatalf("the release %d was published early", id)
			}
			m.goesOut(r)
		}
	}
}

func (m *releaseModel) stored(id int64) release.Release {
	r, err := m.Stores.Releases.Release(m.Context(), m.Project.ID, id)
	m.OK(err)
	return r
}

// goesOut makes the members of r public, or not any more.
func (m *releaseModel) goesOut(r *modelRelease) {
	m.out++
	r.state = release.Published
	for id, member := range r.members {
		e := m.entries[id]
		member.before = e.public
		e.public = member.title
	}
}

func (m *releaseModel) newRelease() {
	name := m.word()
	r, err := m.releases.Create(m.Context(), m.Actor("editor"), m.Project, releasing.Change{Name: &name})
	m.OK(err)
	m.all[r.ID] = &modelRelease{state: release.Open, members: map[int64]*modelMember{}}
	m.did("create release %d", r.ID)
}

func (m *releaseModel) ref(id int64) releasing.Ref { return releasing.Ref{Project: m.Project, ID: id} }

// release returns a release, preferably one in one of states.
func (m *releaseModel) release(states ...release.State) int64 {
	fit := maps.Clone(m.all)
	maps.DeleteFunc(fit, func(_ int64, r *modelRelease) bool { return !slices.Contains(states, r.state) })
	if len(fit) > 0 && m.random.IntN(10) > 0 {
		return pick(m, fit)
	}
	return pick(m, m.all)
}

func (m *releaseModel) put() {
	id, entry := m.release(release.Open), pick(m, m.entries)
	if id == 0 || entry == 0 {
		return
	}
	r, e := m.all[id], m.entries[entry]
	member := &modelMember{action: schedule.Publish}
	switch m.random.IntN(5) {
	case 0:
		member.action = schedule.Unpublish
	case 1:
		if len(e.titles) > 0 {
			member.from = pick(m, e.titles)
		}
	}
	m.did("put %d into release %d: %s %d", entry, id, member.action, member.from)
	_, err := m.releases.PutMembers(m.Context(), m.Actor("editor"), m.ref(id), []releasing.MemberInput{{EntryID: entry, Action: member.action, From: member.from}})
	if m.expect(err, r.state == release.Open && !e.trashed) {
		r.members[entry] = member
	}
}

func (m *releaseModel) remove() {
	id := m.release(release.Open)
	if id == 0 || len(m.all[id].members) == 0 {
		return
	}
	r := m.all[id]
	entry := pick(m, r.members)
	m.did("remove %d from release %d", entry, id)
	_, err := m.releases.RemoveMembers(m.Context(), m.Actor("editor"), m.ref(id), []int64{entry})
	if m.expect(err, r.state == release.Open) {
		delete(r.members, entry)
	}
}

// submittable reports whether the members of r have no fault.
func (m *releaseModel) submittable(r *modelRelease) bool {
	for id, member := range r.members {
		e := m.entries[id]
		if e.trashed || e.pending != "" || m.submitted(id) != nil || member.action == schedule.Unpublish && e.public == "" {
			return false
		}
	}
	return len(r.members) > 0
}

func (m *releaseModel) submit() {
	id := m.release(release.Open)
	if id == 0 {
		return
	}
	r, in := m.all[id], releasing.Publication{PublishAt: core.Optional[time.Time]{Given: true}}
	r2 := m.random.IntN(3)
	due := time.Time{}
	if r2 > 0 {
		due = m.Clock.Now().Add([]time.Duration{5 * time.Millisecond, time.Hour}[r2-1])
		in.PublishAt.Value = &due
	}
	was := r.state
	m.did("submit release %d for %v", id, due)
	want := was.Submitted() || was == release.Open && m.submittable(r)
	_, err := m.releases.Publish(m.Context(), m.Actor("editor"), m.ref(id), in)
	if !m.expect(err, want) || was.Submitted() {
		return
	}
	r.rounds++
	r.due, r.reviewed = due.Truncate(time.Millisecond), m.governed
	for entry, member := range r.members {
		switch e := m.entries[entry]; {
		case member.action == schedule.Unpublish:
			member.title = ""
		case member.from == 0:
			member.title = e.draft
		default:
			member.title = e.titles[member.from]
		}
		if member.expect != "" && member.title != member.expect {
			m.Fatalf("the release %d takes back %d to %q, not %q", id, entry, member.title, member.expect)
		}
	}
	switch {
	case m.governed:
		r.state = release.Pending
	case due.IsZero() || m.stored(id).State == release.Published:
		m.goesOut(r)
	default:
		r.state = release.Approved
	}
}

// review decides about the request of a release, withdraws it or changes its time.
func (m *releaseModel) review() {
	id := m.release(release.Pending, release.Pending, release.Approved)
	if id == 0 {
		return
	}
	r, ref := m.all[id], review.ReleaseRef{Project: m.Project, ID: id}
	open := r.reviewed && r.state.Submitted()
	kinds := []string{"approve", "approve", "approve", "reject", "withdraw", "now", "reschedule"}
	kind := kinds[m.random.IntN(len(kinds))]
	m.did("%s release %d", kind, id)
	admin, in := m.Actor("admin"), approval.Decision{}
	var err error
	switch kind {
	case "approve":
		if _, err = m.Reviews.Approve(m.Context(), admin, ref, in); m.expect(err, open && r.state == release.Pending) {
			r.state = release.Approved
			if m.stored(id).State == release.Published {
				m.goesOut(r)
			} else if r.due.IsZero() {
				m.Fatalf("%s did not publish it", m.done)
			}
		}
	case "reject":
		if _, err = m.Reviews.Reject(m.Context(), admin, ref, in); m.expect(err, open && r.state == release.Pending) {
			r.state = release.Open
		}
	case "withdraw":
		if _, err = m.Reviews.Withdraw(m.Context(), m.Actor("editor"), ref, ""); m.expect(err, open) {
			r.state = release.Open
		}
	case "now":
		if _, err = m.Reviews.PublishNow(m.Context(), admin, ref, in); m.expect(err, open && r.state == release.Approved) {
			r.due = time.Time{}
			m.goesOut(r)
		}
	default:
		due := m.Clock.Now().Add(time.Hour).Truncate(time.Millisecond)
		_, err = m.Reviews.Reschedule(m.Context(), admin, ref, schedule.Times{PublishAt: core.Some(due)})
		if m.expect(err, open) {
			r.due = due
		}
	}
}

func (m *releaseModel) unschedule() {
	id := m.release(release.Approved)
	if id == 0 {
		return
	}
	r := m.all[id]
	m.did("unschedule release %d", id)
	_, err := m.releases.Unschedule(m.Context(), m.Actor("editor"), m.ref(id))
	if m.expect(err, r.state == release.Approved && !r.reviewed) {
		r.state = release.Open
	}
}

func (m *releaseModel) revert() {
	id := m.release(release.Published)
	if id == 0 {
		return
	}
	r, skips := m.all[id], m.bool()
	m.did("revert release %d", id)
	back, err := m.releases.Revert(m.Context(), m.Actor("editor"), m.Project, id, skips)
	if err != nil {
		m.expect(err, false)
		return
	}
	if r.state != release.Published {
		m.Fatalf("%s: it was not published", m.done)
	}
	members, err := m.Stores.Releases.Members(m.Context(), m.Project.ID, back.ID, false)
	m.OK(err)
	made := &modelRelease{state: release.Open, members: map[int64]*modelMember{}}
	for _, of := range members {
		made.members[of.EntryID] = &modelMember{action: of.Action, from: of.From, expect: r.members[of.EntryID].before}
	}
	if !skips && len(members) != len(r.members) {
		m.Fatalf("%s has %d members of %d", m.done, len(members), len(r.members))
	}
	m.all[back.ID] = made
}

// check compares what readers see with the model.
func (m *releaseModel) check() {
	for id, e := range m.entries {
		stored := m.Entry(id)
		var public string
		if stored.Published != nil && !stored.Trashed() {
			m.OK(json.Unmarshal(stored.Published.Values()["title"], &public))
		}
		if public != e.public {
			m.Fatalf("after %s: readers see %q of %d, the model %q", m.done, public, id, e.public)
		}
		if number := m.current(id, false); number != 0 {
			e.titles[number] = public
		} else if public != "" {
			m.Fatalf("after %s: %d has no publication", m.done, id)
		}
	}
	for id, r := range m.all {
		if stored := m.stored(id); stored.State != r.state || stored.Rounds != r.rounds {
			m.Fatalf("after %s: the release %d is %s after %d rounds, in the model %s after %d: %s", m.done, id, stored.State, stored.Rounds, r.state, r.rounds, stored.Fault)
		}
	}
}

// verify checks the records of all requests, and that published members became public at the time of their release.
func (m *releaseModel) verify() {
	for id, r := range m.all {
		if r.rounds == 0 || m.stored(id).RequestID == 0 {
			continue
		}
		audit, err := m.Reviews.Audit(m.Context(), m.Actor("admin"), review.ReleaseRef{Project: m.Project, ID: id})
		m.OK(err)
		if len(audit.Faults) > 0 || !audit.SnapshotValid {
			m.Fatalf("the record of the release %d has the faults %v", id, audit.Faults)
		}
	}
}

// Twenty releases that are due at the same time go out one after another by id, each once and whole.
func TestReleasesOfOneSecond(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		releases := releasing.New(w.Stores, w.Tx, w.Writer, w.Requests, w.Publisher)
		w.Worker.PublishUngoverned = releases.PublishDue
		due := core.Some(w.Clock.Now().Add(time.Hour))
		members := map[int64][2]int64{} // entries by release
		for i := range 20 {
			name := fmt.Sprint("Release ", i)
			r, err := releases.Create(w.Context(), w.Actor("editor"), w.Project, releasing.Change{Name: &name})
			w.OK(err)
			both := [2]int64{w.Create(newsroom.Article(name)).ID, w.Create(newsroom.Article(name)).ID}
			members[r.ID] = both
			ref := releasing.Ref{Project: w.Project, ID: r.ID}
			_, err = releases.PutMembers(w.Context(), w.Actor("editor"), ref, []releasing.MemberInput{{EntryID: both[0]}, {EntryID: both[1]}})
			w.OK(err)
			_, err = releases.Publish(w.Context(), w.Actor("editor"), ref, releasing.Publication{PublishAt: due})
			w.OK(err)
		}
		came := w.Clock.Now().Add(-time.Second)
		for id := range members {
			s, err := w.Stores.Schedules.ScheduledRelease(w.Context(), w.Project.ID, id)
			w.OK(err)
			s.DueAt = came
			w.OK(w.Stores.Schedules.Schedule(w.Context(), s))
		}
		waits := func() bool {
			left, err := releases.List(w.Context(), w.Actor("editor"), w.Project, releasing.Filter{States: []release.State{release.Approved}})
			w.OK(err)
			return left.Total > 0
		}
		for waits() {
			_, failed, err := w.Worker.PublishDue(w.Context())
			w.OK(err)
			if failed > 0 {
				t.Fatalf("%d publications failed", failed)
			}
		}
		var last time.Time
		for _, id := range slices.Sorted(maps.Keys(members)) {
			both := members[id]
			r, err := w.Stores.Releases.Release(w.Context(), w.Project.ID, id)
			w.OK(err)
			if r.PublishedAt.Before(last) {
				t.Errorf("the release %d went out at %v, the one before at %v", id, r.PublishedAt, last)
			}
			last = r.PublishedAt
			for _, entry := range both {
				seen, err := w.Stores.Publications.Publications(w.Context(), w.Project.ID, w.Articles.ID, entry, 0, 9)
				w.OK(err)
				if len(seen) != 1 || !seen[0].PublishedAt.Equal(r.PublishedAt) {
					t.Errorf("the release %d went out at %v, its member has the publications %v", id, r.PublishedAt, seen)
				}
			}
		}
	})
}
