package review_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/review"
)

// The people of the matrix: every kind of user that can come to a request.
const (
	submitter int64 = iota + 1
	contributor
	adminA
	adminB
	departmentHead
	tenantHead
	superUser
	holder
	viewer
	delegateOfA        // of adminA, a viewer
	delegateOfTwo      // of adminA and adminB, a viewer
	delegateOfHolder   // of the holder of the custom role, a viewer
	delegateOfHead     // of departmentHead, an admin of the Project as well
	submittersDelegate // of the submitter, who is an admin, a viewer
	submitterLent      // the submitter, to whom adminA lends
	elsewhereDelegate  // of adminA, in another Project
	chained            // of delegateOfA, who has no role that decides
)

var matrixPeople = map[string]int64{
	"submitter": submitter, "contributor": contributor, "adminA": adminA, "adminB": adminB, "departmentHead": departmentHead, "tenantHead": tenantHead, "super": superUser,
	"holder": holder, "viewer": viewer, "delegateOfA": delegateOfA, "delegateOfTwo": delegateOfTwo, "delegateOfHolder": delegateOfHolder, "delegateOfHead": delegateOfHead,
	"submittersDelegate": submittersDelegate, "submitterLent": submitter, "elsewhereDelegate": elsewhereDelegate, "chained": chained,
}

var matrixProject = &core.Project{ID: 5, TenantID: 1, DepartmentID: 3}

func grantOf(role core.Role) []core.Grant {
	g := core.Grant{Role: role, TenantID: 1}
	switch role {
	case core.RoleTenantAdmin:
	case core.RoleDepartmentAdmin:
		g.DepartmentID = 3
	default:
		g.DepartmentID, g.ProjectID = 3, 5
	}
	return []core.Grant{g}
}

var legalRole = core.CustomRole{ID: 9, TenantID: 1, DepartmentID: 3}

// matrixActor returns the named user of the matrix.
func matrixActor(name string) core.Actor {
	lender := func(id, from int64, role core.Role, of ...core.CustomRole) core.Lender {
		l := core.Lender{Delegation: core.Delegation{ID: id, From: core.ActorRef{Kind: "user", ID: from}}, CustomRoles: of}
		if role != "" {
			l.Grants = grantOf(role)
		}
		return l
	}
	actor := core.Actor{User: &core.User{ID: matrixPeople[name], SuperAdmin: name == "super"}, Grants: grantOf(core.RoleViewer)}
	switch name {
	case "submitter", "contributor", "adminA", "adminB":
		actor.Grants = grantOf(core.RoleAdmin)
	case "departmentHead":
		actor.Grants = grantOf(core.RoleDepartmentAdmin)
	case "tenantHead":
		actor.Grants = grantOf(core.RoleTenantAdmin)
	case "super", "holder":
		if actor.Grants = nil; name == "holder" {
			actor.CustomRoles = []core.CustomRole{legalRole}
		}
	case "delegateOfA":
		actor.Lent = []core.Lender{lender(1, adminA, core.RoleAdmin)}
	case "delegateOfTwo":
		actor.Lent = []core.Lender{lender(1, adminA, core.RoleAdmin), lender(2, adminB, core.RoleAdmin)}
	case "delegateOfHolder":
		actor.Lent = []core.Lender{lender(1, holder, "", legalRole)}
	case "delegateOfHead":
		actor.Grants, actor.Lent = grantOf(core.RoleAdmin), []core.Lender{lender(1, departmentHead, core.RoleDepartmentAdmin)}
	case "submittersDelegate":
		actor.Lent = []core.Lender{lender(1, submitter, core.RoleAdmin)}
	case "submitterLent":
		actor.Lent = []core.Lender{lender(1, adminA, core.RoleAdmin)}
	case "elsewhereDelegate":
		actor.Lent = []core.Lender{lender(1, adminA, core.RoleAdmin)}
		actor.Lent[0].ProjectIDs = []int64{6}
	case "chained":
		actor.Lent = []core.Lender{lender(1, delegateOfA, core.RoleViewer)} // what others lend to delegateOfA is not lent again
	}
	return actor
}

