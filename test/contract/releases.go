package contract

import (
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// Releases checks a ports.ReleaseStore.
func Releases(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of a release":           keepsReleases,
		"lists the newest first":                    listsReleases,
		"lists what holders of a custom role see":   listsReleasesOfRoles,
		"puts members in the place of others":       putsMembers,
		"shows members as they are now":             showsPresentMembers,
		"keeps how members were sealed":             sealsMembers,
		"removes a collection from open releases":   removesCollection,
		"shows the release of an entry":             summarizesReleases,
		"keeps the marks of each user":              keepsMarks,
		"says by what a release was taken back":     showsReverts,
		"says why a due release is not published":   showsFailures,
		"deletes releases, also with their project": deletesReleases,
	})
}

func showsReverts(t *testing.T, w *fixture) {
	r := w.newRelease(t, "Spring")
	revert := func() release.Release {
		back := release.Release{ProjectID: w.project.ID, Name: "Revert", State: release.Open, Version: 1, CreatedBy: ada, CreatedAt: at(1), UpdatedAt: at(1), RevertOf: r.ID}
		requireNoError(t, w.Stores.Releases.Insert(t.Context(), &back))
		return back
	}
	first, second := revert(), revert()
	assertEqual(t, w.stored(t, r).RevertedBy, int64(0))
	w.setState(t, second, release.Published)
	assertEqual(t, w.stored(t, r).RevertedBy, second.ID)
	w.setState(t, first, release.Published)
	assertEqual(t, w.stored(t, r).RevertedBy, second.ID)
	assertEqual(t, w.stored(t, second).RevertedBy, int64(0))
}

func showsFailures(t *testing.T, w *fixture) {
	r, other := w.newRelease(t, "Spring"), w.newRelease(t, "Summer")
	due := schedule.Schedule{ProjectID: w.project.ID, ReleaseID: r.ID, Action: schedule.Publish, DueAt: at(2), RetryAt: at(2), ScheduledBy: ada}
	requireNoError(t, w.Schedules.Schedule(t.Context(), due))
	assertEqual(t, w.stored(t, r).Failing, "")
	requireNoError(t, w.Schedules.RecordFailure(t.Context(), due, "slug is taken", time.Minute))
	assertEqual(t, w.stored(t, r).Failing, "slug is taken")
	assertEqual(t, w.stored(t, other).Failing, "")
}

func (w *fixture) newRelease(t reporter, name string) release.Release {
	t.Helper()
	r := release.Release{
		ProjectID: w.project.ID, Name: name, State: release.Open, Version: 1, CreatedBy: ada, CreatedAt: at(1), UpdatedAt: at(1),
		Contributors: []core.ActorRef{ada},
	}
	requireNoError(t, w.Stores.Releases.Insert(t.Context(), &r))
	return r
}

func (w *fixture) stored(t reporter, r release.Release) release.Release {
	t.Helper()
	return result(w.Stores.Releases.Release(t.Context(), w.project.ID, r.ID))(t)
}

func (w *fixture) setState(t reporter, r release.Release, state release.State) {
	t.Helper()
	r.State = state
	requireNoError(t, w.Stores.Releases.SetState(t.Context(), r))
}

func (w *fixture) put(t reporter, r release.Release, members ...release.Member) {
	t.Helper()
	requireNoError(t, w.Stores.Releases.PutMembers(t.Context(), w.project.ID, r.ID, members))
}

// memberOf returns a member that publishes the draft of an entry.
func memberOf(entryID int64) release.Member {
	return release.Member{EntryID: entryID, CollectionID: 5, Collection: "articles", Locale: "en", Action: schedule.Publish}
}

func (w *fixture) members(t reporter, r release.Release, present bool, entryIDs ...int64) []release.Member {
	t.Helper()
	return result(w.Stores.Releases.Members(t.Context(), w.project.ID, r.ID, present, entryIDs...))(t)
}

