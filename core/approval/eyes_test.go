package approval_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/media"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/writing"
	"imprimatur/test/newsroom"
)

// title returns a write of the title.
func title(text string) core.EntryWrite { return newsroom.Article(text) }

// write updates the entry as the actor.
func (r *fixture) write(actor core.Actor, id int64, wr core.EntryWrite) {
	r.t.Helper()
	_, err := r.Writer.Update(r.Context(), actor, r.Ref(id), nil, wr)
	require.NoError(r.t, err)
}

// create adds an article as the actor.
func (r *fixture) create(actor core.Actor, wr core.EntryWrite) int64 {
	r.t.Helper()
	m, err := r.Writer.Create(r.Context(), actor, r.Project, r.Articles.ID, wr)
	require.NoError(r.t, err)
	return m.ID
}

// request requests the publication of the entry as the named user.
func (r *fixture) request(name string, id int64) {
	r.t.Helper()
	r.write(r.Actor(name), id, core.EntryWrite{Published: ptr(true)})
}

// contributors returns the contributors of the entry's request, such as "editor token/admin".
func (r *fixture) contributors(id int64) string {
	r.t.Helper()
	var names []string
	for _, by := range r.Request(id).Request.Contributors {
		name := by.Name
		for user, userID := range r.IDs {
			if by.Kind == "token" && by.MadeBy == userID {
				name = "token/" + user
			}
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// Everyone with a revision since the last publication contributes to the next request.
func TestContributors(t *testing.T) {
	t.Parallel()
	govern := func(r *fixture) { r.t.Helper(); strict(r) }
	// request submits the entry as the tenant admin.
	request := func(r *fixture, id int64) { r.t.Helper(); r.request("tenant", id) }
	for name, row := range map[string]struct {
		make func(r *fixture) int64
		want string
	}{
		"create": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("admin"), title("A"))
			request(r, id)
			return id
		}, "admin"},
		"create and submit": {func(r *fixture) int64 {
			govern(r)
			return r.create(r.Actor("editor"), newsroom.Article("A", newsroom.Published(true)))
		}, "editor"},
		"update, by several within ten minutes": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("admin"), title("A"))
			r.write(r.Actor("department"), id, title("B"))
			r.write(r.Actor("admin"), id, title("C"))
			r.write(r.Actor("editor"), id, core.EntryWrite{KeepPublished: true, Fields: title("D").Fields})
			request(r, id)
			return id
		}, "admin department editor"},
		"a token": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.TokenOf("admin"), title("A"))
			r.write(r.Token(), id, title("B")) // made by a command
			request(r, id)
			return id
		}, "token/admin"},
		"restore of a revision": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("editor"), title("A"))
			r.clock.pass(time.Hour)
			r.write(r.Actor("editor"), id, title("B"))
			_, err := r.Writer.RestoreRevision(r.Context(), r.Actor("admin"), r.Ref(id), 1, nil)
			require.NoError(r.t, err)
			request(r, id)
			return id
		}, "editor admin"},
		"restore of the present content": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("editor"), title("A"))
			_, err := r.Writer.RestoreRevision(r.Context(), r.Actor("admin"), r.Ref(id), 1, nil)
			require.NoError(r.t, err)
			request(r, id)
			return id
		}, "editor"},
		"a write that changes nothing": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("editor"), title("A"))
			r.write(r.Actor("admin"), id, title("A"))
			request(r, id)
			return id
		}, "editor"},
		"a revision with a note only": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("editor"), title("A"))
			r.write(r.Actor("admin"), id, core.EntryWrite{Note: ptr("checked")})
			request(r, id)
			return id
		}, "editor admin"},
		"a change that was taken back": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("editor"), title("A"))
			r.write(r.Actor("admin"), id, title("B"))
			r.write(r.Actor("editor"), id, title("A"))
			request(r, id)
			return id
		}, "editor admin"},
		"revisions that were pruned": {func(r *fixture) int64 {
			govern(r)
			require.NoError(r.t, r.Change(r.Context(), false, func(p *core.Project) { p.RevisionLimit = int64(2) }))
			r.Reload()
			id := r.create(r.Actor("admin"), title("0"))
			for _, text := range []string{"1", "2", "3", "4", "5"} {
				r.clock.pass(time.Hour)
				r.write(r.Actor("editor"), id, title(text))
			}
			request(r, id)
			return id
		}, "admin editor"},
		"an account that is not active": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("admin"), title("A"))
			r.SetActive("admin", false)
			request(r, id)
			return id
		}, "admin"},
		"translations are entries of their own": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("admin"), title("A"))
			german := r.create(r.Actor("editor"), core.EntryWrite{Locale: ptr("de"), TranslationOf: &id, Fields: title("B").Fields})
			r.write(r.Actor("department"), id, title("C"))
			request(r, german)
			return german
		}, "editor"},
		"words of media": {func(r *fixture) int64 {
			govern(r)
			picture := r.Picture("Harbour")
			id := r.create(r.Actor("editor"), newsroom.Article("A", newsroom.Cover(picture)))
			r.clock.pass(time.Hour)
			_, err := r.Library.Change(r.Context(), r.Actor("admin"), r.Project, picture, media.Change{Caption: ptr("Dawn")})
			require.NoError(r.t, err)
			r.request("department", id) // with the new words, as a revision of its own
			r.write(r.Actor("department"), id, core.EntryWrite{Published: ptr(false)})
			request(r, id)
			return id
		}, "editor"},
		"nothing since the publication": {func(r *fixture) int64 {
			id := r.create(r.Actor("admin"), newsroom.Article("A", newsroom.Published(true)))
			govern(r)
			r.write(r.Actor("editor"), id, title("B"))
			request(r, id)
			return id
		}, "editor"},
		"a draft from before the workflow": {func(r *fixture) int64 {
			id := r.create(r.Actor("editor"), newsroom.Article("A", newsroom.Published(true)))
			r.write(r.Actor("admin"), id, core.EntryWrite{KeepPublished: true, Fields: title("B").Fields})
			govern(r)
			request(r, id)
			return id
		}, "admin"},
		"published by a request": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("admin"), newsroom.Article("A", newsroom.Published(true)))
			r.approveAll(id, "department")
			r.write(r.Actor("editor"), id, title("B"))
			request(r, id)
			return id
		}, "editor"},
		"writes after the submission": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("admin"), newsroom.Article("A", newsroom.Published(true)))
			r.write(r.Actor("legal"), id, title("B")) // the use case does not check roles
			r.write(r.Actor("editor"), id, title("C"))
			r.write(r.Actor("editor"), id, title("A"))
			require.Equal(r.t, "admin", r.contributors(id), "frozen")
			r.approveAll(id, "department")
			r.write(r.Actor("super"), id, title("D"))
			request(r, id)
			return id
		}, "legal editor super"},
		"a rejected request": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("admin"), newsroom.Article("A", newsroom.Published(true)))
			_, err := reject(r.Reviews, r, "department", id, approval.Decision{})
			require.NoError(r.t, err)
			r.write(r.Actor("editor"), id, title("B"))
			request(r, id)
			return id
		}, "admin editor"},
		"unpublished, trashed and restored": {func(r *fixture) int64 {
			govern(r)
			id := r.create(r.Actor("admin"), newsroom.Article("A", newsroom.Published(true)))
			r.approveAll(id, "department")
			r.write(r.Actor("editor"), id, title("B"))
			for _, do := range []func(*writing.Writer) error{
				func(w *writing.Writer) error {
					return second(w.Unpublish(r.Context(), r.Actor("legal"), r.Ref(id), nil, ""))
				},
				func(w *writing.Writer) error {
					return second(w.Trash(r.Context(), r.Actor("legal"), r.Ref(id), nil, ""))
				},
				func(w *writing.Writer) error {
					return second(w.Restore(r.Context(), r.Actor("legal"), r.Ref(id), nil))
				},
			} {
				require.NoError(r.t, do(r.Writer))
			}
			request(r, id)
			return id
		}, "editor"},
		"submitted by the worker": {func(r *fixture) int64 {
			at := noon.Add(time.Hour)
			id := r.create(r.Actor("admin"), newsroom.Article("A", newsroom.Published(true), newsroom.At(at)))
			r.write(r.Actor("editor"), id, title("B"))
			govern(r)
			r.clock.pass(2 * time.Hour)
			_, _, err := r.Worker.PublishDue(r.Context())
			require.NoError(r.t, err)
			return id
		}, "admin editor"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			id := row.make(r)
			require.Equal(t, row.want, r.contributors(id))
			audit, err := r.Reviews.Audit(t.Context(), r.Actor("viewer"), r.Ref(id))
			require.NoError(t, err)
			require.True(t, audit.Valid(), audit.Faults)
			require.Equal(t, 2, audit.Record().Terms.Format)
		})
	}
}

