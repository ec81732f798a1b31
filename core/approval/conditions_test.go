package approval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

func TestFaultsOfConditions(t *testing.T) {
	t.Parallel()
	r := setup(t)
	many := make([]string, 101)
	for i := range many {
		many[i] = "x"
	}
	for name, row := range map[string]struct {
		when review.Condition
		want []string
	}{
		"nothing":            {review.Condition{}, []string{"steps[1].when"}},
		"everything":         {review.Condition{Collections: []string{"articles"}, Locales: []string{"en", "de-CH"}, Fields: []string{"title", "seo.title", "@media"}, Actions: review.ChangeActions}, nil},
		"empty lists":        {review.Condition{Collections: []string{}, Locales: []string{}, Actions: []review.ChangeAction{}}, []string{"steps[1].when.collections", "steps[1].when.locales", "steps[1].when.actions"}},
		"an unknown action":  {review.Condition{Actions: []review.ChangeAction{"first", "trash"}}, []string{"steps[1].when.actions[1]"}},
		"twice":              {review.Condition{Collections: []string{"a", "a"}}, []string{"steps[1].when.collections[1]"}},
		"no collection":      {review.Condition{Fields: []string{"title"}}, []string{"steps[1].when.fields"}},
		"two collections":    {review.Condition{Collections: []string{"a", "b"}, Fields: []string{"title"}}, []string{"steps[1].when.fields"}},
		"no places":          {review.Condition{Collections: []string{"a"}, Fields: []string{"body[1].x", "", ".", "a..b"}}, []string{"steps[1].when.fields[0]", "steps[1].when.fields[1]", "steps[1].when.fields[2]", "steps[1].when.fields[3]"}},
		"no names":           {review.Condition{Collections: []string{"a b"}, Locales: []string{"<en>"}}, []string{"steps[1].when.collections[0]", "steps[1].when.locales[0]"}},
		"too many":           {review.Condition{Locales: many}, []string{"steps[1].when.locales"}},
		"what is not there":  {review.Condition{Collections: []string{"never"}, Fields: []string{"was"}}, nil},
		"a single condition": {review.Condition{Locales: []string{"en"}}, nil},
	} {
		step := newsroom.Step(2, core.RoleAdmin)
		step.When = &row.when
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin), step}})
		require.Equal(t, row.want, locations(err), name)
		if row.want == nil {
			w, err := r.Workflows.Project(t.Context(), r.Project)
			require.NoError(t, err)
			require.Equal(t, &row.when, w.Steps[1].When, name)
		}
	}
	only := newsroom.Step(1, core.RoleAdmin)
	only.When = &review.Condition{Locales: []string{"en"}}
	_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{Steps: []approval.StepInput{only, only}})
	require.Equal(t, []string{"steps"}, locations(err))
}

// A step with a condition on the first publication applies once; one on a field only if the field changes. Steps that
// do not apply wait for nobody, and the request keeps what was judged at its submission.
func TestConditionalSteps(t *testing.T) {
	t.Parallel()
	r := setup(t)
	first, title, last := newsroom.Step(1, core.RoleTenantAdmin), newsroom.CustomRoleStep(2, r.Legal), newsroom.Step(3, core.RoleAdmin)
	first.When = &review.Condition{Actions: []review.ChangeAction{review.ChangeFirst}}
	title.When = &review.Condition{Collections: []string{r.Articles.Slug}, Fields: []string{"title"}}
	r.SetWorkflow(first, title, last)
	id := r.submit("A")
	v := r.Request(id)
	require.Equal(t, 3, v.Request.RecordFormat)
	require.Equal(t, []int{1}, v.Request.OpenSteps())
	r.approveAll(id, "tenant", "legal", "admin")
	require.Equal(t, "A", r.Public(id))

	r.Update(id, newsroom.Article("B", newsroom.Published(true)))
	v = r.Request(id)
	require.Equal(t, []bool{true, false, false}, []bool{v.Request.Steps[0].Skipped, v.Request.Steps[1].Skipped, v.Request.Steps[2].Skipped})
	require.Equal(t, []int{2}, v.Request.OpenSteps())
	require.Equal(t, "forbidden", outcome(r.Approve("tenant", id)), "the step does not apply")
	r.SetWorkflow(newsroom.Step(1, core.RoleTenantAdmin)) // open requests keep what was judged
	r.approveAll(id, "legal", "admin")
	require.Equal(t, "B", r.Public(id))
	audit, err := r.Reviews.Audit(t.Context(), r.Actor("admin"), r.Ref(id))
	require.NoError(t, err)
	require.Empty(t, audit.Faults)
	steps := audit.Record().Terms.Steps
	require.Equal(t, []bool{false, true, true}, []bool{*steps[0].Applies, *steps[1].Applies, *steps[2].Applies})
	require.Equal(t, first.When, steps[0].When)
}
