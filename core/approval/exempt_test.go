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
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// exempting returns a newsroom whose workflow exempts the collection "tags", which exists.
func exempting(t *testing.T) (*fixture, *core.Collection) {
	t.Helper()
	r := setup(t)
	tags, err := r.Collections.Create(t.Context(), r.Actor("admin"), r.Project, definition.CollectionInput{
		Slug: "tags", Name: "Tags", Fields: []definition.FieldInput{{Name: "title", Type: core.TypeText}},
	})
	require.NoError(t, err)
	r.exempt("tags")
	return r, tags
}

// exempt sets a workflow of one step that exempts collections.
func (r *fixture) exempt(slugs ...string) {
	r.t.Helper()
	_, err := r.Workflows.SetProject(r.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{
		Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}, Exempt: slugs,
	})
	require.NoError(r.t, err)
}

// events returns the events of the project.
func (r *fixture) events() []event.Event {
	r.t.Helper()
	found, err := r.Stores.Events.Events(r.Context(), ports.EventQuery{ProjectID: r.Project.ID, Limit: 1 << 20})
	require.NoError(r.t, err)
	return found
}

// tag creates an entry of the collection and returns its id.
func (r *fixture) tag(c *core.Collection, title string, change ...func(*core.EntryWrite)) int64 {
	r.t.Helper()
	w, err := r.Writer.Create(r.Context(), r.Actor("editor"), r.Project, c.ID, newsroom.Article(title, change...))
	require.NoError(r.t, err)
	return w.ID
}

func TestExemptCollectionsArePublishedDirectly(t *testing.T) {
	t.Parallel()
	r, tags := exempting(t)
	id := r.tag(tags, "News", newsroom.Published(true))
	require.NotNil(t, r.Entry(id).Published)
	requests, err := r.Stores.Requests.EntryRequests(t.Context(), r.Project.ID, id, 1)
	require.NoError(t, err)
	require.Empty(t, requests)
	require.Empty(t, r.Public(r.submit("A")), "other collections are reviewed")

	later := r.tag(tags, "Later", newsroom.Published(true), newsroom.At(noon.Add(time.Hour)))
	r.clock.pass(2 * time.Hour)
	published, failed, err := r.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, []int{published, failed})
	require.NotNil(t, r.Entry(later).Published)
}

// An open request of an entry is decided, also if its collection is exempt by then; a schedule of a collection that is
// no longer exempt is submitted when its time comes.
func TestAChangeOfWhatIsExempt(t *testing.T) {
	t.Parallel()
	r, tags := exempting(t)
	later := r.tag(tags, "Later", newsroom.Published(true), newsroom.At(noon.Add(time.Hour)))
	article := r.submit("A")
	r.exempt("articles")
	require.Equal(t, review.RequestPending, r.Request(article).Request.Status)
	e := r.Entry(article)
	found, err := r.Workflows.EffectiveFor(t.Context(), r.Actor("editor"), r.Project, &e)
	require.NoError(t, err)
	require.False(t, found.Exempt, "its open request publishes it")
	r.approveAll(article, "admin")
	require.Equal(t, "A", r.Public(article))
	r.clock.pass(2 * time.Hour)
	_, _, err = r.Worker.PublishDue(t.Context())
	require.NoError(t, err)
	require.Nil(t, r.Entry(later).Published)
	found2, err := r.Stores.Requests.EntryRequests(t.Context(), r.Project.ID, later, 1)
	require.NoError(t, err)
	require.Len(t, found2, 1)
	e = r.Entry(article)
	found, err = r.Workflows.EffectiveFor(t.Context(), r.Actor("editor"), r.Project, &e)
	require.NoError(t, err)
	require.True(t, found.Exempt)
	require.Equal(t, "The workflow exempts the collection articles: its entries are published directly.", found.Reason)
}