// A barred user may not act, and every view says why.
func TestBarredUsers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		submit func(r *fixture) int64
		reason string // of the admin
	}{
		"the submitter": {func(r *fixture) int64 {
			id := r.create(r.Actor("editor"), title("A"))
			r.request("admin", id)
			return id
		}, "You submitted this request"},
		"the creator of the submitting token": {func(r *fixture) int64 {
			return r.create(r.TokenOf("admin"), newsroom.Article("A", newsroom.Published(true)))
		}, "A token that you created submitted this request"},
		"a contributor": {func(r *fixture) int64 {
			id := r.create(r.Actor("admin"), title("A"))
			r.request("editor", id)
			return id
		}, "You changed the entry since its last publication"},
		"the creator of a token": {func(r *fixture) int64 {
			id := r.create(r.TokenOf("admin"), title("A"))
			r.request("editor", id)
			return id
		}, "A token that you created changed the entry since its last publication"},
		"the approver of an earlier step": {func(r *fixture) int64 {
			id := r.create(r.Actor("editor"), newsroom.Article("A", newsroom.Published(true)))
			r.approveAll(id, "admin")
			return id
		}, "You approved an earlier step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{
				AllowSelfApproval: ptr(false), Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin)},
			})
			require.NoError(t, err)
			id := row.submit(r)
			v, err := r.Reviews.Current(t.Context(), r.Actor("admin"), r.Ref(id))
			require.NoError(t, err)
			require.False(t, v.CanAct)
			require.Equal(t, row.reason+", and the workflow does not allow self-approval.", v.Reason)
			for name, do := range map[string]decide{"approve": approve, "reject": reject, "revise": revise} {
				_, err := do(r.Reviews, r, "admin", id, approval.Decision{Comment: "x"})
				require.Equal(t, "forbidden", outcome(err), name)
				require.ErrorContains(t, err, strings.ToLower(row.reason[:1])+row.reason[1:])
			}
			page, err := r.Inbox.List(t.Context(), r.Actor("admin"), approval.InboxFilter{})
			require.NoError(t, err)
			require.Empty(t, page.Items)
			summary, err := r.Inbox.Summary(t.Context(), r.Actor("admin"))
			require.NoError(t, err)
			require.Zero(t, summary.Pending)
			require.Equal(t, review.RequestPending, r.Request(id).Request.Status)
			v, err = r.Reviews.Current(t.Context(), r.Actor("tenant"), r.Ref(id))
			require.NoError(t, err)
			require.True(t, v.CanAct)
			require.Empty(t, v.Reason)
		})
	}
}