// matrixRows say for kinds of steps and states who may decide and why not, written from the contract and not from
// the code. A cell is "own", "for <ids>" or why not; "-" stands for a role that the user does not have. "late" stands for
// "own" and for "for" that are so by escalation only. Steps have been open for 48 hours.
var matrixRows = []struct {
	name      string
	step      review.Step
	self      bool
	approvals []review.Approval // of step 1, to whose order the step belongs unless it is later
	earlier   bool              // the approvals are of an earlier step
	want      string
}{
	{
		"an admin step", review.Step{RoleKind: core.RoleAdmin}, false, nil, false,
		"submitter:submitter contributor:contributor adminA:own adminB:own departmentHead:own tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:- delegateOfTwo:- delegateOfHolder:- delegateOfHead:own submittersDelegate:- submitterLent:- elsewhereDelegate:- chained:-",
	},
	{
		"a delegable admin step", review.Step{RoleKind: core.RoleAdmin, Delegable: true}, false, nil, false,
		"submitter:submitter contributor:contributor adminA:own adminB:own departmentHead:own tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:for3 delegateOfTwo:for3,4 delegateOfHolder:- delegateOfHead:own,for5 submittersDelegate:lender submitterLent:submitter elsewhereDelegate:- chained:-",
	},
	{
		"with self-approval", review.Step{RoleKind: core.RoleAdmin, Delegable: true}, true, nil, false,
		"submitter:own contributor:own adminA:own adminB:own departmentHead:own tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:for3 delegateOfTwo:for3,4 delegateOfHolder:- delegateOfHead:own,for5 submittersDelegate:for1 submitterLent:for3 elsewhereDelegate:- chained:-",
	},
	{
		"a delegable step of a department admin", review.Step{RoleKind: core.RoleDepartmentAdmin, Delegable: true}, false, nil, false,
		"submitter:- contributor:- adminA:- adminB:- departmentHead:own tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:- delegateOfTwo:- delegateOfHolder:- delegateOfHead:for5 submittersDelegate:- submitterLent:- elsewhereDelegate:- chained:-",
	},
	{
		"a delegable step of a custom role", review.Step{RoleKind: core.RoleAdmin, CustomRoleID: 9, Delegable: true}, false, nil, false,
		"submitter:- contributor:- adminA:- adminB:- departmentHead:- tenantHead:- super:- holder:own viewer:- " +
			"delegateOfA:- delegateOfTwo:- delegateOfHolder:for8 delegateOfHead:- submittersDelegate:- submitterLent:- elsewhereDelegate:- chained:-",
	},
	{
		"adminA approved one of two", review.Step{RoleKind: core.RoleAdmin, Delegable: true, Approvals: 2}, true, []review.Approval{{StepID: 1, Person: adminA}}, false,
		"submitter:own contributor:own adminA:seated adminB:own departmentHead:own tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:lenderSeated delegateOfTwo:for4 delegateOfHolder:- delegateOfHead:own,for5 submittersDelegate:for1 submitterLent:lenderSeated elsewhereDelegate:- chained:-",
	},
	{
		"delegateOfTwo approved for adminA", review.Step{RoleKind: core.RoleAdmin, Delegable: true, Approvals: 3}, true, []review.Approval{{StepID: 1, Person: delegateOfTwo, For: adminA}}, false,
		"submitter:own contributor:own adminA:seated adminB:own departmentHead:own tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:lenderSeated delegateOfTwo:seated delegateOfHolder:- delegateOfHead:own,for5 submittersDelegate:for1 submitterLent:lenderSeated elsewhereDelegate:- chained:-",
	},
	{
		"delegateOfTwo approved an earlier step for adminA", review.Step{RoleKind: core.RoleAdmin, Delegable: true}, false, []review.Approval{{StepID: 1, Person: delegateOfTwo, For: adminA}}, true,
		"submitter:submitter contributor:contributor adminA:approver adminB:own departmentHead:own tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:lender delegateOfTwo:approver delegateOfHolder:- delegateOfHead:own,for5 submittersDelegate:lender submitterLent:submitter elsewhereDelegate:- chained:-",
	},
	{
		"that, with self-approval", review.Step{RoleKind: core.RoleAdmin, Delegable: true}, true, []review.Approval{{StepID: 1, Person: delegateOfTwo, For: adminA}}, true,
		"submitter:own contributor:own adminA:own adminB:own departmentHead:own tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:for3 delegateOfTwo:for3,4 delegateOfHolder:- delegateOfHead:own,for5 submittersDelegate:for1 submitterLent:for3 elsewhereDelegate:- chained:-",
	},
	{
		"a step that is not escalated to admins yet", review.Step{RoleKind: core.RoleTenantAdmin, Delegable: true, Escalate: &review.Escalation{After: 49, RoleKind: core.RoleAdmin}}, false, nil, false,
		"submitter:- contributor:- adminA:- adminB:- departmentHead:- tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:- delegateOfTwo:- delegateOfHolder:- delegateOfHead:- submittersDelegate:- submitterLent:- elsewhereDelegate:- chained:-",
	},
	{
		"a step that is escalated to admins", review.Step{RoleKind: core.RoleTenantAdmin, Delegable: true, Escalate: &review.Escalation{After: 48, RoleKind: core.RoleAdmin}}, false, nil, false,
		"submitter:submitter contributor:contributor adminA:late adminB:late departmentHead:late tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:late3 delegateOfTwo:late3,late4 delegateOfHolder:- delegateOfHead:late,late5 submittersDelegate:lender submitterLent:submitter elsewhereDelegate:- chained:-",
	},
	{
		"one that is not delegable", review.Step{RoleKind: core.RoleTenantAdmin, Escalate: &review.Escalation{After: 48, RoleKind: core.RoleAdmin}}, false, nil, false,
		"submitter:submitter contributor:contributor adminA:late adminB:late departmentHead:late tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:- delegateOfTwo:- delegateOfHolder:- delegateOfHead:late submittersDelegate:- submitterLent:- elsewhereDelegate:- chained:-",
	},
	{
		"one of which adminA approved one of two by escalation", review.Step{RoleKind: core.RoleTenantAdmin, Delegable: true, Approvals: 2, Escalate: &review.Escalation{After: 48, RoleKind: core.RoleAdmin}},
		true, []review.Approval{{StepID: 1, Person: adminA}}, false,
		"submitter:late contributor:late adminA:seated adminB:late departmentHead:late tenantHead:own super:own holder:- viewer:- " +
			"delegateOfA:lenderSeated delegateOfTwo:late4 delegateOfHolder:- delegateOfHead:late,late5 submittersDelegate:late1 submitterLent:lenderSeated elsewhereDelegate:- chained:-",
	},
	{
		"a step of a custom role that is escalated to department admins", review.Step{RoleKind: core.RoleAdmin, CustomRoleID: 9, Delegable: true, Escalate: &review.Escalation{After: 1, RoleKind: core.RoleDepartmentAdmin}},
		false, nil, false,
		"submitter:- contributor:- adminA:- adminB:- departmentHead:late tenantHead:late super:late holder:own viewer:- " +
			"delegateOfA:- delegateOfTwo:- delegateOfHolder:for8 delegateOfHead:late5 submittersDelegate:- submitterLent:- elsewhereDelegate:- chained:-",
	},
	{
		"a step that is escalated to a custom role", review.Step{RoleKind: core.RoleDepartmentAdmin, Delegable: true, Escalate: &review.Escalation{After: 1, RoleKind: core.RoleAdmin, CustomRoleID: 9}}, false, nil, false,
		"submitter:- contributor:- adminA:- adminB:- departmentHead:own tenantHead:own super:own holder:late viewer:- " +
			"delegateOfA:- delegateOfTwo:- delegateOfHolder:late8 delegateOfHead:for5 submittersDelegate:- submitterLent:- elsewhereDelegate:- chained:-",
	},
}

