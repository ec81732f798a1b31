package releasing_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/core/schedule"
	"imprimatur/test/contenttest"
)

// world is a fixture with releases, articles and notes, which require an article.
type world struct {
	*contenttest.Fixture

	releases        *releasing.Releases
	articles, notes *core.Collection
	editor          core.Actor
}

func newWorld(t *testing.T) *world {
	t.Helper()
	d := contenttest.New(t)
	w := &world{Fixture: d, releases: releasing.New(d.Stores, d.Store, d.Writer, d.Approval, d.Publisher)}
	w.editor = core.Actor{User: &core.User{ID: 7, Name: "Emil"}, Grants: []core.Grant{{UserID: 7, Role: core.RoleEditor, ProjectID: d.Project.ID, TenantID: d.Project.TenantID}}}
	w.articles = d.Articles(t)
	w.notes = d.Collection(t, "notes", definition.FieldInput{Name: "title", Type: core.TypeText, Required: true},
		definition.FieldInput{Name: "lead", Type: core.TypeRelation, Collection: "articles", Required: true})
	return w
}

func (w *world) release(t *testing.T, name string) release.Release {
	t.Helper()
	r, err := w.releases.Create(t.Context(), w.editor, w.Project, releasing.Change{Name: &name})
	require.NoError(t, err)
	return r
}

func (w *world) ref(r release.Release) releasing.Ref {
	return releasing.Ref{Project: w.Project, ID: r.ID}
}

func (w *world) put(t *testing.T, r release.Release, members ...releasing.MemberInput) release.Release {
	t.Helper()
	r, err := w.releases.PutMembers(t.Context(), w.editor, w.ref(r), members)
	require.NoError(t, err)
	return r
}

func draft(m *reading.Managed) releasing.MemberInput { return releasing.MemberInput{EntryID: m.ID} }

func unpublish(m *reading.Managed) releasing.MemberInput {
	return releasing.MemberInput{EntryID: m.ID, Action: schedule.Unpublish}
}

func again(m *reading.Managed, number int64) releasing.MemberInput {
	return releasing.MemberInput{EntryID: m.ID, From: number}
}

// check returns the faults of a release by location, and its warnings as "code entry location".
func (w *world) check(t *testing.T, r release.Release) (faults map[string]string, warnings []releasing.Warning) {
	t.Helper()
	c, err := w.releases.Check(t.Context(), w.editor, w.Project, r.ID)
	require.NoError(t, err)
	require.Equal(t, len(c.Warnings), c.Total)
	faults = map[string]string{}
	for _, f := range c.Faults {
		faults[f.Location] = f.Code + ": " + f.Message
	}
	return faults, c.Warnings
}

func (w *world) member(t *testing.T, r release.Release, m *reading.Managed) *releasing.MemberContent {
	t.Helper()
	found, err := w.releases.Member(t.Context(), w.editor, w.Project, r.ID, m.ID, 0)
	require.NoError(t, err)
	return found
}

func TestReleasesAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	create := func(name, description string) map[string]string {
		_, err := w.releases.Create(t.Context(), w.editor, w.Project, releasing.Change{Name: &name, Description: &description})
		return contenttest.FaultsOf(t, err)
	}
	require.Contains(t, create("", ""), "name")
	require.Contains(t, create("\u200b ", ""), "name")
	require.Contains(t, create(strings.Repeat("ä", 121), ""), "name")
	require.Contains(t, create("a\x00", ""), "name")
	require.Equal(t, map[string]string{"description": "must have at most 2000 characters"}, create("A", strings.Repeat("ä", 2001)))
	r := w.release(t, strings.Repeat("ä", 120))
	require.Equal(t, []core.ActorRef{w.editor.Ref()}, r.Contributors)

	stale := w.ref(r)
	stale.IfMatch = new(int64(9))
	_, err := w.releases.Update(t.Context(), w.editor, stale, releasing.Change{Name: new("B")})
	require.True(t, releasing.IsStale(err))
	same, err := w.releases.Update(t.Context(), w.editor, w.ref(r), releasing.Change{Name: &r.Name})
	require.NoError(t, err)
	require.Equal(t, int64(1), same.Version)
	other := w.editor
	other.User = &core.User{ID: 8, Name: "Ida"}
	described, err := w.releases.Update(t.Context(), other, w.ref(r), releasing.Change{Description: new("Later")})
	require.NoError(t, err)
	require.Equal(t, []any{int64(2), 1}, []any{described.Version, len(described.Contributors)})
	changed, err := w.releases.Update(t.Context(), other, w.ref(r), releasing.Change{Name: new("B"), PublishAt: core.Some(time.Date(2030, 1, 1, 0, 0, 0, 1999999, time.UTC))})
	require.NoError(t, err)
	require.Equal(t, []any{int64(3), "B", time.Date(2030, 1, 1, 0, 0, 0, 1000000, time.UTC), 2}, []any{changed.Version, changed.Name, changed.PublishAt, len(changed.Contributors)})
}

func TestMembersAreCheckedByIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.release(t, "Spring")
	a := w.Create(t, w.articles, `{"title":"A"}`, contenttest.Published(true))
	trashed := w.Create(t, w.articles, `{"title":"B"}`)
	_, err := w.Writer.Trash(t.Context(), w.Actor, w.Ref(trashed), nil, "")
	require.NoError(t, err)
	_, err = w.releases.PutMembers(t.Context(), w.editor, w.ref(r), []releasing.MemberInput{
		draft(a), draft(a), {EntryID: 999}, draft(trashed), {EntryID: a.ID + 1000, Action: "destroy"}, {}, {},
	})
	require.Equal(t, map[string]string{
		"members[1].entryId": "is in the list twice", "members[2].entryId": "is no entry of the project", "members[3].entryId": "is in the trash",
		"members[4].entryId": "is no entry of the project", "members[5].entryId": "is required", "members[6].entryId": "is required",
	}, contenttest.FaultsOf(t, err))
	for location, in := range map[string]releasing.MemberInput{
		"members[0].action": {EntryID: a.ID, Action: "destroy"}, "members[0].from": {EntryID: a.ID, Action: schedule.Unpublish, From: 1},
		"members[0].from.publication": again(a, 2),
	} {
		_, err = w.releases.PutMembers(t.Context(), w.editor, w.ref(r), []releasing.MemberInput{in})
		require.Contains(t, contenttest.FaultsOf(t, err), location)
	}
	_, err = w.releases.PutMembers(t.Context(), w.editor, w.ref(r), nil)
	require.Contains(t, contenttest.FaultsOf(t, err), "members")
	_, err = w.releases.PutMembers(t.Context(), w.editor, w.ref(r), make([]releasing.MemberInput, 501))
	require.Contains(t, contenttest.FaultsOf(t, err), "members")
	page, err := w.releases.Members(t.Context(), w.editor, w.Project, r.ID, releasing.MemberFilter{})
	require.NoError(t, err)
	require.Empty(t, page.Items, "all or none")

	w.Committed.Take()
	require.Equal(t, int64(2), w.put(t, r, draft(a)).Version)
	require.Equal(t, int64(2), w.put(t, r, draft(a)).Version, "nothing changes")
	require.Equal(t, int64(3), w.put(t, r, again(a, 1)).Version)
	require.Equal(t, []event.Type{event.ReleaseUpdated, event.ReleaseUpdated}, w.Committed.Take())
}

func TestOpenMembersAreShownAsTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.release(t, "Spring")
	public, fresh := w.Create(t, w.articles, `{"title":"A"}`, contenttest.Published(true)), w.Create(t, w.articles, `{"title":"B"}`)
	w.Govern(t, true)
	w.put(t, r, draft(public), draft(fresh))
	w.Update(t, public, `{"title":"A2"}`)
	members := func(f releasing.MemberFilter) (titles []string, page releasing.MemberPage) {
		page, err := w.releases.Members(t.Context(), w.editor, w.Project, r.ID, f)
		require.NoError(t, err)
		for _, m := range page.Items {
			titles = append(titles, m.Title)
		}
		return titles, page
	}
	titles, page := members(releasing.MemberFilter{})
	require.Equal(t, []string{"A2", "B"}, titles)
	require.Equal(t, releasing.MemberCounts{Members: 2, New: 1, Changed: 1}, page.Counts)
	require.Equal(t, int64(1), page.Items[0].BaseNumber)
	for name, f := range map[string]releasing.MemberFilter{
		"B": {Kind: release.KindNew}, "A2": {Kind: release.KindChanged}, "A2,B": {Collection: "articles", Locale: "en", Action: schedule.Publish},
		"": {Locale: "de"},
	} {
		titles, _ := members(f)
		require.Equal(t, name, strings.Join(titles, ","))
	}
	m := w.member(t, r, public)
	require.JSONEq(t, `[{"op":"replace","path":"/title","value":"A2"}]`, string(m.Patch))
	require.Equal(t, page.Items[0].ContentHash, m.ContentHash)
	require.Len(t, m.Changes, 1)
	require.Nil(t, w.member(t, r, fresh).Published)
	_, err := w.releases.Member(t.Context(), w.editor, w.Project, r.ID, 999, 0)
	require.ErrorIs(t, err, core.ErrNotFound)
}

// Two members may need each other, and a required relation is met by a member. What the release takes away counts as
// gone.
func TestReferencesAreJudgedAfterTheRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	article := w.Create(t, w.articles, `{"title":"A"}`)
	note := w.Create(t, w.notes, `{"title":"N","lead":`+id(article)+`}`)
	r := w.release(t, "Spring")
	faults, _ := w.check(t, r)
	require.Equal(t, map[string]string{"members": "empty_release: is empty: add entries first"}, faults)
	w.put(t, r, draft(note))
	faults, _ = w.check(t, r)
	require.Contains(t, faults["members."+id(note)+".fields.lead"], `invalid: is not published yet: "A"`)
	w.put(t, r, draft(article))
	faults, warnings := w.check(t, r)
	require.Empty(t, faults)
	require.Empty(t, warnings)

	_, err := w.Writer.Publish(t.Context(), w.Actor, w.Ref(article), publication, nil)
	require.NoError(t, err)
	_, err = w.Writer.Publish(t.Context(), w.Actor, w.Ref(note), publication, nil)
	require.NoError(t, err)
	next := w.release(t, "Summer")
	w.put(t, next, draft(note), unpublish(article))
	faults, _ = w.check(t, next)
	require.Contains(t, faults["members."+id(note)+".fields.lead"], "invalid: is not published yet")
	require.Len(t, w.member(t, next, note).Faults, 1, "also alone")

	outside := w.Create(t, w.articles, `{"title":"Outside","related":[`+id(article)+`]}`, contenttest.Published(true))
	alone := w.release(t, "Autumn")
	w.put(t, alone, unpublish(article))
	faults, warnings = w.check(t, alone)
	require.Empty(t, faults)
	require.Equal(t, []string{"still_referred", "still_referred"}, codes(warnings))
	w.put(t, alone, unpublish(outside), unpublish(note))
	_, warnings = w.check(t, alone)
	require.Empty(t, warnings)
	w.put(t, alone, draft(outside))
	_, warnings = w.check(t, alone)
	require.Equal(t, []releasing.Warning{
		{Code: "changes_nothing", EntryID: outside.ID, Message: "changes nothing: readers see this version already"},
		{Code: "target_not_public", EntryID: outside.ID, Location: "fields.related", Message: `refers to "A" (entry ` + id(article) + `), which readers do not see after the release`},
	}, warnings)
}

