package approval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
	"imprimatur/test/newsroom"
)

func TestUngovernedContentIsPublishedDirectly(t *testing.T) {
	t.Parallel()
	r := setup(t)
	m := r.Create(newsroom.Article("A", newsroom.Published(true)))
	require.Equal(t, "A", r.Public(m.ID))
	require.Nil(t, m.Approval)
	r.Update(m.ID, newsroom.Article("B"))
	require.Equal(t, "B", r.Public(m.ID), "a published entry follows its draft")
}

// Every way to publish content of a project with a workflow submits a request and publishes
// nothing.
func TestEveryPublicationIsGated(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration) func(*core.EntryWrite) { return newsroom.At(noon.Add(d)) }
	for name, door := range map[string]func(r *fixture) int64{
		"create with published": func(r *fixture) int64 { return r.submit("A") },
		"create with a past time": func(r *fixture) int64 {
			return r.Create(newsroom.Article("A", newsroom.Published(true), at(-time.Hour))).ID
		},
		"create with a future time": func(r *fixture) int64 {
			return r.Create(newsroom.Article("A", newsroom.Published(true), at(time.Hour))).ID
		},
		"update with published": func(r *fixture) int64 {
			return r.Update(r.Create(newsroom.Article("A")).ID, newsroom.Article("A", newsroom.Published(true))).ID
		},
		"the publish route": func(r *fixture) int64 {
			m, err := r.Writer.Publish(r.Context(), r.Actor("super"), r.Ref(r.Create(newsroom.Article("A")).ID), writing.Publication{}, nil)
			require.NoError(r.t, err)
			require.True(r.t, m.Submitted)
			return m.ID
		},
		"a token": func(r *fixture) int64 {
			m, err := r.Writer.Create(r.Context(), r.Token(), r.Project, r.Articles.ID, newsroom.Article("A", newsroom.Published(true)))
			require.NoError(r.t, err)
			return m.ID
		},
		"the operator": func(r *fixture) int64 {
			m, err := r.Writer.Create(r.Context(), core.Actor{System: true}, r.Project, r.Articles.ID, newsroom.Article("A", newsroom.Published(true)))
			require.NoError(r.t, err)
			return m.ID
		},
		"import": func(r *fixture) int64 {
			report, err := r.Importer.Import(r.Context(), core.Actor{System: true}, r.Project, r.Articles.ID,
				strings.NewReader(`{"published":true,"fields":{"title":"A","code":"a"}}`), transfer.ImportOptions{})
			require.NoError(r.t, err)
			require.Empty(r.t, report.Failed)
			all, err := r.Stores.Entries.Walk(r.Context(), r.Project.ID, r.Articles.ID, 0, 9)
			require.NoError(r.t, err)
			require.Len(r.t, all, 1)
			return all[0].ID
		},
		"import with the publish option": func(r *fixture) int64 {
			_, err := r.Importer.Import(r.Context(), core.Actor{System: true}, r.Project, r.Articles.ID,
				strings.NewReader(`{"fields":{"title":"A","code":"a"}}`), transfer.ImportOptions{Publish: ptr(true)})
			require.NoError(r.t, err)
			all, err := r.Stores.Entries.Walk(r.Context(), r.Project.ID, r.Articles.ID, 0, 9)
			require.NoError(r.t, err)
			return all[0].ID
		},
		"a translation": func(r *fixture) int64 {
			source := r.Create(newsroom.Article("A"))
			return r.Create(newsroom.Article("A", newsroom.Published(true), func(w *core.EntryWrite) {
				w.TranslationOf, w.Locale = &source.ID, ptr("de")
			})).ID
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := gated(t)
			id := door(r)
			require.Empty(t, r.Public(id))
			require.Equal(t, review.RequestPending, r.Request(id).Request.Status)
			r.clock.pass(2 * time.Hour)
			published, failed, err := r.Worker.PublishDue(t.Context())
			require.NoError(t, err)
			require.Zero(t, published+failed)
			require.Empty(t, r.Public(id), "a past time does not bypass the gate")
		})
	}
}

