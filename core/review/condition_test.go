package review_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/review"
)

// judgedPages is a collection with items, and a hidden field.
func judgedPages() *core.Collection {
	link := &core.Component{Slug: "link", Fields: []*core.Field{{Name: "label", Type: core.TypeText}, {Name: "url", Type: core.TypeURL}}}
	hero := &core.Component{Slug: "hero", Fields: []*core.Field{{Name: "title", Type: core.TypeText}, {Name: "links", Type: core.TypeGroup, Component: "link", Multiple: true}}}
	text := &core.Component{Slug: "text", Fields: []*core.Field{{Name: "body", Type: core.TypeRichText}}}
	c := &core.Collection{Slug: "pages", Fields: []*core.Field{
		{Name: "title", Type: core.TypeText},
		{Name: "note", Type: core.TypeText, Hidden: true},
		{Name: "seo", Type: core.TypeGroup, Component: "link"},
		{Name: "body", Type: core.TypeBlocks, Components: []string{"hero", "text"}, Multiple: true},
	}}
	core.ComponentsBySlug([]*core.Component{link, hero, text}).Bind(c)
	return c
}

func TestConditions(t *testing.T) {
	t.Parallel()
	c := judgedPages()
	change := func(from, to string) review.SubmittedChange {
		s := review.SubmittedChange{Collection: c, Locale: "en", First: from == ""}
		var seen core.Document
		if !s.First {
			seen = core.Document(from)
		}
		s.Places = c.ChangedPlaces(seen, core.Document(to))
		return s
	}
	gone := change(`{"title":"a"}`, ``)
	gone.Unpublish = true
	title, body := change(`{"title":"a"}`, `{"title":"b"}`), change(`{"body":[]}`, `{"body":[{"_key":"a","_type":"text","body":"x"}]}`)
	first := change("", `{"seo":{"label":"x"},"title":"a"}`)
	words := change(`{"@media":{"7":{"caption":"a"}},"title":"a"}`, `{"@media":{"7":{"caption":"b"}},"title":"a"}`)
	fields := func(places ...string) review.Condition {
		return review.Condition{Collections: []string{"pages"}, Fields: places}
	}
	actions := func(actions ...review.ChangeAction) review.Condition { return review.Condition{Actions: actions} }
	for name, row := range map[string]struct {
		when    review.Condition
		changes []review.SubmittedChange
		applies bool
	}{
		"its collection":             {review.Condition{Collections: []string{"tags", "pages"}}, []review.SubmittedChange{title}, true},
		"another collection":         {review.Condition{Collections: []string{"tags"}}, []review.SubmittedChange{title}, false},
		"its locale":                 {review.Condition{Locales: []string{"en"}}, []review.SubmittedChange{title}, true},
		"another locale":             {review.Condition{Collections: []string{"pages"}, Locales: []string{"de"}}, []review.SubmittedChange{title}, false},
		"a field":                    {fields("title"), []review.SubmittedChange{title}, true},
		"another field":              {fields("seo"), []review.SubmittedChange{title}, false},
		"one of several fields":      {fields("seo", "title"), []review.SubmittedChange{title}, true},
		"above a field":              {fields("body"), []review.SubmittedChange{body}, true},
		"a component":                {fields("body.text"), []review.SubmittedChange{body}, true},
		"a field of a component":     {fields("body.text.body"), []review.SubmittedChange{body}, true},
		"of another component":       {fields("body.hero"), []review.SubmittedChange{body}, false},
		"a first time, its field":    {fields("title"), []review.SubmittedChange{first}, true},
		"a first time, in a group":   {fields("seo.label"), []review.SubmittedChange{first}, true},
		"a first time, no value":     {fields("body"), []review.SubmittedChange{first}, false},
		"a field that is gone":       {fields("subtitle"), []review.SubmittedChange{title}, true},
		"a hidden field":             {fields("note"), []review.SubmittedChange{title}, true},
		"a part that is gone":        {fields("body.gone.x"), []review.SubmittedChange{title}, true},
		"gone, another collection":   {review.Condition{Collections: []string{"tags"}, Fields: []string{"subtitle"}}, []review.SubmittedChange{title}, false},
		"words of media":             {fields(core.MediaMember), []review.SubmittedChange{words}, true},
		"no words of media":          {fields(core.MediaMember), []review.SubmittedChange{title}, false},
		"a name that only begins so": {fields("title"), []review.SubmittedChange{{Collection: c, Locale: "en", Places: []string{"titles"}}}, false},
		"first":                      {actions(review.ChangeFirst), []review.SubmittedChange{first}, true},
		"not first":                  {actions(review.ChangeFirst), []review.SubmittedChange{title}, false},
		"publish":                    {actions(review.ChangePublish), []review.SubmittedChange{title}, true},
		"publish a first time":       {actions(review.ChangePublish), []review.SubmittedChange{first}, true},
		"publish, not unpublish":     {actions(review.ChangePublish, review.ChangeFirst), []review.SubmittedChange{gone}, false},
		"unpublish":                  {actions(review.ChangeUnpublish), []review.SubmittedChange{gone}, true},
		"unpublish a field":          {fields("title"), []review.SubmittedChange{gone}, true},
		"one of several changes":     {actions(review.ChangeUnpublish), []review.SubmittedChange{title, gone}, true},
		"members of one change":      {review.Condition{Collections: []string{"pages"}, Fields: []string{"title"}, Actions: []review.ChangeAction{review.ChangeFirst}}, []review.SubmittedChange{title, {Collection: c, First: true, Places: []string{"body"}}}, false},
	} {
		steps := []review.Step{{Order: 1, When: &row.when}, {Order: 2}}
		judged := review.Judge(steps, row.changes)
		require.Equal(t, row.applies, !judged[0].Skipped, name)
		require.False(t, judged[1].Skipped)
		require.False(t, steps[0].Skipped, "the workflow stays as it is")
	}
}