// Reviewers read what readers would notice, of what was submitted rather than of later drafts.
func TestWarningsOfSubmittedReleases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hidden := w.Create(t, w.articles, `{"title":"Hidden"}`)
	member := w.Create(t, w.articles, `{"title":"Member","related":[`+id(hidden)+`]}`)
	r := w.release(t, "Spring")
	w.put(t, r, draft(member))
	_, asked := w.check(t, r)
	require.Equal(t, []string{"target_not_public"}, codes(asked))
	_, err := w.releases.Publish(t.Context(), w.editor, w.ref(r), releasing.Publication{PublishAt: core.Some(time.Now().Add(time.Hour))})
	require.NoError(t, err)
	w.Update(t, member, `{"related":[]}`)
	faults, warnings := w.check(t, r)
	require.Empty(t, faults)
	require.Equal(t, asked, warnings)

	w.Govern(t, true)
	reviewed := w.release(t, "Summer")
	other := w.Create(t, w.articles, `{"title":"Other","related":[`+id(hidden)+`]}`)
	w.put(t, reviewed, draft(other))
	_, err = w.releases.Publish(t.Context(), w.editor, w.ref(reviewed), releasing.Publication{})
	require.NoError(t, err)
	w.Update(t, other, `{"related":[]}`)
	_, warnings = w.check(t, reviewed)
	require.Equal(t, []string{"target_not_public"}, codes(warnings))
}

func codes(warnings []releasing.Warning) (list []string) {
	for _, w := range warnings {
		list = append(list, w.Code)
	}
	return list
}

// A past publication is taken as a restore takes a revision, and checked as a draft.
func TestPastPublicationsAreTakenAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.Create(t, w.articles, `{"title":"One","code":"x","note":"hidden","tags":["a"]}`, contenttest.Published(true))
	w.Update(t, a, `{"title":"Two","code":"y","note":"later"}`)
	taker := w.Create(t, w.articles, `{"title":"Taker"}`)
	r := w.release(t, "Spring")
	w.put(t, r, again(a, 1))
	m := w.member(t, r, a)
	require.Equal(t, map[string]string{"title": `"One"`, "code": `"x"`, "note": ""}, contenttest.Values(t, m.Snapshot.Fields, "title", "code", "note"))
	require.Equal(t, "One", m.Title)
	faults, _ := w.check(t, r)
	require.Empty(t, faults)

	w.Update(t, taker, `{"code":"x"}`)
	faults, _ = w.check(t, r)
	require.Equal(t, map[string]string{"members." + id(a) + ".fields.code": "invalid: is taken by another entry"}, faults)
	w.Update(t, taker, `{"code":null}`)

	_, err := w.Collections.RemoveField(t.Context(), w.Change(w.articles.ID), "tags")
	require.NoError(t, err)
	require.Equal(t, []string{"tags"}, w.member(t, r, a).Dropped)
	draftBefore := w.Draft(t, a.ID)
	_, err = w.Writer.Trash(t.Context(), w.Actor, w.Ref(a), nil, "")
	require.NoError(t, err)
	faults, _ = w.check(t, r)
	require.Equal(t, map[string]string{"members." + id(a): "member_gone: is deleted or in the trash"}, faults)
	require.Equal(t, "Two", w.member(t, r, a).Title)
	require.Equal(t, draftBefore, w.Draft(t, a.ID))
}

// A unique value of two members is a fault of both, which names the other.
func TestMembersDoNotShareUniqueValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Update(t, w.Create(t, w.articles, `{"title":"A","code":"x"}`, contenttest.Published(true)), `{"code":"a"}`)
	w.Update(t, w.Create(t, w.articles, `{"title":"B","code":"x"}`, contenttest.Published(true)), `{"code":"b"}`)
	page, err := w.Stores.Entries.Walk(t.Context(), w.Project.ID, w.articles.ID, 0, 9)
	require.NoError(t, err)
	a, b := page[0].ID, page[1].ID
	r := w.release(t, "Spring")
	w.put(t, r, releasing.MemberInput{EntryID: a, From: 1}, releasing.MemberInput{EntryID: b, From: 1})
	faults, _ := w.check(t, r)
	require.Equal(t, map[string]string{
		release.MemberLocation(a, "fields.code"): "invalid: is also that of other members of the release: " + strconv.FormatInt(b, 10),
		release.MemberLocation(b, "fields.code"): "invalid: is also that of other members of the release: " + strconv.FormatInt(a, 10),
	}, faults)
	one, err := w.releases.Member(t.Context(), w.editor, w.Project, r.ID, a, 0)
	require.NoError(t, err)
	require.Len(t, one.Faults, 1)
}

