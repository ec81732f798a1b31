package newsroom_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// campaign is a newsroom with a release.
type campaign struct {
	*newsroom.Fixture
	releases *releasing.Releases
	ref      releasing.Ref
}

func newCampaign(w *newsroom.Fixture) *campaign {
	c := &campaign{Fixture: w, releases: releasing.New(w.Stores, w.Tx, w.Writer, w.Requests, w.Publisher)}
	w.Worker.PublishUngoverned = c.releases.PublishDue
	c.compose()
	return c
}

// compose begins another release with these members.
func (c *campaign) compose(members ...releasing.MemberInput) {
	c.Helper()
	r, err := c.releases.Create(c.Context(), c.Actor("editor"), c.Project, releasing.Change{Name: new("Campaign")})
	c.OK(err)
	c.ref = releasing.Ref{Project: c.Project, ID: r.ID}
	if len(members) > 0 {
		_, err = c.releases.PutMembers(c.Context(), c.Actor("editor"), c.ref, members)
		c.OK(err)
	}
}

// submit submits the release for the time at; zero: for its approval.
func (c *campaign) submit(at time.Time) release.Release {
	c.Helper()
	in := releasing.Publication{}
	if !at.IsZero() {
		in.PublishAt = core.Some(at)
	}
	r, err := c.releases.Publish(c.Context(), c.Actor("editor"), releasing.Ref{Project: c.Project, ID: c.ref.ID}, in)
	c.OK(err)
	return r
}

func (c *campaign) approve() error {
	_, err := c.Reviews.Approve(c.Context(), c.Actor("admin"), review.ReleaseRef{Project: c.Project, ID: c.ref.ID}, approval.Decision{})
	return err
}

func (c *campaign) stored() release.Release {
	c.Helper()
	r, err := c.Stores.Releases.Release(c.Context(), c.Project.ID, c.ref.ID)
	c.OK(err)
	return r
}

// goesOut lets the worker work until the release is published.
func (c *campaign) goesOut(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); c.stored().State != release.Published; {
		_, failed, err := c.Worker.PublishDue(c.Context())
		c.OK(err)
		if failed > 0 || time.Now().After(end) {
			t.Fatalf("%d publications failed, the release is %s", failed, c.stored().State)
		}
	}
}

// A definition that changes between the submission and the time of a release changes nothing of what is published.
func TestReleasesOutliveDefinitions(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		for _, governed := range []bool{false, true} {
			if governed {
				w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			}
			c := newCampaign(w)
			name := fmt.Sprint("extra", governed)
			by := definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: true}
			_, err := w.Collections.AddField(w.Context(), by, definition.FieldInput{Name: name, Type: core.TypeText})
			w.OK(err)
			id := w.Create(newsroom.Article("Sealed", newsroom.Field(name, "kept"))).ID
			c.compose(releasing.MemberInput{EntryID: id})
			c.submit(w.Clock.Now().Add(50 * time.Millisecond))
			if governed {
				w.OK(c.approve())
			}
			_, err = w.Collections.RemoveField(w.Context(), by, name)
			w.OK(err)
			_, err = w.Collections.AddField(w.Context(), by, definition.FieldInput{Name: "required" + name, Type: core.TypeText, Required: true})
			w.OK(err)
			c.goesOut(t)
			items, err := w.Stores.Releases.Items(w.Context(), w.Project.ID, c.ref.ID)
			if governed {
				items, err = w.Stores.Requests.Items(w.Context(), w.Project.ID, c.stored().RequestID)
			}
			w.OK(err)
			seen, err := w.Stores.Publications.Publication(w.Context(), w.Project.ID, w.Articles.ID, id, 1)
			w.OK(err)
			assert.Equal(t, []string{"Sealed", items[0].ContentHash}, []string{w.Public(id), seen.ContentHash}, "governed %v", governed)
			assert.Contains(t, string(seen.Content), `"kept"`)
			_, err = w.Collections.RemoveField(w.Context(), by, "required"+name)
			w.OK(err)
		}
	})
}

// The deletion of a collection withdraws the submitted releases that have its entries, and takes these out.
func TestCollectionsEndSubmittedReleases(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		for n, way := range []string{"waits without a workflow", "in review", "approved"} {
			if n == 1 {
				w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			}
			c := newCampaign(w)
			notes, err := w.Collections.Create(w.Context(), w.Actor("admin"), w.Project, definition.CollectionInput{
				Slug: fmt.Sprint("notes", n), Name: "Notes", Fields: []definition.FieldInput{{Name: "title", Type: core.TypeText}},
			})
			w.OK(err)
			note, err := w.Writer.Create(w.Context(), w.Actor("editor"), w.Project, notes.ID, newsroom.Article("Note"))
			w.OK(err)
			id := w.Create(newsroom.Article("A")).ID
			c.compose(releasing.MemberInput{EntryID: note.ID}, releasing.MemberInput{EntryID: id})
			c.submit(w.Clock.Now().Add(time.Hour))
			if way == "approved" {
				w.OK(c.approve())
			}
			w.OK(w.Collections.Delete(w.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: notes.ID, Acknowledged: true}))
			r := c.stored()
			require.Equal(t, []any{release.Open, 1}, []any{r.State, r.Counts.Members}, way)
			require.Empty(t, w.Public(id), way)
			if n > 0 {
				view, err := w.Reviews.Current(w.Context(), w.Actor("editor"), review.ReleaseRef{Project: w.Project, ID: c.ref.ID})
				w.OK(err)
				require.Equal(t, review.RequestWithdrawn, view.Request.Status, way)
			}
			require.Equal(t, map[bool]release.State{true: release.Pending, false: release.Published}[n > 0], c.again().State, way)
		}
	})
}

// again submits the release without its time.
func (c *campaign) again() release.Release {
	c.Helper()
	r, err := c.releases.Publish(c.Context(), c.Actor("editor"), c.ref, releasing.Publication{PublishAt: core.Optional[time.Time]{Given: true}})
	c.OK(err)
	return r
}

// A Project that moves to a Department without a workflow takes its submitted release along, which is still reviewed.
func TestReleasesInReviewMove(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		_, err := w.Workflows.SetDepartment(w.Context(), core.SystemActor, w.Newsroom, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}})
		w.OK(err)
		c := newCampaign(w)
		id := w.Create(newsroom.Article("A")).ID
		c.compose(releasing.MemberInput{EntryID: id})
		require.Equal(t, release.Pending, c.submit(time.Time{}).State)
		w.Move(w.Marketing.ID)
		require.Equal(t, release.Pending, c.submit(time.Time{}).State)
		require.Empty(t, w.Public(id))
		_, err = w.Reviews.Approve(w.Context(), w.Actor("editor"), review.ReleaseRef{Project: w.Project, ID: c.ref.ID}, approval.Decision{})
		require.Equal(t, core.KindForbidden, core.KindOf(err))
		w.OK(c.approve())
		require.Equal(t, []any{release.Published, "A"}, []any{c.stored().State, w.Public(id)})
	})
}
