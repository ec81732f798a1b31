package approval_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/core/review"
	"imprimatur/core/writing"
	"imprimatur/test/newsroom"
)

// unpublishing sets a workflow of one step with who may take entries offline, which exempts "tags".
func (r *fixture) unpublishing(by string) {
	r.t.Helper()
	_, err := r.Workflows.SetProject(r.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{
		Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}, Unpublishing: by, Exempt: []string{"tags"},
	})
	require.NoError(r.t, err)
}

// ways are the ways to take a published entry offline at once.
var ways = map[string]func(w *writing.Writer, r *fixture, actor core.Actor, ref review.EntryRef) error{
	"published: false": func(w *writing.Writer, r *fixture, actor core.Actor, ref review.EntryRef) error {
		_, err := w.Update(r.Context(), actor, ref, nil, core.EntryWrite{Published: ptr(false)})
		return err
	},
	"unpublish": func(w *writing.Writer, r *fixture, actor core.Actor, ref review.EntryRef) error {
		_, err := w.Unpublish(r.Context(), actor, ref, nil, "")
		return err
	},
	"trash": func(w *writing.Writer, r *fixture, actor core.Actor, ref review.EntryRef) error {
		_, err := w.Trash(r.Context(), actor, ref, nil, "")
		return err
	},
}

// Each way to take a published entry offline follows the workflow, for each caller, with an emergency and without.
func TestTakingOffline(t *testing.T) {
	t.Parallel()
	type caller struct{ who, emergency string }
	for by, rows := range map[string]map[caller]string{
		"":     {{"editor", ""}: "ok", {"token", ""}: "ok", {"editor", "Now"}: "forbidden", {"token", "Now"}: "forbidden", {"admin", "Now"}: "ok"},
		"free": {{"editor", ""}: "ok", {"token", ""}: "ok"},
		"admins": {
			{"editor", ""}: "forbidden", {"token", ""}: "forbidden", {"editor", "Now"}: "forbidden", {"token", "Now"}: "forbidden",
			{"admin", ""}: "ok", {"admin", "Now"}: "ok", {"department", ""}: "ok",
		},
		"reviewed": {
			{"editor", ""}: "unpublish_reviewed", {"token", ""}: "unpublish_reviewed", {"admin", ""}: "unpublish_reviewed", {"tenant", ""}: "unpublish_reviewed",
			{"super", ""}: "unpublish_reviewed", {"editor", "Now"}: "forbidden", {"token", "Now"}: "forbidden", {"admin", "Now"}: "ok", {"tenant", "Now"}: "ok",
			{"admin", string(make([]rune, event.MaxReason+1))}: "invalid emergency",
		},
	} {
		for door, take := range ways {
			r := setup(t)
			r.unpublishing(by)
			for c, want := range rows {
				id := r.submit("A")
				r.approveAll(id, "admin")
				actor := r.Token()
				if c.who != "token" {
					actor = r.Actor(c.who)
				}
				got := outcome(take(r.Writer.InEmergency(c.emergency), r, actor, r.Ref(id)))
				require.Equal(t, want, got, "%q, %s, %v", by, door, c)
				require.Equal(t, want == "ok", !ptr(r.Entry(id)).IsPublic(), "%q, %s, %v", by, door, c)
				if events := r.events(); want == "ok" && c.emergency != "" {
					require.Equal(t, c.emergency, events[len(events)-1].Reason)
				}
			}
		}
	}
}

// What readers do not see, what waits, and what the workflow exempts is not taken offline.
func TestWhatIsNotTakenOffline(t *testing.T) {
	t.Parallel()
	r, tags := exempting(t)
	r.unpublishing("reviewed")
	draft, pending := r.Create(newsroom.Article("A")).ID, r.submit("B")
	tag := r.tag(tags, "News", newsroom.Published(true))
	for _, door := range []string{"unpublish", "trash"} {
		require.NoError(t, ways[door](r.Writer, r, r.Actor("editor"), r.Ref(draft)), door)
	}
	require.NoError(t, ways["published: false"](r.Writer, r, r.Actor("editor"), r.Ref(pending)))
	require.Equal(t, review.RequestWithdrawn, r.Request(pending).Request.Status)
	require.NoError(t, ways["unpublish"](r.Writer, r, r.Actor("editor"), review.EntryRef{Project: r.Project, CollectionID: tags.ID, ID: tag}))

	shown := r.submit("C")
	r.approveAll(shown, "admin")
	r.Update(shown, newsroom.Article("D", newsroom.Published(true)))
	require.NoError(t, ways["published: false"](r.Writer, r, r.Actor("editor"), r.Ref(shown)), "it withdraws the request")
	require.Equal(t, "C", r.Public(shown))

	end := noon.Add(2 * time.Hour)
	ends := r.Create(newsroom.Article("E", newsroom.Published(true), newsroom.Until(&end))).ID
	r.approveAll(ends, "admin")
	require.Equal(t, "E", r.Public(ends))
	r.clock.pass(3 * time.Hour)
	_, _, err := r.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Empty(t, r.Public(ends), "the end was approved with the publication")
}

// A collection with published entries is deleted by a tenant admin where a review decides what goes offline.
func TestDeletingACollectionTakesItsEntriesOffline(t *testing.T) {
	t.Parallel()
	r, tags := exempting(t)
	remove := func(person string, c *core.Collection) string {
		return outcome(r.Collections.Delete(t.Context(), definition.Change{Actor: r.Actor(person), Project: r.Project, CollectionID: c.ID, Acknowledged: true}))
	}
	r.unpublishing("reviewed")
	empty, err := r.Collections.Create(t.Context(), r.Actor("admin"), r.Project, definition.CollectionInput{Slug: "empty", Name: "Empty"})
	require.NoError(t, err)
	r.tag(tags, "News", newsroom.Published(true))
	r.approveAll(r.submit("A"), "admin")
	require.Equal(t, "ok", remove("admin", empty))
	require.Equal(t, "ok", remove("admin", tags), "the workflow exempts it")
	require.Equal(t, "forbidden", remove("admin", r.Articles))
	require.Equal(t, "forbidden", remove("department", r.Articles))
	require.Equal(t, "ok", remove("tenant", r.Articles))
}

func TestFaultsOfUnpublishing(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for by, want := range map[string]review.Unpublishing{"": review.UnpublishFree, "free": review.UnpublishFree, "admins": review.UnpublishAdmins, "reviewed": review.UnpublishReviewed} {
		r.unpublishing(by)
		w, err := r.Workflows.Project(t.Context(), r.Project)
		require.NoError(t, err)
		require.Equal(t, want, w.Unpublishing, by)
	}
	for _, by := range []string{"nobody", "Free", "admin"} {
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}, Unpublishing: by})
		require.Equal(t, []string{"unpublishing"}, locations(err), by)
	}
}