func keepsReleases(t *testing.T, w *fixture) {
	releases := w.Stores.Releases
	first := w.newRelease(t, "Spring")
	assertEqual(t, w.stored(t, first), first)
	next := first
	next.Name, next.Description, next.PublishAt, next.Version, next.UpdatedAt = "Summer", "All of it", at(9), 2, at(3)
	next.Contributors = []core.ActorRef{ada, {Kind: "user", ID: 9, Name: "Edda"}}
	requireNoError(t, releases.Update(t.Context(), next))
	assertEqual(t, w.stored(t, first), next)

	request := w.newRequest(1)
	w.submit(t, &request)
	next.State, next.RequestID, next.Rounds, next.Fault, next.Version = release.Open, request.ID, 2, "changed", 3
	next.PublishAt, next.PublishedAt, next.UpdatedAt = time.Time{}, at(12), at(4)
	next.Contribute(core.ActorRef{Kind: "user", ID: 77, Name: "Rosa"})
	requireNoError(t, releases.SetState(t.Context(), next))
	next.Latest = request.Summary()
	assertEqual(t, w.stored(t, first), next)
	assertEqual(t, result(releases.Lock(t.Context(), w.project.ID, first.ID))(t), next)

	other := w.otherProject(t)
	requireError(t, errorOf(releases.Release(t.Context(), other.project.ID, first.ID)), core.ErrNotFound)
	requireError(t, errorOf(releases.Lock(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
	next.ProjectID = other.project.ID
	requireError(t, releases.Update(t.Context(), next), core.ErrNotFound)
	requireError(t, releases.SetState(t.Context(), next), core.ErrNotFound)
	requireError(t, releases.Delete(t.Context(), other.project.ID, first.ID), core.ErrNotFound)
	requireError(t, releases.Insert(t.Context(), &release.Release{ProjectID: unknown, Name: "x", State: release.Open, CreatedAt: at(1), UpdatedAt: at(1)}), core.ErrNotFound)
}

func listsReleases(t *testing.T, w *fixture) {
	releases := w.Stores.Releases
	one, two, three := w.newRelease(t, "Größe"), w.newRelease(t, "Spring 100%"), w.newRelease(t, "Third")
	_ = w.otherProject(t).newRelease(t, "Spring")
	w.setState(t, two, release.Closed)
	three.Description = "for SPRING"
	requireNoError(t, releases.Update(t.Context(), three))
	w.put(t, three, memberOf(1), memberOf(2), release.Member{EntryID: 3, Collection: "articles", Locale: "en", Action: schedule.Unpublish})
	for name, want := range map[string]struct {
		query release.Query
		ids   []int64
	}{
		"all":        {release.Query{Limit: 9}, []int64{three.ID, two.ID, one.ID}},
		"page":       {release.Query{Limit: 1, Offset: 1}, []int64{two.ID, one.ID}},
		"last":       {release.Query{Limit: 1, Offset: 2}, []int64{one.ID}},
		"one":        {release.Query{Limit: 9, ID: two.ID}, []int64{two.ID}},
		"states":     {release.Query{Limit: 9, States: []release.State{release.Closed, release.Pending}}, []int64{two.ID}},
		"search":     {release.Query{Limit: 9, Search: "spring"}, []int64{three.ID, two.ID}},
		"folded":     {release.Query{Limit: 9, Search: "GROSSE"}, []int64{one.ID}},
		"no pattern": {release.Query{Limit: 9, Search: "1%0"}, nil},
		"member":     {release.Query{Limit: 9, EntryID: 2}, []int64{three.ID}},
		"no member":  {release.Query{Limit: 9, EntryID: 9}, nil},
		"percent":    {release.Query{Limit: 9, Search: "0%"}, []int64{two.ID}},
	} {
		want.query.ProjectID = w.project.ID
		got := result(releases.Releases(t.Context(), want.query))(t)
		if found := ids(got, func(r release.Release) int64 { return r.ID }); len(found) != len(want.ids) {
			t.Errorf("%s: releases %v, want %v", name, found, want.ids)
		} else {
			assertEqual(t, found, want.ids)
		}
		if name != "page" && name != "last" {
			assertEqual(t, result(releases.Count(t.Context(), want.query))(t), int64(len(want.ids)))
		}
	}
	assertEqual(t, w.stored(t, three).Counts, release.Counts{Members: 3, Publish: 2, Unpublish: 1})
}

func listsReleasesOfRoles(t *testing.T, w *fixture) {
	role, other := w.newRole(t), w.role()
	other.Name = "Other"
	requireNoError(t, w.CustomRoles.Insert(t.Context(), other))
	named, open := w.newRelease(t, "Named"), w.newRelease(t, "Open")
	request := w.newRequest(1)
	request.Steps = []review.Step{{Order: 1, CustomRoleID: role.ID}}
	w.submit(t, &request)
	named.RequestID, named.Rounds = request.ID, 1
	w.setState(t, named, release.Pending)
	for _, c := range []struct {
		roles []int64
		want  []int64
	}{{nil, []int64{open.ID, named.ID}}, {[]int64{other.ID, role.ID}, []int64{named.ID}}, {[]int64{other.ID}, nil}, {[]int64{}, nil}} {
		q := release.Query{ProjectID: w.project.ID, CustomRoles: c.roles, Limit: 9}
		got := result(w.Stores.Releases.Releases(t.Context(), q))(t)
		assertEqual(t, ids(got, func(r release.Release) int64 { return r.ID }), c.want)
		assertEqual(t, result(w.Stores.Releases.Count(t.Context(), q))(t), int64(len(c.want)))
	}
}

func putsMembers(t *testing.T, w *fixture) {
	releases := w.Stores.Releases
	r, neighbour := w.newRelease(t, "One"), w.newRelease(t, "Two")
	w.put(t, r, memberOf(3), memberOf(1))
	w.put(t, neighbour, memberOf(1))
	again := memberOf(3)
	again.Action, again.Locale, again.From = schedule.Publish, "de", 7
	w.put(t, r, memberOf(2), again)
	assertEqual(t, w.members(t, r, false), []release.Member{memberOf(1), memberOf(2), again})
	assertEqual(t, w.members(t, r, false, 2, 3, 99), []release.Member{memberOf(2), again})
	assertEqual(t, result(releases.RemoveMembers(t.Context(), w.project.ID, r.ID, []int64{1, 3, 99}))(t), 2)
	assertEqual(t, result(releases.RemoveMembers(t.Context(), w.project.ID, r.ID, nil))(t), 0)
	assertEqual(t, w.members(t, r, false), []release.Member{memberOf(2)})
	assertEqual(t, w.members(t, neighbour, false), []release.Member{memberOf(1)})
	other := w.otherProject(t)
	requireError(t, releases.PutMembers(t.Context(), other.project.ID, r.ID, []release.Member{memberOf(1)}), core.ErrNotFound)
	assertEqual(t, result(releases.RemoveMembers(t.Context(), other.project.ID, r.ID, []int64{2}))(t), 0)
	assertEqual(t, len(other.members(t, r, false)), 0)
	var many []release.Member
	for n := range release.MaxMembers {
		many = append(many, memberOf(int64(n+1)))
	}
	w.put(t, r, many...)
	assertEqual(t, w.stored(t, r).Counts.Members, release.MaxMembers)
}

func showsPresentMembers(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	public, draft, trashed := coll.add(t, draftOf("de", fields{})), coll.add(t, draftOf("en", fields{})), coll.add(t, draftOf("en", fields{}))
	coll.release(t, &public, fields{"title": "one"}, at(10), publisher)
	coll.release(t, &public, fields{"title": "two"}, at(20), publisher)
	coll.change(t, &trashed, func(e *core.Entry) { e.TrashedAt = at(5) })
	r := w.newRelease(t, "One")
	w.put(t, r, memberOf(public.ID), memberOf(draft.ID), memberOf(trashed.ID), memberOf(unknown))
	last := coll.publications(t, public)[0]
	assertEqual(t, result(w.Publications.Current(t.Context(), w.project.ID, []int64{public.ID, draft.ID, trashed.ID, unknown}))(t), map[int64]core.Publication{
		public.ID: {ProjectID: w.project.ID, EntryID: public.ID, Number: 2, ContentHash: last.ContentHash},
	})
	assertEqual(t, len(result(w.Publications.Current(t.Context(), w.project.ID, nil))(t)), 0)
	assertEqual(t, result(w.Publications.Latest(t.Context(), w.project.ID, []int64{public.ID, draft.ID}))(t), map[int64]core.Publication{
		public.ID: {ProjectID: w.project.ID, EntryID: public.ID, Number: 2, ContentHash: last.ContentHash, PublishedAt: last.PublishedAt},
	})
	assertEqual(t, len(result(w.Publications.Latest(t.Context(), w.project.ID, nil))(t)), 0)
	contents := result(w.Publications.Contents(t.Context(), w.project.ID, []core.PublicationKey{{EntryID: public.ID, Number: 1}, {EntryID: public.ID, Number: 3}, {EntryID: draft.ID, Number: 1}}))(t)
	assertEqual(t, contents, []core.Publication{coll.publication(t, public, 1)})
	assertEqual(t, len(result(w.Publications.Contents(t.Context(), w.project.ID, nil))(t)), 0)

	want := []release.Member{memberOf(public.ID), memberOf(draft.ID), memberOf(trashed.ID), memberOf(unknown)}
	assertEqual(t, w.members(t, r, false), want)
	want[0].Locale, want[0].BaseNumber, want[0].BaseHash, want[2].Gone, want[3].Gone = "de", 2, last.ContentHash, true, true
	assertEqual(t, w.members(t, r, true), want)
	assertEqual(t, []release.Kind{want[0].Kind(), want[1].Kind()}, []release.Kind{release.KindChanged, release.KindNew})
}

func sealsMembers(t *testing.T, w *fixture) {
	releases := w.Stores.Releases
	r := w.newRelease(t, "One")
	w.put(t, r, memberOf(1), memberOf(2))
	items := []review.RequestItem{
		{
			EntryID: 1, CollectionID: 5, Collection: "articles", Locale: "de", Action: schedule.Publish, BaseNumber: 3, BaseHash: "aa", Snapshot: []byte(`{"a":1}`), ContentHash: "bb",
			Title: "Title", TitleFieldID: 4, Withheld: core.Document(`{"secret":1}`), Changed: []string{"title", "body"},
		},
		{EntryID: 2, CollectionID: 5, Collection: "articles", Locale: "en", Action: schedule.Publish},
	}
	requireNoError(t, releases.Seal(t.Context(), w.project.ID, r.ID, items, true))
	one := memberOf(1)
	one.Locale, one.BaseNumber, one.BaseHash, one.ContentHash, one.Title, one.TitleFieldID, one.Changed = "de", 3, "aa", "bb", "Title", 4, []string{"title", "body"}
	assertEqual(t, w.members(t, r, false), []release.Member{one, memberOf(2)})
	assertEqual(t, result(releases.Items(t.Context(), w.project.ID, r.ID))(t), items)

	submitted := items[0]
	submitted.Withheld = nil
	assertEqual(t, result(releases.Submitted(t.Context(), w.project.ID, r.ID, 1))(t), submitted)
	requireError(t, errorOf(releases.Submitted(t.Context(), w.project.ID, r.ID, 3)), core.ErrNotFound)
	requireNoError(t, releases.Seal(t.Context(), w.project.ID, r.ID, items, false))
	items[0].Snapshot, items[0].Withheld = nil, nil
	assertEqual(t, result(releases.Items(t.Context(), w.project.ID, r.ID))(t), items)
	w.put(t, r, memberOf(1))
	assertEqual(t, w.members(t, r, false), []release.Member{memberOf(1), memberOf(2)})
	assertEqual(t, len(result(releases.Items(t.Context(), w.otherProject(t).project.ID, r.ID))(t)), 0)
}

func removesCollection(t *testing.T, w *fixture) {
	open, pending, apart := w.newRelease(t, "Open"), w.newRelease(t, "Pending"), w.newRelease(t, "Apart")
	elsewhere := memberOf(2)
	elsewhere.CollectionID = 6
	w.put(t, open, memberOf(1), elsewhere)
	w.put(t, pending, memberOf(1))
	w.put(t, apart, elsewhere)
	w.setState(t, pending, release.Pending)
	requireNoError(t, w.Stores.Releases.RemoveCollection(t.Context(), w.project.ID, 5))
	assertEqual(t, w.members(t, open, false), []release.Member{elsewhere})
	assertEqual(t, []int64{w.stored(t, open).Version, w.stored(t, pending).Version, w.stored(t, apart).Version}, []int64{2, 1, 1})
	assertEqual(t, w.members(t, pending, false), []release.Member{memberOf(1)})
	requireNoError(t, w.Stores.Releases.RemoveCollection(t.Context(), w.project.ID, 5))
	assertEqual(t, w.stored(t, open).Version, int64(2))
}

func summarizesReleases(t *testing.T, w *fixture) {
	summaries := func(entryIDs ...int64) map[int64]release.Summary {
		t.Helper()
		return result(w.Stores.Releases.Summaries(t.Context(), w.project.ID, entryIDs))(t)
	}
	assertEqual(t, len(summaries()), 0)
	published, submitted, open, closed := w.newRelease(t, "Published"), w.newRelease(t, "Submitted"), w.newRelease(t, "Open"), w.newRelease(t, "Closed")
	for _, r := range []release.Release{published, submitted, open, closed} {
		w.put(t, r, memberOf(1))
	}
	w.put(t, published, memberOf(2))
	w.put(t, open, memberOf(3))
	w.put(t, closed, memberOf(4))
	w.setState(t, closed, release.Closed)
	w.setState(t, published, release.Published)
	request := w.newRequest(1)
	w.submit(t, &request)
	submitted.RequestID = request.ID
	w.setState(t, submitted, release.Approved)
	assertEqual(t, summaries(1, 2, 3, 4, 5), map[int64]release.Summary{
		1: {ID: submitted.ID, Name: "Submitted", State: release.Approved, ReleaseNumber: request.ReleaseNumber()},
		2: {ID: published.ID, Name: "Published", State: release.Published},
		3: {ID: open.ID, Name: "Open", State: release.Open},
	})
	assertEqual(t, len(result(w.Stores.Releases.Summaries(t.Context(), w.otherProject(t).project.ID, []int64{1}))(t)), 0)
}

func keepsMarks(t *testing.T, w *fixture) {
	releases := w.Stores.Releases
	r := w.newRelease(t, "One")
	mark := func(user int64, marks ...release.Mark) {
		t.Helper()
		requireNoError(t, releases.Mark(t.Context(), w.project.ID, r.ID, user, marks))
	}
	mark(1, release.Mark{EntryID: 2, ContentHash: "aa"}, release.Mark{EntryID: 1})
	mark(1, release.Mark{EntryID: 2, ContentHash: "bb"})
	mark(2, release.Mark{EntryID: 3, ContentHash: "cc"})
	assertEqual(t, result(releases.Marks(t.Context(), w.project.ID, r.ID, 1))(t), []release.Mark{{EntryID: 1}, {EntryID: 2, ContentHash: "bb"}})
	assertEqual(t, len(result(releases.Marks(t.Context(), w.project.ID, r.ID, 3))(t)), 0)
	requireError(t, releases.Mark(t.Context(), w.project.ID, unknown, 1, []release.Mark{{EntryID: 2}}), core.ErrNotFound)
}

func deletesReleases(t *testing.T, w *fixture) {
	releases := w.Stores.Releases
	gone, kept := w.newRelease(t, "Gone"), w.newRelease(t, "Kept")
	for _, r := range []release.Release{gone, kept} {
		w.put(t, r, memberOf(1))
		requireNoError(t, releases.Mark(t.Context(), w.project.ID, r.ID, 1, []release.Mark{{EntryID: 1}}))
	}
	requireNoError(t, releases.Delete(t.Context(), w.project.ID, gone.ID))
	requireError(t, errorOf(releases.Release(t.Context(), w.project.ID, gone.ID)), core.ErrNotFound)
	assertEqual(t, []int{len(w.members(t, gone, false)), len(w.members(t, kept, false))}, []int{0, 1})
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	assertEqual(t, len(w.members(t, kept, false)), 0)
}