// The reasons of users that are not barred.
func TestReasons(t *testing.T) {
	t.Parallel()
	r := gated(t)
	id := r.submit("A")
	reason := func(person string) string {
		v, err := r.Reviews.Current(t.Context(), r.Actor(person), r.Ref(id))
		require.NoError(t, err)
		require.Equal(t, v.Reason == "", v.CanAct)
		return v.Reason
	}
	require.Empty(t, reason("admin"), "self-approval is allowed")
	require.Equal(t, "Step 1 is for: admins of the project and roles above them.", reason("viewer"))
	r.approveAll(id, "admin", "legal", "department")
	require.Equal(t, "The request has ended: it is published.", reason("admin"))
}

// A step is unreachable when the users with its role are barred, or needed for an earlier step.
func TestUnreachableBySelfApproval(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for _, name := range []string{"super", "tenant", "department"} {
		r.SetActive(name, false)
	}
	set := func(allowed bool, steps ...approval.StepInput) map[int]bool {
		v, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{AllowSelfApproval: &allowed, Steps: steps})
		require.NoError(t, err)
		return v.Unreachable
	}
	admins := []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin)}
	require.Equal(t, map[int]bool{1: false, 2: false}, set(true, admins...))
	require.Equal(t, map[int]bool{1: false, 2: true}, set(false, admins...), "one admin for two steps")
	r.Grant("legal", core.RoleAdmin)
	require.Equal(t, map[int]bool{1: false, 2: false}, set(false, admins...))
	require.Equal(t, map[int]bool{1: false, 2: false}, set(false, newsroom.Step(1, core.RoleAdmin), newsroom.CustomRoleStep(2, r.Legal)),
		"the other admin approves the first step")

	id := r.create(r.Actor("legal"), title("A"))
	r.request("editor", id)
	require.Equal(t, map[int]bool{1: false, 2: true}, r.Request(id).Unreachable, "legal contributed")
	page, err := r.Inbox.List(t.Context(), r.Actor("admin"), approval.InboxFilter{})
	require.NoError(t, err)
	require.Equal(t, map[int]bool{1: false, 2: true}, page.Items[0].Unreachable)
}