// TestMatrixOfDecisions compares StandingOf with a table of who may decide.
func TestMatrixOfDecisions(t *testing.T) {
	t.Parallel()
	reasons := map[review.Refusal]string{
		review.RefusedRole: "-", review.RefusedSubmitter: "submitter", review.RefusedContributor: "contributor", review.RefusedApprover: "approver", review.RefusedSeated: "seated",
		review.RefusedLender: "lender", review.RefusedLenderSeated: "lenderSeated", review.RefusedEnded: "ended", review.RefusedWaits: "waits",
	}
	cell := func(s review.Standing) string {
		var parts, lenders []string
		switch {
		case len(s.Late) > 0:
			parts = append(parts, "late")
		case len(s.Own) > 0:
			parts = append(parts, "own")
		}
		for _, b := range s.Behalf {
			name := fmt.Sprint(b.Person.ID)
			switch {
			case b.Late:
				name = "late" + name
			case len(lenders) == 0:
				name = "for" + name
			}
			lenders = append(lenders, name)
		}
		parts = append(parts, lenders...)
		if len(s.Steps) == 0 {
			return reasons[s.Refusal]
		}
		return strings.Join(parts, ",")
	}
	for _, row := range matrixRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := &review.Request{
				Status: review.RequestPending, Steps: []review.Step{row.step}, AllowSelfApproval: row.self, Approvals: row.approvals,
				SubmittedBy: core.ActorRef{Kind: "user", ID: submitter}, Contributors: []core.ActorRef{{Kind: "token", ID: 40, MadeBy: contributor}},
			}
			r.Steps[0].Order = 1
			r.OpenSince = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			r.ReadAt = r.OpenSince.Add(48 * time.Hour)
			if row.earlier {
				r.Steps, r.Current = []review.Step{{Order: 1, RoleKind: core.RoleAdmin, Delegable: true}, row.step}, 1
				r.Steps[1].Order = 2
			}
			for want := range strings.FieldsSeq(row.want) {
				name, expected, _ := strings.Cut(want, ":")
				actor := matrixActor(name)
				standing := r.StandingOf(actor, matrixProject)
				require.Equal(t, expected, cell(standing), name)
				checkFor(t, r, actor, standing)
				for status, refusal := range map[review.RequestStatus]review.Refusal{review.RequestApproved: review.RefusedWaits, review.RequestRejected: review.RefusedEnded, review.RequestPublished: review.RefusedEnded} {
					ended := *r
					ended.Status = status
					require.Equal(t, review.Standing{Refusal: refusal}, ended.StandingOf(actor, matrixProject), name)
				}
			}
			token := core.Actor{Token: &core.Token{ID: 1, CreatedBy: adminA}}
			require.Equal(t, "-", cell(r.StandingOf(token, matrixProject)))
		})
	}
}