// What is in review cannot be submitted again.
func TestMembersInReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Govern(t, true)
	own, other := w.Create(t, w.articles, `{"title":"A"}`), w.Create(t, w.articles, `{"title":"B"}`)
	w.Update(t, own, `{}`, contenttest.Published(true))
	r, submitted := w.release(t, "Spring"), w.release(t, "Summer")
	w.put(t, r, draft(own), draft(other))
	w.put(t, submitted, draft(other))
	stored, err := w.Stores.Releases.Release(t.Context(), w.Project.ID, submitted.ID)
	require.NoError(t, err)
	stored.State = release.Pending
	require.NoError(t, w.Stores.Releases.SetState(t.Context(), stored))
	faults, _ := w.check(t, r)
	require.Len(t, faults, 2)
	require.Contains(t, faults["members."+id(own)], "in_review: has the open request CR-")
	require.Contains(t, faults["members."+id(other)], `in_review: is in the submitted release "Summer"`)
	_, err = w.releases.PutMembers(t.Context(), w.editor, w.ref(submitted), []releasing.MemberInput{draft(own)})
	require.ErrorIs(t, err, core.ErrConflict)
}

// An open release loses the entries of a collection with it.
func TestCollectionsLeaveOpenReleases(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	article, note := w.Create(t, w.articles, `{"title":"A"}`), w.Create(t, w.notes, `{"title":"N"}`, incomplete)
	r := w.release(t, "Spring")
	w.put(t, r, draft(article), draft(note))
	require.NoError(t, w.Collections.Delete(t.Context(), w.Change(w.notes.ID)))
	r, err := w.releases.Release(t.Context(), w.editor, w.Project, r.ID)
	require.NoError(t, err)
	require.Equal(t, []any{release.Counts{Members: 1, Publish: 1}, int64(3)}, []any{r.Counts, r.Version})
}

func TestDeleteAndClose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	never, once := w.release(t, "Never"), w.release(t, "Once")
	require.NoError(t, w.releases.Delete(t.Context(), w.editor, w.ref(never)))
	_, err := w.releases.Release(t.Context(), w.editor, w.Project, never.ID)
	require.ErrorIs(t, err, core.ErrNotFound)
	once.Rounds = 1
	require.NoError(t, w.Stores.Releases.SetState(t.Context(), once))
	require.NoError(t, w.releases.Delete(t.Context(), w.editor, w.ref(once)))
	once, err = w.releases.Release(t.Context(), w.editor, w.Project, once.ID)
	require.NoError(t, err)
	require.Equal(t, release.Closed, once.State)
	require.ErrorIs(t, w.releases.Delete(t.Context(), w.editor, w.ref(once)), core.ErrConflict)
}

// Holders of a custom role see the releases whose latest request names it, and nothing of drafts.
func TestReleasesOfCustomRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.release(t, "Spring")
	holder := core.Actor{User: &core.User{ID: 9}, CustomRoles: []core.CustomRole{{ID: 3, DepartmentID: w.Project.DepartmentID}}}
	_, err := w.releases.Release(t.Context(), holder, w.Project, r.ID)
	require.ErrorIs(t, err, core.ErrNotFound)
	page, err := w.releases.List(t.Context(), holder, w.Project, releasing.Filter{})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	page, err = w.releases.List(t.Context(), w.editor, w.Project, releasing.Filter{Search: "SPRING", States: []release.State{release.Open}})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
}