func TestFaultsOfExemptCollections(t *testing.T) {
	t.Parallel()
	r := setup(t)
	many := make([]string, 101)
	for i := range many {
		many[i] = "x"
	}
	for name, row := range map[string]struct {
		slugs, want []string
	}{
		"none":      {nil, nil},
		"unknown":   {[]string{"never-was"}, nil},
		"empty":     {[]string{}, []string{"exempt.collections"}},
		"twice":     {[]string{"tags", "tags"}, []string{"exempt.collections[1]"}},
		"no slug":   {[]string{"tags", "a b", ""}, []string{"exempt.collections[1]", "exempt.collections[2]"}},
		"too many":  {many, []string{"exempt.collections"}},
		"different": {[]string{"tags", "redirects"}, nil},
	} {
		_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{
			Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}, Exempt: row.slugs,
		})
		require.Equal(t, row.want, locations(err), name)
		if row.want == nil {
			w, err := r.Workflows.Project(t.Context(), r.Project)
			require.NoError(t, err)
			require.Equal(t, row.slugs, w.Exempt, name)
		}
	}
}

// What the governing workflow names begins and ends only by those who may set it.
func TestNamesOfAWorkflow(t *testing.T) {
	t.Parallel()
	r := setup(t)
	step := newsroom.Step(1, core.RoleAdmin)
	step.When = &review.Condition{Collections: []string{r.Articles.Slug}, Fields: []string{"body", "subtitle", "@media"}}
	other := newsroom.Step(2, core.RoleAdmin)
	other.When = &review.Condition{Collections: []string{"stories"}}
	_, err := r.Workflows.SetProject(t.Context(), core.Actor{System: true}, r.Project, approval.WorkflowInput{
		Steps: []approval.StepInput{step, other, newsroom.Step(3, core.RoleAdmin)}, Exempt: []string{"tags"},
	})
	require.NoError(t, err)
	create := func(person, slug string) error {
		_, err := r.Collections.Create(t.Context(), r.Actor(person), r.Project, definition.CollectionInput{Slug: slug, Name: slug})
		return err
	}
	change := func(person string) definition.Change {
		return definition.Change{Actor: r.Actor(person), Project: r.Project, CollectionID: r.Articles.ID, Acknowledged: true}
	}
	add := func(person, name string) error {
		_, err := r.Collections.AddField(t.Context(), change(person), definition.FieldInput{Name: name, Type: core.TypeText})
		return err
	}
	remove := func(person, name string) error {
		_, err := r.Collections.RemoveField(t.Context(), change(person), name)
		return err
	}
	named := func() (count int) {
		for _, e := range r.events() {
			if e.Type == event.WorkflowNames {
				count++
			}
		}
		return count
	}
	for _, slug := range []string{"tags", "stories"} {
		require.ErrorIs(t, create("admin", slug), core.Forbidden(""), slug)
		require.ErrorIs(t, create("department", slug), core.Forbidden(""), slug)
	}
	require.NoError(t, create("admin", "other"))
	require.ErrorIs(t, add("admin", "subtitle"), core.Forbidden(""))
	require.ErrorIs(t, remove("admin", "body"), core.Forbidden(""))
	require.NoError(t, add("admin", "extra"))
	require.NoError(t, remove("admin", "extra"))
	require.Zero(t, named())
	require.NoError(t, create("tenant", "tags"))
	require.NoError(t, create("tenant", "stories"))
	require.NoError(t, add("tenant", "subtitle"))
	require.NoError(t, remove("tenant", "body"))
	require.Equal(t, 4, named())
	require.ErrorIs(t, add("admin", "body"), core.Forbidden(""), "the name of the removed field")
	_, err = r.Collections.ReviseField(t.Context(), change("admin"), "subtitle", func(in definition.FieldInput) definition.FieldInput {
		in.Label = "Subtitle"
		return in
	})
	require.NoError(t, err, "no name changes")
}

