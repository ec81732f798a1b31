package approval_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

func locations(err error) []string {
	var fault *core.Error
	if !errors.As(err, &fault) {
		return nil
	}
	all := []string{}
	for _, f := range fault.Fields {
		all = append(all, f.Location)
	}
	return all
}

func TestWorkflowFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	r := setup(t)
	many := make([]approval.StepInput, review.MaxSteps+1)
	for i := range many {
		many[i] = newsroom.Step(i+1, core.RoleAdmin)
	}
	labelled := newsroom.Step(1, core.RoleAdmin)
	labelled.StepLabel = ptr(strings.Repeat("é", 201))
	broken := newsroom.Step(1, core.RoleAdmin)
	broken.StepLabel = ptr("a\nb")
	approvals := func(n int) approval.StepInput {
		step := newsroom.Step(1, core.RoleAdmin)
		step.Approvals = &n
		return step
	}
	for name, row := range map[string]struct {
		place string
		steps []approval.StepInput
		want  []string
	}{
		"no steps":                          {"Newsroom", nil, []string{"steps"}},
		"too many steps":                    {"Newsroom", many, []string{"steps"}},
		"the maximum of steps":              {"Newsroom", many[1:], nil},
		"several faults":                    {"Newsroom", []approval.StepInput{newsroom.Step(0, "editor"), newsroom.Step(2, core.RoleAdmin), newsroom.Step(2, ""), newsroom.CustomRoleStep(-1, r.Brand)}, []string{"steps[0].stepOrder", "steps[0].requiredRoleKind", "steps[2].requiredRoleKind", "steps[3].stepOrder", "steps[3].requiredCustomRoleId"}},
		"no approvals":                      {"Newsroom", []approval.StepInput{approvals(0)}, []string{"steps[0].approvals"}},
		"too many approvals":                {"Newsroom", []approval.StepInput{newsroom.Step(1, core.RoleAdmin), approvals(21)}, []string{"steps[1].approvals"}},
		"the maximum of approvals":          {"Newsroom", []approval.StepInput{newsroom.Step(1, core.RoleAdmin), approvals(20)}, nil},
		"a long label":                      {"Newsroom", []approval.StepInput{labelled}, []string{"steps[0].stepLabel"}},
		"a label with line breaks":          {"Newsroom", []approval.StepInput{broken}, []string{"steps[0].stepLabel"}},
		"a role of another department":      {"Newsroom", []approval.StepInput{newsroom.CustomRoleStep(1, r.Brand)}, []string{"steps[0].requiredCustomRoleId"}},
		"an unknown role":                   {"Newsroom", []approval.StepInput{newsroom.CustomRoleStep(1, core.CustomRole{ID: 9999})}, []string{"steps[0].requiredCustomRoleId"}},
		"no department, a custom role":      {"nowhere", []approval.StepInput{newsroom.CustomRoleStep(1, r.Legal)}, []string{"steps[0].requiredCustomRoleId"}},
		"no department, a department admin": {"nowhere", []approval.StepInput{newsroom.Step(1, core.RoleDepartmentAdmin)}, []string{"steps[0].requiredRoleKind"}},
		"no department, valid roles":        {"nowhere", []approval.StepInput{newsroom.Step(1, core.RoleAdmin), newsroom.Step(2, core.RoleTenantAdmin)}, nil},
	} {
		if row.place == "nowhere" {
			r.Move(0)
		} else {
			r.Move(r.Newsroom.ID)
		}
		before, _ := r.Workflows.Project(t.Context(), r.Project)
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: row.steps})
		require.Equal(t, row.want, locations(err), name)
		if row.want != nil {
			require.ErrorIs(t, err, core.ErrInvalid)
			after, _ := r.Workflows.Project(t.Context(), r.Project)
			require.Equal(t, before, after, "a refused workflow changes nothing")
		}
	}
}

func TestWorkflowDefaults(t *testing.T) {
	t.Parallel()
	r := setup(t)
	_, err := r.Workflows.Department(t.Context(), r.Newsroom)
	require.ErrorIs(t, err, core.ErrNotFound)
	require.ErrorIs(t, r.Workflows.RemoveDepartment(t.Context(), core.Actor{System: true}, r.Newsroom), core.ErrNotFound)
	step := newsroom.CustomRoleStep(7, r.Legal)
	step.AllowRejection = ptr(false)
	w, err := r.Workflows.SetDepartment(t.Context(), core.Actor{System: true}, r.Newsroom, approval.WorkflowInput{Steps: []approval.StepInput{step}})
	require.NoError(t, err)
	require.Equal(t, review.Workflow{
		DepartmentID: r.Newsroom.ID, AllowSelfApproval: true, UpdatedAt: noon,
		Steps: []review.Step{{Order: 7, RoleKind: core.RoleTenantAdmin, CustomRoleID: r.Legal.ID, AllowRevision: true}},
	}, w.Workflow)
	kept, err := r.Workflows.Department(t.Context(), r.Newsroom)
	require.NoError(t, err)
	require.Equal(t, w, kept)
	require.NoError(t, r.Workflows.RemoveDepartment(t.Context(), core.Actor{System: true}, r.Newsroom))
	_, err = r.Workflows.Project(t.Context(), r.Project)
	require.ErrorIs(t, err, core.ErrNotFound)
}