// An entry that was published before the project had a workflow is restored as a draft.
func TestRestoreIsGated(t *testing.T) {
	t.Parallel()
	r := setup(t)
	id := r.Create(newsroom.Article("A", newsroom.Published(true))).ID
	_, err := r.Writer.Trash(t.Context(), r.Actor("editor"), r.Ref(id), nil, "")
	require.NoError(t, err)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	m, err := r.Writer.Restore(t.Context(), r.Actor("editor"), r.Ref(id), nil)
	require.NoError(t, err)
	restored := r.Show(m)
	require.Equal(t, reading.StateDraft, restored.State)
	require.Empty(t, r.Public(id))
	require.Nil(t, restored.Approval)
}

func TestSubmission(t *testing.T) {
	t.Parallel()
	r := gated(t)
	m := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.Field("note", "psst"), newsroom.At(noon.Add(time.Hour))))
	v := r.Request(m.ID)
	require.Equal(t, "CR-2026-0001", v.Request.ReleaseNumber())
	require.Equal(t, &review.ApprovalSummary{ID: v.Request.ID, Status: "pending", ReleaseNumber: "CR-2026-0001"}, m.Approval)
	require.Equal(t, `{"collection":"articles","fields":{"tags":[],"title":"A"},"locale":"en"}`, string(v.Shown))
	require.Equal(t, core.ActorRef{Kind: "user", ID: r.IDs["editor"], Name: "editor"}, v.Request.SubmittedBy)
	require.Equal(t, noon.Add(time.Hour), v.Request.ScheduledAt)
	require.Equal(t, 1, v.Request.CurrentStep().Order)
	require.False(t, v.ContentChanged)

	again := r.Update(m.ID, newsroom.Article("B", newsroom.Published(true)))
	require.Equal(t, m.Approval, again.Approval, "a second request to publish changes nothing")
	v = r.Request(m.ID)
	require.Contains(t, string(v.Shown), `"A"`)
	require.True(t, v.ContentChanged)
	require.Len(t, v.Actions, 1)

	other := r.submit("C")
	require.Equal(t, "CR-2026-0002", r.Request(other).Request.ReleaseNumber())
	r.clock.now = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	require.Equal(t, "CR-2027-0001", r.Request(r.submit("D")).Request.ReleaseNumber())
}

func TestWithdrawal(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(r *fixture, id int64) error{
		"unchecked": func(r *fixture, id int64) error {
			_, err := r.Writer.Update(r.Context(), r.Actor("editor"), r.Ref(id), nil, core.EntryWrite{Published: ptr(false)})
			return err
		},
		"unpublished": func(r *fixture, id int64) error {
			_, err := r.Writer.Unpublish(r.Context(), r.Actor("editor"), r.Ref(id), nil, "")
			return err
		},
		"trashed": func(r *fixture, id int64) error {
			_, err := r.Writer.Trash(r.Context(), r.Actor("editor"), r.Ref(id), nil, "")
			return err
		},
		"its collection deleted": func(r *fixture, _ int64) error {
			return r.Collections.Delete(r.Context(), definition.Change{Actor: r.Actor("editor"), Project: r.Project, CollectionID: r.Articles.ID})
		},
	} {
		for _, scheduled := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := setup(t)
				r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
				id := r.Create(newsroom.Article("A", newsroom.Published(true), newsroom.At(noon.Add(time.Hour)))).ID
				if scheduled {
					r.approveAll(id, "admin")
				}
				require.NoError(t, end(r, id))
				v := r.Request(id)
				require.Equal(t, review.RequestWithdrawn, v.Request.Status)
				require.Equal(t, review.ActionWithdraw, v.Actions[len(v.Actions)-1].Type)
				require.Equal(t, "editor", v.Actions[len(v.Actions)-1].Actor.Name)
				r.clock.pass(2 * time.Hour)
				published, failed, err := r.Worker.PublishDue(t.Context())
				require.NoError(t, err)
				require.Zero(t, published+failed)
				require.Equal(t, "not_pending", outcome(r.Approve("admin", id)))
			})
		}
	}
}