// Try says who would have to decide, and changes nothing.
func TestTry(t *testing.T) {
	t.Parallel()
	r, tags := exempting(t)
	first, title := newsroom.Step(1, core.RoleAdmin), newsroom.CustomRoleStep(2, r.Legal)
	first.When = &review.Condition{Actions: []review.ChangeAction{review.ChangeUnpublish}}
	in := approval.WorkflowInput{Steps: []approval.StepInput{first, title, newsroom.Step(3, core.RoleAdmin)}, AllowSelfApproval: ptr(false), Exempt: []string{"tags"}}
	article, tag := r.Entry(r.Create(newsroom.Article("A")).ID), r.Entry(r.tag(tags, "News"))
	try := func(person string, e *core.Entry, in *approval.WorkflowInput) (approval.Trial, error) {
		return r.Workflows.Try(t.Context(), r.Actor(person), r.Project, e, in)
	}
	before := r.events()
	saved, err := try("editor", &article, nil)
	require.NoError(t, err)
	require.Len(t, saved.Steps, 1)
	require.Contains(t, saved.Reason, "It exempts these collections, whose entries are published directly: tags.")
	exempt, err := try("viewer", &tag, nil)
	require.NoError(t, err)
	require.True(t, exempt.Exempt)
	require.Empty(t, exempt.Steps)

	_, err = try("admin", &article, &in)
	require.ErrorIs(t, err, core.Forbidden(""))
	unsaved, err := try("tenant", &article, &in)
	require.NoError(t, err)
	require.Equal(t, []bool{true, false, false}, []bool{unsaved.Steps[0].Skipped, unsaved.Steps[1].Skipped, unsaved.Steps[2].Skipped})
	require.NotEmpty(t, unsaved.Steps[0].Because())
	require.Empty(t, unsaved.Steps[0].Deciders)
	require.Equal(t, []approval.Person{{ID: r.IDs["legal"], Name: "legal"}}, unsaved.Steps[1].Deciders)
	require.Equal(t, []approval.BarredPerson{{Person: approval.Person{ID: r.IDs["tenant"], Name: "tenant"}, Reason: "tenant submitted the request"}}, unsaved.Steps[2].Barred)
	for _, d := range unsaved.Steps[2].Deciders {
		require.NotEqual(t, r.IDs["tenant"], d.ID)
	}
	faulty := in
	faulty.Exempt = []string{"a b"}
	faulty.Steps = nil
	_, err = try("tenant", &article, &faulty)
	require.Equal(t, []string{"workflow.steps", "workflow.exempt.collections[0]"}, locations(err))
	require.Equal(t, before, r.events())
	require.NoError(t, r.Workflows.RemoveProject(t.Context(), core.Actor{System: true}, r.Project))
	none, err := try("viewer", &article, nil)
	require.NoError(t, err)
	require.Empty(t, none.Steps)
	require.NotEmpty(t, none.Reason)
}

// A field of a component is named by its place in the collection.
func TestNamesInComponents(t *testing.T) {
	t.Parallel()
	r := setup(t)
	components := r.Collections.Components()
	seo, err := components.Create(t.Context(), r.Actor("admin"), r.Project, definition.CollectionInput{
		Slug: "seo", Name: "SEO", Fields: []definition.FieldInput{{Name: "title", Type: core.TypeText}, {Name: "text", Type: core.TypeText}},
	})
	require.NoError(t, err)
	change := definition.Change{Actor: r.Actor("admin"), Project: r.Project, CollectionID: r.Articles.ID}
	_, err = r.Collections.AddField(t.Context(), change, definition.FieldInput{Name: "seo", Type: core.TypeGroup, Component: "seo"})
	require.NoError(t, err)
	step := newsroom.Step(1, core.RoleAdmin)
	step.When = &review.Condition{Collections: []string{r.Articles.Slug}, Fields: []string{"seo.title"}}
	r.SetWorkflow(step, newsroom.Step(2, core.RoleAdmin))
	remove := func(person, name string) error {
		_, err := components.RemoveField(t.Context(), definition.ComponentChange{Actor: r.Actor(person), Project: r.Project, ComponentID: seo.ID}, name)
		return err
	}
	require.NoError(t, remove("admin", "text"))
	require.ErrorIs(t, remove("admin", "title"), core.Forbidden(""))
	_, err = r.Collections.RemoveField(t.Context(), change, "seo")
	require.ErrorIs(t, err, core.Forbidden(""))
	require.NoError(t, remove("tenant", "title"))
	require.Equal(t, event.WorkflowNames, r.events()[len(r.events())-3].Type, "before those of the collection and the component")
}