// The deciders of the current step are the users that can act on it, at each step.
func TestDecidersAreThoseWhoCanAct(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		allowed bool
		steps   func(r *fixture) []approval.StepInput
		decided []string // in order
		want    []string // the deciders of the current and the later steps after each decision
	}{
		"two steps of contributors": {false, func(*fixture) []approval.StepInput {
			return []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin)}
		}, []string{"tenant"}, []string{"department super tenant/department super tenant", "department super"}},
		"self-approval": {true, func(*fixture) []approval.StepInput {
			return []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleDepartmentAdmin)}
		}, []string{"admin"}, []string{"admin department legal super tenant/department super tenant", "department super tenant"}},
		"a contributor with the custom role": {false, func(r *fixture) []approval.StepInput {
			return []approval.StepInput{newsroom.Step(1, core.RoleTenantAdmin), newsroom.CustomRoleStep(2, r.Legal)}
		}, []string{"super"}, []string{"super tenant/", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			r.Grant("legal", core.RoleAdmin)
			_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{AllowSelfApproval: &row.allowed, Steps: row.steps(r)})
			require.NoError(t, err)
			id := r.create(r.Actor("admin"), title("A"))
			r.write(r.Actor("legal"), id, title("B"))
			r.request("editor", id)
			require.Equal(t, row.want[0], r.deciders(t, id))
			for i, user := range row.decided {
				r.approveAll(id, user)
				require.Equal(t, row.want[i+1], r.deciders(t, id))
			}
			r.SetActive("super", false)
			require.NotContains(t, r.deciders(t, id), "super")
		})
	}
}