// Readers keep the last published version until the new one is approved.
func TestWithdrawingKeepsThePublishedVersion(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := r.submit("A")
	r.approveAll(id, "admin")
	r.Update(id, newsroom.Article("B"))
	require.Equal(t, "A", r.Public(id), "a write only changes the draft")
	r.Update(id, newsroom.Article("B", newsroom.Published(true)))
	require.Equal(t, review.RequestPending, r.Request(id).Request.Status)
	require.Equal(t, "A", r.Public(id))
	r.Update(id, core.EntryWrite{Published: ptr(false)})
	require.Equal(t, review.RequestWithdrawn, r.Request(id).Request.Status)
	require.Equal(t, "A", r.Public(id))
	r.Update(id, core.EntryWrite{Published: ptr(false)})
	require.Empty(t, r.Public(id), "with nothing pending it is unpublished")
}

func TestResubmissionStartsAtTheFirstStep(t *testing.T) {
	t.Parallel()
	r := gated(t)
	id := r.submit("A")
	r.approveAll(id, "admin")
	_, err := reject(r.Reviews, r, "legal", id, approval.Decision{Comment: "libel"})
	require.NoError(t, err)
	require.Equal(t, review.RequestRejected, r.Request(id).Request.Status)
	r.Update(id, newsroom.Article("B", newsroom.Published(true)))
	v := r.Request(id)
	require.Equal(t, review.RequestPending, v.Request.Status)
	require.Equal(t, 1, v.Request.CurrentStep().Order, "approvals of an earlier request do not count")
	require.Empty(t, v.Request.Approvals)
	page, err := r.Reviews.History(t.Context(), r.Actor("viewer"), r.Ref(id), query.Window{})
	require.NoError(t, err)
	history := page.Items
	require.Len(t, history, 2)
	require.Equal(t, review.RequestRejected, history[1].Request.Status)
	require.Equal(t, "libel", history[1].Actions[2].Comment)
}

// An open request governs its entry even after the workflow was removed.
func TestRequestSurvivesItsWorkflow(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	id := r.submit("A")
	require.NoError(t, r.Workflows.RemoveProject(t.Context(), core.Actor{System: true}, r.Project))
	r.Update(id, newsroom.Article("B", newsroom.Published(true)))
	require.Empty(t, r.Public(id), "removing the workflow does not publish")
	r.approveAll(id, "admin")
	require.Equal(t, "A", r.Public(id))
	r.Update(id, newsroom.Article("C"))
	require.Equal(t, "C", r.Public(id), "no workflow applies any more")
}

func TestWorkflowsReplaceEachOther(t *testing.T) {
	t.Parallel()
	r := setup(t)
	effective := func() string {
		e, err := r.Workflows.Effective(t.Context(), r.Project)
		require.NoError(t, err)
		require.NotEmpty(t, e.Reason)
		require.Equal(t, e.Source == approval.SourceNone, e.Workflow == nil)
		return e.Source
	}
	steps := func(id int64) int { return len(r.Request(id).Request.Steps) }
	require.Equal(t, "none", effective())
	_, err := r.Workflows.SetDepartment(t.Context(), core.Actor{System: true}, r.Newsroom, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}})
	require.NoError(t, err)
	require.Equal(t, "department", effective())
	require.Equal(t, 1, steps(r.submit("A")))
	r.SetWorkflow(newsroom.Step(5, core.RoleAdmin), newsroom.Step(3, core.RoleTenantAdmin))
	require.Equal(t, "project", effective())
	v := r.Request(r.submit("B"))
	require.Equal(t, []int{3, 5}, []int{v.Request.Steps[0].Order, v.Request.Steps[1].Order}, "nothing is merged, and the order counts")
	require.NoError(t, r.Workflows.RemoveProject(t.Context(), core.Actor{System: true}, r.Project))
	require.Equal(t, "department", effective())
	r.Move(r.Marketing.ID)
	require.Equal(t, "none", effective())
	r.Move(0)
	require.Equal(t, "none", effective())
	require.Equal(t, "C", r.Public(r.submit("C")))
}
