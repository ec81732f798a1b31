package approval_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// The users that may act on a step of each kind, in a Project in the Newsroom, in Marketing or
// in no Department. 404: the user may not see the request.
func TestReviewersOfSteps(t *testing.T) {
	t.Parallel()
	type outcomes map[string]string // by user; others are not_found
	yes, no := "ok", "forbidden"
	legal := func(r *fixture) approval.StepInput { return newsroom.CustomRoleStep(1, r.Legal) }
	kind := func(role core.Role) func(*fixture) approval.StepInput {
		return func(*fixture) approval.StepInput { return newsroom.Step(1, role) }
	}
	for name, row := range map[string]struct {
		step   func(r *fixture) approval.StepInput
		place  string
		answer outcomes
	}{
		"admin": {kind(core.RoleAdmin), "Newsroom", outcomes{"super": yes, "tenant": yes, "department": yes, "admin": yes, "editor": no, "viewer": no}},
		"department admin": {kind(core.RoleDepartmentAdmin), "Newsroom",
			outcomes{"super": yes, "tenant": yes, "department": yes, "admin": no, "editor": no, "viewer": no}},
		"tenant admin": {kind(core.RoleTenantAdmin), "Newsroom",
			outcomes{"super": yes, "tenant": yes, "department": no, "admin": no, "editor": no, "viewer": no}},
		"a custom role": {legal, "Newsroom",
			outcomes{"super": no, "tenant": no, "department": no, "admin": no, "editor": no, "viewer": no, "legal": yes}},
		"department admin, moved to another department": {kind(core.RoleDepartmentAdmin), "Marketing",
			outcomes{"super": yes, "tenant": yes, "admin": no, "editor": no, "viewer": no}},
		"department admin, moved out of departments": {kind(core.RoleDepartmentAdmin), "nowhere",
			outcomes{"super": yes, "tenant": yes, "admin": no, "editor": no, "viewer": no}},
		"a custom role of a department that it left": {legal, "Marketing",
			outcomes{"super": no, "tenant": no, "admin": no, "editor": no, "viewer": no}},
		"a custom role, in no department": {legal, "nowhere",
			outcomes{"super": no, "tenant": no, "admin": no, "editor": no, "viewer": no}},
	} {
		for person := range newsroom.Users {
			t.Run(name+"/"+person, func(t *testing.T) {
				t.Parallel()
				r := setup(t)
				r.SetWorkflow(row.step(r))
				id := r.submit("A")
				switch row.place {
				case "Marketing":
					r.Move(r.Marketing.ID)
				case "nowhere":
					r.Move(0)
				}
				want, seen := row.answer[person]
				if !seen {
					want = "not_found"
				}
				v, err := r.Reviews.Current(t.Context(), r.Actor(person), r.Ref(id))
				require.Equal(t, seen, err == nil, "sees")
				if seen {
					require.Equal(t, want == yes, v.CanAct)
				}
				page, err := r.Inbox.List(t.Context(), r.Actor(person), approval.InboxFilter{})
				require.NoError(t, err)
				require.Equal(t, want == yes, page.Total == 1, "the inbox agrees")
				require.Equal(t, want, outcome(r.Approve(person, id)))
				require.Equal(t, want == yes, r.Public(id) == "A")
			})
		}
	}
}

func TestOnlyUsersDecide(t *testing.T) {
	t.Parallel()
	r := gated(t)
	id := r.submit("A")
	for _, actor := range []core.Actor{{}, r.Token(), {System: true}} {
		_, err := r.Reviews.Approve(t.Context(), actor, r.Ref(id), approval.Decision{})
		require.Contains(t, []string{"not_found", "unauthenticated"}, outcome(err))
	}
}