// A request waits only at steps that apply, and the last of them ends the review.
// What a version changed is shown without the fields that are secret by now, also those that were when they were removed.
func TestPlacesThatAreShown(t *testing.T) {
	t.Parallel()
	link := &core.Component{Slug: "link", Fields: []*core.Field{{Name: "label", Type: core.TypeText}, {Name: "key", Type: core.TypeText, Hidden: true}}}
	hero := &core.Component{Slug: "hero", Fields: []*core.Field{{Name: "title", Type: core.TypeText}, {Name: "cta", Type: core.TypeGroup, Component: "link"}}}
	c := &core.Collection{
		Fields: []*core.Field{
			{Name: "title", Type: core.TypeText},
			{Name: "note", Type: core.TypeText, Hidden: true},
			{Name: "again", Type: core.TypeText},
			{Name: "seo", Type: core.TypeGroup, Component: "link"},
			{Name: "body", Type: core.TypeBlocks, Components: []string{"hero"}, Multiple: true},
		},
		Removed: []*core.Field{{Name: "was", Type: core.TypePassword}, {Name: "old", Type: core.TypeText}, {Name: "again", Type: core.TypeText, Hidden: true}},
	}
	core.ComponentsBySlug([]*core.Component{link, hero}).Bind(c)
	for place, shown := range map[string]bool{
		"title": true, "note": false, "old": true, "was": false, "again": true, "unknown": true, core.MediaMember: true,
		"seo": true, "seo.label": true, "seo.key": false,
		"body": true, "body.hero": true, "body.hero.title": true, "body.hero.cta.label": true, "body.hero.cta.key": false, "body.gone.key": true,
	} {
		require.Equal(t, shown, c.ShowsPlace(place), place)
	}
}

func TestSkippedSteps(t *testing.T) {
	t.Parallel()
	r := review.Request{Status: review.RequestPending, Steps: []review.Step{
		{Order: 1, Skipped: true}, {Order: 2}, {Order: 2, Skipped: true}, {Order: 3, Label: "last"}, {Order: 3, Skipped: true}, {Order: 4, Skipped: true},
	}}
	r.Start()
	require.Equal(t, []int{2}, r.OpenSteps())
	require.Zero(t, r.Lacks(1))
	require.Equal(t, []review.Step{{Order: 3, Label: "last"}}, r.LastSteps())
	require.False(t, r.Approve(review.Approval{StepID: 2, Person: 5}))
	require.Equal(t, []int{4}, r.OpenSteps())
	require.True(t, r.Arrived())
	require.True(t, r.Approve(review.Approval{StepID: 4, Person: 6}))
	require.Equal(t, 3, r.Current)
}