// deciders returns the names of the deciders of the current and the later steps, such as
// "admin super/super". It checks that those of the current step are the users that can act on it.
func (r *fixture) deciders(t *testing.T, id int64) string {
	t.Helper()
	v := r.Request(id)
	shown := wire.ApprovalRequestOf(*v)
	var steps []string
	require.Len(t, shown.Deciders, len(v.Request.Steps)-v.Request.Current)
	for i, step := range shown.Deciders {
		require.Equal(t, v.Request.Steps[v.Request.Current+i].Order, step.StepOrder)
		var names []string
		for name := range newsroom.Users {
			if slices.Contains(step.UserIDs, r.Actor(name).User.ID) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		require.Len(t, step.UserIDs, len(names))
		steps = append(steps, strings.Join(names, " "))
	}
	for name := range newsroom.Users {
		seen, err := r.Reviews.Current(t.Context(), r.Actor(name), review.EntryRef{Project: r.Project, CollectionID: v.Request.Item().CollectionID, ID: id})
		if err == nil && r.Actor(name).User.Active {
			require.Equal(t, seen.CanAct, slices.Contains(strings.Fields(steps[0]), name), name)
		}
	}
	return strings.Join(steps, "/")
}

// The times of an open request, through every call that can change them.
func TestTimesOfOpenRequests(t *testing.T) {
	t.Parallel()
	at, end := noon.Add(10*time.Hour), noon.Add(20*time.Hour)
	type door func(r *fixture, actor core.Actor, id int64) error
	write := func(wr core.EntryWrite) door {
		return func(r *fixture, actor core.Actor, id int64) error {
			return second(r.Writer.Update(r.Context(), actor, r.Ref(id), nil, wr))
		}
	}
	moved := end.Add(time.Hour)
	doors := map[string]door{
		"schedule": func(r *fixture, actor core.Actor, id int64) error {
			return second(r.Reviews.Reschedule(r.Context(), actor, r.Ref(id), schedule.Times{UnpublishAt: core.Null[time.Time]()}))
		},
		"write without an end":     write(core.EntryWrite{Published: ptr(true), UnpublishAt: core.Null[time.Time]()}),
		"write with another end":   write(core.EntryWrite{Published: ptr(true), UnpublishAt: core.Some(moved)}),
		"write with another start": write(core.EntryWrite{Published: ptr(true), PublishAt: ptr(at.Add(time.Hour))}),
		"write of a field too":     write(newsroom.Article("B", newsroom.Published(true), newsroom.Until(nil))),
		"publish": func(r *fixture, actor core.Actor, id int64) error {
			_, err := r.Writer.Publish(r.Context(), actor, r.Ref(id), writing.Publication{Until: core.Null[time.Time]()}, nil)
			return err
		},
		"publish at another time": func(r *fixture, actor core.Actor, id int64) error {
			_, err := r.Writer.Publish(r.Context(), actor, r.Ref(id), writing.Publication{At: ptr(at.Add(time.Hour))}, nil)
			return err
		},
	}
	unschedule := func(r *fixture, actor core.Actor, id int64) error {
		return second(r.Writer.Unschedule(r.Context(), actor, r.Ref(id), nil))
	}
	// times is a request by the editor, to which the contributor also wrote.
	request := func(approvers ...string) (r *fixture, id int64) {
		r = setup(t)
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{
			AllowSelfApproval: ptr(false), Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin), newsroom.Step(3, core.RoleDepartmentAdmin)},
		})
		require.NoError(t, err)
		r.Grant("viewer", core.RoleTenantAdmin)
		id = r.create(r.Actor("viewer"), title("A"))
		r.write(r.Actor("editor"), id, newsroom.Article("B", newsroom.Published(true), newsroom.At(at), newsroom.Until(&end)))
		r.approveAll(id, approvers...)
		return r, id
	}
	for _, row := range []struct {
		state     string
		approvers []string
		may       map[string]bool
	}{
		{"no step is approved", nil, map[string]bool{"editor": true, "department": true, "super": true}},
		{"two steps are approved", []string{"admin", "tenant"}, map[string]bool{"department": true, "super": true}},
		{"all steps are approved", []string{"admin", "tenant", "department"}, map[string]bool{"department": true, "super": true}},
	} {
		for _, person := range []string{"editor", "legal", "admin", "viewer", "tenant", "department", "super", "a token of the editor", "a token", "an importer"} {
			may := row.may[person] || person == "tenant" && row.approvers == nil || person == "a token of the editor" && row.approvers == nil
			for name, do := range doors {
				r, id := request(row.approvers...)
				var actor core.Actor
				switch person {
				case "a token of the editor":
					actor = r.TokenOf("editor")
				case "a token":
					actor = r.Token()
				case "an importer":
					actor = core.SystemActor
				default:
					actor = r.Actor(person)
				}
				if actor.User == nil && name == "schedule" {
					continue
				}
				before := r.Request(id)
				if actor.User != nil && person != "legal" {
					v, err := r.Reviews.Current(t.Context(), actor, r.Ref(id))
					require.NoError(t, err)
					require.Equal(t, may, v.CanReschedule, row.state+", "+person)
					require.Equal(t, may && v.Request.Status == review.RequestApproved, v.CanPublishNow, row.state+", "+person)
				}
				if person == "legal" && name == "schedule" {
					require.Equal(t, "not_found", outcome(do(r, actor, id)))
					continue
				}
				err := do(r, actor, id)
				v := r.Request(id)
				where := row.state + ", " + person + ", " + name
				if !may {
					require.Equal(t, "forbidden", outcome(err), where)
					require.Equal(t, before.Request.Outcome(), v.Request.Outcome(), where)
					require.Equal(t, "B", draftTitle(r, id), where)
					require.Equal(t, "forbidden", outcome(unschedule(r, actor, id)), where)
					continue
				}
				require.NoError(t, err, where)
				require.NotEqual(t, before.Request.Outcome(), v.Request.Outcome(), where)
				last := v.Actions[len(v.Actions)-1]
				require.Equal(t, review.ActionReschedule, last.Type, where)
				require.True(t, last.Actor.Same(actor.Ref()), where)
				require.True(t, approval.Verify(v.Request, v.Actions).Valid(), where)
			}
		}
	}

	r, id := request("admin", "tenant", "department")
	for _, again := range []door{
		write(core.EntryWrite{Published: ptr(true), PublishAt: &at, UnpublishAt: core.Some(end)}), write(core.EntryWrite{Published: ptr(true)}), write(title("C")),
	} {
		require.NoError(t, again(r, r.Actor("editor"), id), "the times that the request has need no permission")
	}
	require.Len(t, r.Request(id).Actions, 4)
	require.Equal(t, "scheduled_by_request", outcome(unschedule(r, r.Actor("department"), id)))
	require.Equal(t, "invalid publishAt", outcome(write(core.EntryWrite{Published: ptr(true), PublishAt: ptr(noon.Add(-time.Hour))})(r, r.Actor("department"), id)))
	for person, want := range map[string]string{"editor": "forbidden", "viewer": "forbidden", "tenant": "forbidden", "admin": "forbidden", "department": "ok"} {
		if want == "forbidden" {
			require.Equal(t, want, outcome(second(publishNow(r.Reviews, r, person, id, approval.Decision{}))), person)
		}
	}
	require.NoError(t, second(publishNow(r.Reviews, r, "department", id, approval.Decision{})), "the approver of the last step")
	require.Equal(t, "B", r.Public(id))

	r, id = request()
	require.NoError(t, unschedule(r, r.Actor("editor"), id))
	require.True(t, r.Request(id).Request.ScheduledAt.IsZero() && r.Request(id).Request.UnpublishAt.IsZero())
}

func draftTitle(r *fixture, id int64) string {
	return strings.Trim(string(r.Entry(id).Draft.Value("title")), `"`)
}