// A role that is revoked after the session was read has no effect.
func TestRolesAreReadAgain(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		person string
		lose   func(r *fixture)
		want   string
	}{
		"a role":      {"admin", func(r *fixture) { r.Revoke("admin", core.RoleAdmin); r.Grant("admin", core.RoleEditor) }, "forbidden"},
		"every role":  {"admin", func(r *fixture) { r.Revoke("admin", core.RoleAdmin) }, "not_found"},
		"the account": {"admin", func(r *fixture) { r.SetActive("admin", false) }, "unauthenticated"},
		"a custom role": {"legal", func(r *fixture) {
			r.OK(r.Stores.CustomRoles.Unassign(r.Context(), r.Legal.ID, r.IDs["legal"]))
		}, "not_found"},
		"a custom role that is deleted": {"legal", func(r *fixture) { r.OK(r.Stores.CustomRoles.Delete(r.Context(), r.Legal.ID)) }, "not_found"},
		"the department":                {"legal", func(r *fixture) { r.Move(r.Marketing.ID) }, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			if row.person == "legal" {
				r.SetWorkflow(newsroom.CustomRoleStep(1, r.Legal))
			} else {
				r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			}
			id := r.submit("A")
			actor, project := r.Actor(row.person), r.Project
			row.lose(r)
			_, err := r.Reviews.Approve(t.Context(), actor, review.EntryRef{Project: project, CollectionID: r.Articles.ID, ID: id}, approval.Decision{})
			require.Equal(t, row.want, outcome(err))
			require.Empty(t, r.Public(id))
			_, err = r.Writer.Unpublish(t.Context(), r.Actor("tenant"), r.Ref(id), nil, "")
			require.NoError(t, err, "a tenant admin can still withdraw it")
			require.Equal(t, review.RequestWithdrawn, r.Request(id).Request.Status)
		})
	}
}

func TestSelfApproval(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{true, false} {
		r := setup(t)
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{
			AllowSelfApproval: &allowed, Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleAdmin)},
		})
		require.NoError(t, err)
		m, err := r.Writer.Create(t.Context(), r.Actor("admin"), r.Project, r.Articles.ID, newsroom.Article("A", newsroom.Published(true)))
		require.NoError(t, err)
		id := m.ID
		want := map[bool]string{true: "ok", false: "forbidden"}[allowed]
		require.Equal(t, want, outcome(r.Approve("admin", id)), "the submitter")
		if !allowed {
			r.approveAll(id, "department")
			page, err := r.Inbox.List(t.Context(), r.Actor("department"), approval.InboxFilter{})
			require.NoError(t, err)
			require.Empty(t, page.Items)
			require.Equal(t, want, outcome(r.Approve("department", id)), "an approver of an earlier step")
			_, err = reject(r.Reviews, r, "admin", id, approval.Decision{})
			require.Equal(t, want, outcome(err), "four eyes decide, whatever the decision")
			continue
		}
		require.Equal(t, want, outcome(r.Approve("admin", id)))
		require.Equal(t, "A", r.Public(id))
	}
}

// The creator of a token counts as the submitter of its requests.
func TestTokensDoNotAllowSelfApproval(t *testing.T) {
	t.Parallel()
	later := noon.Add(time.Hour)
	create := func(r *fixture, actor core.Actor, at *time.Time) int64 {
		r.t.Helper()
		wr := newsroom.Article("A", newsroom.Published(true))
		wr.PublishAt = at
		m, err := r.Writer.Create(r.Context(), actor, r.Project, r.Articles.ID, wr)
		require.NoError(r.t, err)
		return m.ID
	}
	for name, row := range map[string]struct {
		submit func(r *fixture) int64
		want   string // of the admin, the creator of the token
	}{
		"its creator": {func(r *fixture) int64 { return create(r, r.TokenOf("admin"), nil) }, "forbidden"},
		"with a time": {func(r *fixture) int64 { return create(r, r.TokenOf("admin"), &later) }, "forbidden"},
		"others":      {func(r *fixture) int64 { return create(r, r.TokenOf("department"), nil) }, "ok"},
		"no creator":  {func(r *fixture) int64 { return create(r, r.Token(), nil) }, "ok"},
		"by a publish": {func(r *fixture) int64 {
			m := r.Create(newsroom.Article("A"))
			_, err := r.Writer.Update(r.Context(), r.TokenOf("admin"), r.Ref(m.ID), nil, core.EntryWrite{Published: ptr(true)})
			require.NoError(r.t, err)
			return m.ID
		}, "forbidden"},
		"submitted again by another": {func(r *fixture) int64 {
			id := create(r, r.TokenOf("admin"), nil)
			_, err := reject(r.Reviews, r, "department", id, approval.Decision{})
			require.NoError(r.t, err)
			r.Update(id, newsroom.Article("B", newsroom.Published(true)))
			return id
		}, "forbidden"},
		"submitted again by the token": {func(r *fixture) int64 {
			id := r.submit("A")
			_, err := reject(r.Reviews, r, "department", id, approval.Decision{})
			require.NoError(r.t, err)
			_, err = r.Writer.Update(r.Context(), r.TokenOf("admin"), r.Ref(id), nil, core.EntryWrite{Published: ptr(true)})
			require.NoError(r.t, err)
			return id
		}, "forbidden"},
		"scheduled before a workflow governed": {func(r *fixture) int64 {
			require.NoError(r.t, r.Workflows.RemoveProject(r.Context(), core.Actor{System: true}, r.Project))
			id := create(r, r.TokenOf("admin"), &later)
			strict(r)
			r.clock.pass(2 * time.Hour)
			_, _, err := r.Worker.PublishDue(r.Context())
			require.NoError(r.t, err)
			return id
		}, "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t)
			strict(r)
			id := row.submit(r)
			v, err := r.Reviews.Current(t.Context(), r.Actor("admin"), r.Ref(id))
			require.NoError(t, err)
			require.Equal(t, row.want == "ok", v.CanAct)
			page, err := r.Inbox.List(t.Context(), r.Actor("admin"), approval.InboxFilter{})
			require.NoError(t, err)
			require.Len(t, page.Items, map[string]int{"ok": 1}[row.want])
			require.Equal(t, row.want, outcome(r.Approve("admin", id)))
			if row.want != "ok" {
				r.approveAll(id, "tenant")
			}
		})
	}
}

