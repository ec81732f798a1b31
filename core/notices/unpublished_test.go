package notices_test

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/event"
	"imprimatur/core/notices"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// Whoever has published an entry hears of its end, with the reason.
func TestThoseWhoPublishedHearOfTheEnd(t *testing.T) {
	t.Parallel()
	const reason = "The figures were wrong."
	for name, end := range map[string]func(w *world, ref review.EntryRef) error{
		"unpublished": func(w *world, ref review.EntryRef) error {
			_, err := w.Writer.Unpublish(w.t.Context(), w.Actor("editor"), ref, nil, reason)
			return err
		},
		"trashed": func(w *world, ref review.EntryRef) error {
			_, err := w.Writer.Trash(w.t.Context(), w.Actor("editor"), ref, nil, reason)
			return err
		},
		"destroyed": func(w *world, ref review.EntryRef) error {
			if _, err := w.Writer.Trash(w.t.Context(), w.Actor("editor"), ref, nil, ""); err != nil {
				return err
			}
			w.told()
			return w.Writer.Destroy(w.t.Context(), w.Actor("editor"), ref, nil, reason)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.SetWorkflow(newsroom.CustomRoleStep(1, w.Legal), newsroom.Step(2, core.RoleDepartmentAdmin))
			id := w.submit("Ceasefire")
			require.NoError(t, w.Approve("legal", id))
			require.NoError(t, w.Approve("department", id))
			w.told()
			require.NoError(t, end(w, w.Ref(id)))
			events, err := w.Stores.Events.Events(t.Context(), ports.EventQuery{ProjectID: w.Project.ID, Type: event.Type("entry." + name), Limit: 10})
			require.NoError(t, err)
			require.Len(t, events, 1)
			require.Equal(t, reason, events[0].Reason)
			require.Equal(t, []string{"unpublished: admin department legal"}, w.told())
			page, err := w.notices.List(t.Context(), w.Actor("legal"), notices.Filter{Window: query.Window{PerPage: 1}})
			require.NoError(t, err)
			require.Equal(t, reason, page.Items[0].Comment)
			require.Equal(t, "Ceasefire", page.Items[0].Title)
			require.Equal(t, w.IDs["editor"], page.Items[0].Actor.ID)
		})
	}
}

// Whoever has published an entry that requires the entry hears of its end, unless a translation stays public.
func TestThoseWhoNeedTheEntryHearOfTheEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		required, published bool
		want                string
	}{
		"required":      {true, true, "unpublished: admin tenant"},
		"referred to":   {false, true, "unpublished: admin"},
		"not published": {true, false, "unpublished: admin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			article := w.Create(newsroom.Article("Ceasefire", newsroom.Published(true)))
			notes, err := w.Collections.Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: "notes", Name: "Notes", Fields: []definition.FieldInput{
				{Name: "about", Type: core.TypeRelation, Collection: w.Articles.Slug, Required: c.required},
			}})
			require.NoError(t, err)
			note := core.EntryWrite{Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"about": []byte(strconv.FormatInt(article.ID, 10))}}, Published: &c.published}
			_, err = w.Writer.Create(t.Context(), w.Actor("tenant"), w.Project, notes.ID, note)
			require.NoError(t, err)
			w.told()
			_, err = w.Writer.Unpublish(t.Context(), w.Actor("editor"), w.Ref(article.ID), nil, "Wrong")
			require.NoError(t, err)
			require.Equal(t, []string{c.want}, w.told())
		})
	}
}

// The end of a draft takes nothing from readers.
func TestEndsOfDraftsAreNotTold(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.Create(newsroom.Article("Draft")).ID
	_, err := w.Writer.Trash(t.Context(), w.Actor("editor"), w.Ref(id), nil, "")
	require.NoError(t, err)
	require.NoError(t, w.Writer.Destroy(t.Context(), w.Actor("editor"), w.Ref(id), nil, ""))
	require.Empty(t, w.told())
}

// A reason is a short text.
func TestReasonsAreLimited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.Create(newsroom.Article("Draft")).ID
	_, err := w.Writer.Trash(t.Context(), w.Actor("editor"), w.Ref(id), nil, string(make([]rune, event.MaxReason+1)))
	require.ErrorIs(t, err, core.ErrInvalid)
}

// A request that nobody can decide is told to its submitter, too, and to the admins.
func TestUnreachableRequestsAreTold(t *testing.T) {
	t.Parallel()
	w := setup(t)
	no := false
	_, err := w.Workflows.SetProject(t.Context(), core.SystemActor, w.Project, approval.WorkflowInput{
		Steps: []approval.StepInput{newsroom.CustomRoleStep(1, w.Legal)}, AllowSelfApproval: &no,
	})
	require.NoError(t, err)
	w.OK(w.Stores.CustomRoles.Unassign(t.Context(), w.Legal.ID, w.IDs["legal"]))
	w.told()
	id := w.submit("Ceasefire")
	require.Equal(t, []string{"unreachable: admin editor"}, w.told())
	v, err := w.Reviews.Current(t.Context(), w.Actor("editor"), w.Ref(id))
	require.NoError(t, err)
	require.Equal(t, []string{"no active user has the role of the step"}, v.Reasons[1])
}