// checkFor checks that decisions on behalf of one user are those of the standing, and that the own name comes first.
func checkFor(t *testing.T, r *review.Request, actor core.Actor, standing review.Standing) {
	t.Helper()
	for _, id := range standing.Steps {
		as := standing.As(id)
		require.Equal(t, len(standing.Own) > 0, as == nil)
		if as != nil {
			require.Equal(t, standing.Behalf[0], *as, "the oldest delegation")
		}
	}
	for user := range int64(20) {
		only := r.StandingFor(actor, matrixProject, user)
		require.Empty(t, only.Own)
		var want []review.Behalf
		for _, b := range standing.Behalf {
			if b.Person.ID == user {
				want = append(want, b)
			}
		}
		require.Equal(t, want, only.Behalf, "on behalf of %d", user)
	}
}

func TestDelegationsCover(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		d    core.Delegation
		want bool
	}{
		"everything":               {core.Delegation{}, true},
		"its Project":              {core.Delegation{ProjectIDs: []int64{4, 5}}, true},
		"other Projects":           {core.Delegation{ProjectIDs: []int64{4}}, false},
		"its Department":           {core.Delegation{DepartmentIDs: []int64{3}}, true},
		"another Department":       {core.Delegation{DepartmentIDs: []int64{2}}, false},
		"set in its Department":    {core.Delegation{Within: 3}, true},
		"set in another one":       {core.Delegation{Within: 2}, false},
		"for another Project":      {core.Delegation{Within: 3, ProjectIDs: []int64{4}}, false},
		"that left the Department": {core.Delegation{Within: 2, ProjectIDs: []int64{5}}, false},
	} {
		require.Equal(t, row.want, row.d.Covers(matrixProject), name)
	}
	alone := &core.Project{ID: 5, TenantID: 1}
	require.False(t, (&core.Delegation{DepartmentIDs: []int64{0}}).Covers(alone))
}

// An admin of a Department lends no more than that admin has, whatever roles the other user gets later.
func TestCeilingOfDelegations(t *testing.T) {
	t.Parallel()
	held := []account.HeldRole{
		{Grant: core.Grant{UserID: 4, Role: core.RoleTenantAdmin, TenantID: 1}},
		{Grant: core.Grant{UserID: 4, Role: core.RoleAdmin, TenantID: 1, DepartmentID: 3, ProjectID: 5}},
		{Grant: core.Grant{UserID: 4, TenantID: 1, DepartmentID: 3}, CustomRole: core.CustomRole{ID: 9}},
		{Grant: core.Grant{UserID: 6, Role: core.RoleAdmin, TenantID: 1, DepartmentID: 3, ProjectID: 5}},
	}
	user := &core.User{ID: 4, SuperAdmin: true}
	all := review.LenderOf(core.Delegation{}, user, held)
	require.True(t, all.SuperAdmin)
	require.Len(t, all.Grants, 2)
	require.Equal(t, []core.CustomRole{legalRole}, all.CustomRoles)
	below := review.LenderOf(core.Delegation{Ceiling: core.RoleDepartmentAdmin}, user, held)
	require.False(t, below.SuperAdmin)
	require.Equal(t, []core.Grant{held[1].Grant}, below.Grants)
	require.Equal(t, []core.CustomRole{legalRole}, below.CustomRoles)
}