// strict sets a workflow of one step without self-approval.
func strict(r *fixture) {
	r.t.Helper()
	_, err := r.Workflows.SetProject(r.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{
		AllowSelfApproval: ptr(false), Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)},
	})
	require.NoError(r.t, err)
}

// A step that no user could approve is flagged, in workflows, requests and inboxes.
func TestUnreachableSteps(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.SetActive("super", false)
	steps := []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.CustomRoleStep(2, r.Legal), newsroom.Step(3, core.RoleTenantAdmin)}
	set, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: steps, AllowSelfApproval: ptr(false)})
	require.NoError(t, err)
	orders := func(flagged map[int]bool) (orders []int) {
		for order := 1; order <= 3; order++ {
			if flagged[order] {
				orders = append(orders, order)
			}
		}
		return orders
	}
	require.Empty(t, orders(set.Unreachable))
	m, err := r.Writer.Create(t.Context(), r.TokenOf("tenant"), r.Project, r.Articles.ID, newsroom.Article("A", newsroom.Published(true)))
	require.NoError(t, err)
	for _, row := range []struct {
		name              string
		change            func()
		workflow, request []int
	}{
		{"the only tenant admin created the submitting token", func() {}, nil, []int{3}},
		{"the only holder is not active", func() { r.SetActive("legal", false) }, []int{2}, []int{2, 3}},
		{"no user holds the role", func() {
			r.SetActive("legal", true)
			r.OK(r.Stores.CustomRoles.Unassign(t.Context(), r.Legal.ID, r.IDs["legal"]))
		}, []int{2}, []int{2, 3}},
		{"another tenant admin", func() { r.Grant("viewer", core.RoleTenantAdmin) }, []int{2}, []int{2}},
		{"the holder again", func() { r.OK(r.Stores.CustomRoles.Assign(t.Context(), r.Legal.ID, r.IDs["legal"])) }, nil, nil},
	} {
		row.change()
		workflow, err := r.Workflows.Project(t.Context(), r.Project)
		require.NoError(t, err)
		require.Equal(t, row.workflow, orders(workflow.Unreachable), row.name)
		effective, err := r.Workflows.Effective(t.Context(), r.Project)
		require.NoError(t, err)
		require.Equal(t, row.workflow, orders(effective.Workflow.Unreachable), row.name)
		v, err := r.Reviews.Current(t.Context(), r.Actor("editor"), r.Ref(m.ID))
		require.NoError(t, err)
		require.Equal(t, row.request, orders(v.Unreachable), row.name)
		require.Len(t, v.Warnings(v.Request.Steps), len(row.request), row.name)
		for _, order := range row.request {
			require.NotEmpty(t, v.Reasons[order], row.name)
		}
		page, err := r.Inbox.List(t.Context(), r.Actor("admin"), approval.InboxFilter{})
		require.NoError(t, err)
		require.Equal(t, row.request, orders(page.Items[0].Unreachable), row.name)
		body, err := json.Marshal(wire.ApprovalRequestOf(page.Items[0]))
		require.NoError(t, err)
		require.Equal(t, len(row.request), strings.Count(string(body), `"unreachable":true`), row.name)
	}

	// Passed steps are not flagged, nor are the steps of a request that has ended.
	r.approveAll(m.ID, "admin")
	r.OK(r.Stores.Grants.Remove(t.Context(), core.Grant{UserID: r.IDs["admin"], ProjectID: r.Project.ID}))
	_, err = reject(r.Reviews, r, "legal", m.ID, approval.Decision{})
	require.NoError(t, err)
	v, err := r.Reviews.Current(t.Context(), r.Actor("editor"), r.Ref(m.ID))
	require.NoError(t, err)
	require.Empty(t, v.Unreachable)

	ofDepartment, err := r.Workflows.SetDepartment(t.Context(), core.Actor{System: true}, r.Newsroom, approval.WorkflowInput{Steps: steps})
	require.NoError(t, err)
	require.Empty(t, orders(ofDepartment.Unreachable))
}

// Requests with a step that no user can approve are counted and listed, and also those that would have
// one without a role or an account.
func TestUnreachableRequests(t *testing.T) {
	t.Parallel()
	r := setup(t)
	for _, name := range []string{"super", "tenant", "department"} {
		r.SetActive(name, false)
	}
	strict(r)
	send := func(name string) int64 {
		m, err := r.Writer.Create(t.Context(), r.Actor(name), r.Project, r.Articles.ID, newsroom.Article("By "+name, newsroom.Published(true)))
		require.NoError(t, err)
		r.clock.pass(time.Minute)
		return m.ID
	}
	list := func(name string, f approval.UnreachableFilter) (query.Page[approval.View], []int64) {
		page, err := r.Inbox.Unreachable(t.Context(), r.Actor(name), f)
		require.NoError(t, err)
		var ids []int64
		for _, v := range page.Items {
			require.Nil(t, v.Shown)
			ids = append(ids, v.Request.Item().EntryID)
		}
		return page, ids
	}
	grant := core.Grant{UserID: r.IDs["admin"], Role: core.RoleAdmin, TenantID: r.Project.TenantID, DepartmentID: r.Project.DepartmentID, ProjectID: r.Project.ID}
	above := core.Grant{UserID: r.IDs["admin"], Role: core.RoleDepartmentAdmin, TenantID: r.Project.TenantID, DepartmentID: r.Project.DepartmentID}
	// counts returns how many are unreachable, and how many more without the role, without another role, and without the account.
	counts := func() (found [4]int64) {
		user, err := r.Stores.Users.User(t.Context(), r.IDs["admin"])
		require.NoError(t, err)
		for n, count := range []func() (approval.UnreachableCount, error){
			func() (approval.UnreachableCount, error) { return r.Inbox.CountUnreachable(t.Context(), r.Project) },
			func() (approval.UnreachableCount, error) { return r.Inbox.CountAfterRemoval(t.Context(), grant) },
			func() (approval.UnreachableCount, error) { return r.Inbox.CountAfterRemoval(t.Context(), above) },
			func() (approval.UnreachableCount, error) {
				return r.Inbox.CountAfterDeactivation(t.Context(), r.Actor("admin"), user)
			},
		} {
			c, err := count()
			require.NoError(t, err)
			require.True(t, c.Complete)
			found[n] = c.Count
		}
		return found
	}
	send("editor")
	require.Equal(t, [4]int64{0, 1, 0, 1}, counts(), "the admin is the last who can decide")
	for name, want := range map[string]int64{"super": 1, "tenant": 1, "department": 0, "editor": 0} {
		c, err := r.Inbox.CountAfterDeactivation(t.Context(), r.Actor(name), core.User{ID: r.IDs["admin"]})
		require.NoError(t, err)
		require.Equal(t, want, c.Count, "%s learns of tenants that it is an admin of", name)
	}

	first, second := send("admin"), send("admin")
	require.Equal(t, [4]int64{2, 1, 0, 1}, counts(), "what is unreachable already does not become so")
	page, ids := list("viewer", approval.UnreachableFilter{})
	require.Equal(t, []int64{first, second}, ids, "oldest first")
	require.Equal(t, []any{int64(2), false}, []any{page.Total, page.HasMore})
	page, ids = list("viewer", approval.UnreachableFilter{Window: query.Window{PerPage: 1}, ProjectID: r.Project.ID})
	require.Equal(t, []any{[]int64{first}, int64(2), true}, []any{ids, page.Total, page.HasMore})
	_, ids = list("viewer", approval.UnreachableFilter{Window: query.Window{Page: 9}})
	require.Empty(t, ids)
	_, ids = list("viewer", approval.UnreachableFilter{ProjectID: r.Project.ID + 1})
	require.Empty(t, ids)
	_, ids = list("outsider", approval.UnreachableFilter{})
	require.Empty(t, ids)

	r.SetActive("tenant", true)
	require.Equal(t, [4]int64{0, 0, 0, 0}, counts(), "another user can decide")
	r.Grant("admin", core.RoleDepartmentAdmin)
	r.SetActive("tenant", false)
	require.Equal(t, [4]int64{2, 0, 0, 1}, counts(), "each role suffices, the account does not")
}
