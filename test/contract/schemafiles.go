package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/core/event"
	"imprimatur/core/publishing"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/webhook"
	"imprimatur/core/writing"
)

// noon is a ports.Clock that stands still.
type noon struct{}

func (noon) Now() time.Time { return at(1) }

// schemas are the parts that files of definitions need, for one Project.
type schemas struct {
	*fixture
	planner *schema.Planner
	writer  *writing.Writer
}

func newSchemas(t reporter, w *fixture) *schemas {
	t.Helper()
	publisher := publishing.New(noon{}, nil)
	requests := approval.NewRequests(publisher)
	definitions := definition.NewCollections(w.Stores, w.tx, requests, noon{})
	return &schemas{
		fixture: w, planner: schema.NewPlanner(definitions, w.Stores, w.tx),
		writer: writing.NewWriter(w.Stores, w.tx, w.Stores.Collections, requests, publisher, nil),
	}
}

func (s *schemas) pull(t reporter) schema.Schema {
	t.Helper()
	return result(s.planner.Pull(t.Context(), s.project))(t)
}

func (s *schemas) plan(t reporter, text string) schema.Plan {
	t.Helper()
	plan, err := s.planner.Plan(t.Context(), core.SystemActor, s.project, []byte(text))
	if err != nil {
		t.Fatalf("plan: %v\n%s", explained(err), text)
	}
	return plan
}

func (s *schemas) apply(t reporter, text string) schema.Plan {
	t.Helper()
	plan, err := s.planner.Apply(t.Context(), core.SystemActor, s.project, []byte(text), schema.Options{Base: s.pull(t).Base, Acknowledge: true, AllowRemove: true})
	if err != nil {
		t.Fatalf("apply: %v\n%s", explained(err), text)
	}
	return plan
}

// refuses requires that applying the file fails with the code.
func (s *schemas) refuses(t reporter, text, code string, opts schema.Options) *core.Error {
	t.Helper()
	_, err := s.planner.Apply(t.Context(), core.SystemActor, s.project, []byte(text), opts)
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("got %v, want %s", explained(err), code)
	}
	return e
}

// explained returns err with its fields.
func explained(err error) string {
	text := fmt.Sprint(err)
	if e, ok := errors.AsType[*core.Error](err); ok {
		for _, f := range e.Fields {
			text += "\n" + f.Location + ": " + f.Message
		}
	}
	return text
}

// SchemaFiles checks that schema.Planner makes the definitions of a Project those of a file.
func SchemaFiles(t *testing.T, open Factory) {
	run(t, open, cases{
		"pairs of files": func(t *testing.T, w *fixture) {
			rapid.Check(t, func(rt *rapid.T) {
				other := w.otherProject(rt)
				newSchemas(rt, other).pair(rt)
			})
		},
		"names what moved, what never changes and what is removed": func(t *testing.T, w *fixture) {
			s := newSchemas(t, w)
			first := "format: 1\ncomponents: []\ncollections:\n  - key: news\n    name: News\n    fields:\n      - name: title\n        type: text\n      - name: views\n        type: number\n"
			base := s.plan(t, first).Base
			s.apply(t, first)
			assertEqual(t, string(s.pull(t).Text), first)
			_ = s.refuses(t, first, "schema_moved", schema.Options{Base: base})
			base = s.pull(t).Base
			retyped := strings.Replace(first, "number", "text", 1)
			e := s.refuses(t, retyped, "cannot_change", schema.Options{Base: base, AllowRemove: true, Acknowledge: true})
			assertEqual(t, e.Fields[0].Location, "collections.news.fields.views")
			assertEqual(t, strings.HasPrefix(e.Fields[0].Message, "line 9: cannot be changed from number to text"), true)
			plan := s.plan(t, retyped)
			assertEqual(t, len(plan.Refused), 1)
			assertEqual(t, len(plan.Changes), 0)
			renamed := strings.Replace(first, "name: views", "name: visits", 1)
			e = s.refuses(t, renamed, "removes", schema.Options{Base: base})
			assertEqual(t, e.Fields, []core.FieldError{{Location: "collections.news.fields.views", Message: "is removed"}})
			assertEqual(t, string(s.pull(t).Text), first)
			s.apply(t, renamed)
			assertEqual(t, string(s.pull(t).Text), renamed)
			back := s.plan(t, first)
			assertEqual(t, back.Changes[1].Restores, true)
		},
		"has the preview URL of collections": func(t *testing.T, w *fixture) {
			s := newSchemas(t, w)
			file := func(url, field string) string {
				return "format: 1\ncomponents: []\ncollections:\n  - key: news\n    name: News\n    previewUrl: \"" + url + "\"\n    fields:\n      - name: " + field + "\n        type: text\n"
			}
			first := file("https://site.example/{title}", "title")
			s.apply(t, first)
			assertEqual(t, string(s.pull(t).Text), first)
			// The field of a placeholder changes together with it.
			second := file("https://site.example/{heading}", "heading")
			plan := s.apply(t, second)
			assertEqual(t, plan.Changes[0].Options[0].Name, "previewUrl")
			assertEqual(t, string(plan.Changes[0].Options[0].After), `"https://site.example/{heading}"`)
			for _, wrong := range []string{file("https://site.example/{title}", "heading"), file("https://other.example/", "heading")} {
				_, err := s.planner.Plan(t.Context(), core.SystemActor, s.project, []byte(wrong))
				e, ok := errors.AsType[*core.Error](err)
				if !ok || len(e.Fields) != 1 || e.Fields[0].Location != "collections[0].previewUrl" || !strings.HasPrefix(e.Fields[0].Message, "line 6: ") {
					t.Errorf("%s: %v", wrong, explained(err))
				}
			}
			s.apply(t, strings.Replace(second, "    previewUrl: \"https://site.example/{heading}\"\n", "", 1))
			assertEqual(t, result(s.Collections.Collections(t.Context(), s.project.ID))(t)[0].PreviewURL, "")
			// Collections that refer to each other are made and removed in several steps.
			cycle := ""
			for _, key := range []string{"a", "b"} {
				other := map[string]string{"a": "b", "b": "a"}[key]
				cycle += "  - key: " + key + "\n    name: A\n    previewUrl: \"https://site.example/{title}\"\n    fields:\n" +
					"      - name: title\n        type: text\n      - name: other\n        type: relation\n        collection: " + other + "\n"
			}
			cycle = "format: 1\ncomponents: []\ncollections:\n" + cycle
			s.apply(t, cycle)
			assertEqual(t, string(s.pull(t).Text), cycle)
			s.apply(t, "format: 1\ncomponents: []\ncollections: []\n")
		},
		"defines cycles, and removes them": func(t *testing.T, w *fixture) {
			s := newSchemas(t, w)
			cycle := `format: 1
components:
  - key: card
    name: Card
    fields:
      - name: of
        type: relation
        collection: pages
      - name: inner
        type: blocks
        components: [card, quote]
  - key: quote
    name: Quote
    fields:
      - name: by
        type: group
        component: card
collections:
  - key: pages
    name: Pages
    fields:
      - name: body
        type: blocks
        components: [card, quote]
      - name: author
        type: relation
        collection: people
  - key: people
    name: People
    fields:
      - name: page
        type: relation
        collection: pages
`
			s.apply(t, cycle)
			assertEqual(t, string(s.pull(t).Text), cycle)
			const none = "format: 1\ncomponents: []\ncollections: []\n"
			assertEqual(t, len(s.plan(t, none).Changes), 4)
			s.apply(t, none)
			assertEqual(t, string(s.pull(t).Text), none)
		},
		"asks for an acknowledgement where a workflow governs": func(t *testing.T, w *fixture) {
			s := newSchemas(t, w)
			first := "format: 1\ncomponents: []\ncollections:\n  - key: news\n    name: News\n    fields:\n      - name: title\n        type: text\n      - name: lead\n        type: text\n"
			s.apply(t, first)
			news := result(s.Collections.Collections(t.Context(), s.project.ID))(t)[0]
			s.write(t, news, map[string]json.RawMessage{"title": json.RawMessage(`"a"`), "lead": json.RawMessage(`"b"`)}, true)
			requireNoError(t, s.Workflows.Put(t.Context(), review.Workflow{ProjectID: s.project.ID, Steps: []review.Step{{Order: 1, RoleKind: core.RoleAdmin}}}))
			less := strings.Replace(first, "      - name: lead\n        type: text\n", "", 1)
			plan := s.plan(t, less)
			assertEqual(t, plan.Acknowledge, []core.FieldError{{Location: "collections.news.fields.lead", Message: "readers no longer see its values"}})
			assertEqual(t, []int64{*plan.Changes[0].Stored, *plan.Changes[0].Public}, []int64{1, 1})
			_ = s.refuses(t, less, "governed", schema.Options{Base: plan.Base, AllowRemove: true})
			assertEqual(t, string(s.pull(t).Text), first)
			s.apply(t, less)
		},
		"changes slugs, and everything follows":       changesSlugs,
		"changes slugs of components, and items stay": changesTypes,
		"refuses slugs that are taken": func(t *testing.T, w *fixture) {
			s := newSchemas(t, w)
			s.apply(t, listOf("news", "news", "pages", "pages"))
			base := s.pull(t).Base
			for text, message := range map[string]string{
				listOf("news", "New", "pages", "pages"): "line 5: must be words of a-z and 0-9 joined by single hyphens, at most 63 characters",
				listOf("news", "news", "pages", "news"): "line 7: is the slug of another one",
				listOf("news", "a", "b_c", "b"):         "line 8: must be words of a-z and 0-9 joined by single hyphens, at most 63 characters",
				strings.TrimSuffix(listOf("news", "a", "pages", "b"), " []\n") + "\n      - name: of\n        type: relation\n        collection: a\n": "line 12: must name the definition by its key news, not by its slug",
			} {
				e := s.refuses(t, text, "invalid", schema.Options{Base: base, AllowRemove: true})
				assertEqual(t, e.Fields[0].Message, message)
			}
			s.apply(t, listOf("news", "pages"))
			s.apply(t, listOf("news", "news", "pages", "pages"))
			s.apply(t, listOf("news", "news", "more", "pages"))
			s.apply(t, listOf("news", "news", "pages", "pages"))
			s.apply(t, listOf("news", "pages", "pages", "news"))
			assertEqual(t, string(s.pull(t).Text), listOf("news", "pages", "pages", "news"))
			s.apply(t, listOf("news", "news", "pages", "pages"))
			assertEqual(t, string(s.pull(t).Text), listOf("news", "news", "pages", "pages"))
		},
		"gives definitions of the API their own keys": func(t *testing.T, w *fixture) {
			s := newSchemas(t, w)
			s.apply(t, listOf("news", "stories"))
			publisher := publishing.New(noon{}, nil)
			definitions := definition.NewCollections(w.Stores, w.tx, approval.NewRequests(publisher), noon{})
			c := result(definitions.Create(t.Context(), core.SystemActor, s.project, definition.CollectionInput{Slug: "news", Name: "News"}))(t)
			assertEqual(t, c.Key(), "news-2")
			text := listOf("news", "stories", "news-2", "news")
			assertEqual(t, string(s.pull(t).Text), strings.Replace(text, "slug: news\n    name: news-2", "slug: news\n    name: News", 1))
		},
		"lets one of two that apply at once win": func(t *testing.T, w *fixture) {
			s := newSchemas(t, w)
			text := func(key string) []byte {
				return []byte("format: 1\ncollections:\n  - key: " + key + "\n    name: One\n    fields: []\n")
			}
			base, codes := s.pull(t).Base, make(chan string, 2)
			for _, key := range []string{"one", "two"} {
				go func() {
					_, err := s.planner.Apply(context.WithoutCancel(t.Context()), core.SystemActor, s.project, text(key), schema.Options{Base: base})
					e, _ := errors.AsType[*core.Error](err)
					switch {
					case err == nil:
						codes <- ""
					case e != nil:
						codes <- e.Code
					default:
						codes <- err.Error()
					}
				}()
			}
			got := []string{<-codes, <-codes}
			slices.Sort(got)
			assertEqual(t, got, []string{"", "schema_moved"})
		},
	})
}

// listOf returns a file of collections without fields, from their keys and slugs.
func listOf(keysAndSlugs ...string) string {
	text := "format: 1\ncomponents: []\ncollections:\n"
	for i := 0; i < len(keysAndSlugs); i += 2 {
		key, slug := keysAndSlugs[i], keysAndSlugs[i+1]
		if text += "  - key: " + key + "\n"; slug != key {
			text += "    slug: " + slug + "\n"
		}
		text += "    name: " + key + "\n    fields: []\n"
	}
	return text
}

// changesSlugs renames collections in one file with an addition that takes the slug of one.
func changesSlugs(t *testing.T, w *fixture) {
	s := newSchemas(t, w)
	const fields = "      - name: author\n        type: relation\n        collection: people\n      - name: about\n        type: relation\n" +
		"        multiple: true\n        collections: [news, people]\n"
	first := "format: 1\ncomponents:\n  - key: card\n    name: Card\n    fields:\n" + fields +
		"collections:\n  - key: news\n    name: News\n    fields:\n      - name: title\n        type: text\n" + fields + "      - name: cards\n        type: blocks\n        components: [card]\n" +
		"  - key: people\n    name: People\n    fields:\n      - name: title\n        type: text\n"
	s.apply(t, first)
	was := core.Schema{Collections: result(s.Collections.Collections(t.Context(), s.project.ID))(t)}
	person := s.write(t, was.BySlug("people"), map[string]json.RawMessage{"title": json.RawMessage(`"Ada"`)}, true)
	news := s.write(t, was.BySlug("news"), map[string]json.RawMessage{
		"title": json.RawMessage(`"a"`), "author": json.RawMessage(fmt.Sprint(person)), "about": json.RawMessage(fmt.Sprintf("[%d]", person)),
		"cards": json.RawMessage(fmt.Sprintf(`[{"_type":"card","author":%d}]`, person)),
	}, true)
	before := result(s.Entries.Entry(t.Context(), s.project.ID, news))(t)
	_, hash, _ := was.BySlug("news").Snapshot("en", before.Published, nil)
	hook := webhook.Webhook{ProjectID: s.project.ID, Name: "Site", URL: "https://site.example", Events: []string{event.All}, Collections: []string{"people", "other"}, Active: true, Secrets: []byte("x"), CreatedAt: at(1), UpdatedAt: at(1)}
	requireNoError(t, s.Webhooks.Insert(t.Context(), &hook))
	requireNoError(t, s.Workflows.Put(t.Context(), review.Workflow{ProjectID: s.project.ID, Exempt: []string{"people"}, Steps: []review.Step{
		{Order: 1, RoleKind: core.RoleAdmin, When: &review.Condition{Collections: []string{"news"}}},
	}}))
	second := strings.Replace(first, "  - key: news\n", "  - key: guests\n    slug: people\n    name: Guests\n    fields: []\n  - key: news\n    slug: stories\n", 1)
	second = strings.Replace(second, "  - key: people\n    name: People", "  - key: people\n    slug: authors\n    name: Authors", 1)
	plan := s.plan(t, second)
	assertEqual(t, paths(plan), []string{
		"collections.guestsadded[] false false",
		`collections.newschanged[{slug [110 117 108 108] [34 115 116 111 114 105 101 115 34]}] false false`,
		`collections.peoplechanged[{name [34 80 101 111 112 108 101 34] [34 65 117 116 104 111 114 115 34]} {slug [110 117 108 108] [34 97 117 116 104 111 114 115 34]}] false false`,
	})
	assertEqual(t, plan.Acknowledge, []core.FieldError{{Location: "collections.news.slug", Value: "stories", Message: "readers find its entries by this slug only"}})
	_ = s.refuses(t, second, "governed", schema.Options{Base: plan.Base})
	s.apply(t, second)
	assertEqual(t, string(s.pull(t).Text), second)
	assertEqual(t, len(s.plan(t, second).Changes), 0)
	now := core.Schema{Collections: result(s.Collections.Collections(t.Context(), s.project.ID))(t)}
	stories, authors := now.BySlug("stories"), now.BySlug("authors")
	assertEqual(t, []int64{stories.ID, authors.ID}, []int64{was.BySlug("news").ID, was.BySlug("people").ID})
	assertEqual(t, stories.Field("author").Collection, "authors")
	assertEqual(t, stories.Field("about").Collections, []string{"stories", "authors"})
	assertEqual(t, stories.Components()["card"].Field("author").Collection, "authors")
	assertEqual(t, stories.Targets(), []string{"authors", "stories"})
	after := result(s.Entries.Entry(t.Context(), s.project.ID, news))(t)
	assertEqual(t, string(after.Draft)+string(after.Published), string(before.Draft)+string(before.Published))
	_, same, _ := stories.Snapshot("en", after.Published, nil)
	assertEqual(t, same, hash)
	assertEqual(t, result(s.Webhooks.Webhook(t.Context(), s.project.ID, hook.ID))(t).Collections, []string{"authors", "other"})
	workflow := result(s.Workflows.ProjectWorkflow(t.Context(), s.project.ID))(t)
	assertEqual(t, workflow.Exempt, []string{"authors"})
	assertEqual(t, workflow.Steps[0].When.Collections, []string{"stories"})
	s.apply(t, first)
	assertEqual(t, string(s.pull(t).Text), first)
}

// changesTypes renames a component of items in one file with an addition that takes its slug.
func changesTypes(t *testing.T, w *fixture) {
	s := newSchemas(t, w)
	first := "format: 1\ncomponents:\n  - key: hero\n    name: Hero\n    fields:\n      - name: title\n        type: text\n        filterable: true\n" +
		"      - name: inner\n        type: blocks\n        components: [hero]\n" +
		"  - key: seo\n    name: SEO\n    fields:\n      - name: title\n        type: text\n" +
		"collections:\n  - key: pages\n    name: Pages\n    fields:\n      - name: body\n        type: blocks\n        components: [hero]\n      - name: seo\n        type: group\n        component: seo\n"
	s.apply(t, first)
	pages := func() *core.Collection {
		return core.Schema{Collections: result(s.Collections.Collections(t.Context(), s.project.ID))(t)}.BySlug("pages")
	}
	write := func(body string) int64 {
		return s.write(t, pages(), map[string]json.RawMessage{"body": json.RawMessage(body), "seo": json.RawMessage(`{"title":"s"}`)}, true)
	}
	entry := func(id int64) core.Entry { return result(s.Entries.Entry(t.Context(), s.project.ID, id))(t) }
	page := write(`[{"_type":"hero","_key":"a","title":"one","inner":[{"_type":"hero","_key":"b"}]}]`)
	before := entry(page)
	requireNoError(t, s.Workflows.Put(t.Context(), review.Workflow{ProjectID: s.project.ID, Steps: []review.Step{{Order: 1, RoleKind: core.RoleAdmin}}}))
	second := strings.Replace(first, "    name: Hero\n", "    slug: banner\n    name: Hero\n", 1)
	second = strings.Replace(second, "  - key: seo\n    name: SEO", "  - key: other\n    slug: hero\n    name: Other\n    fields: []\n  - key: seo\n    slug: search\n    name: SEO", 1)
	second = strings.Replace(second, "body\n        type: blocks\n        components: [hero]", "body\n        type: blocks\n        components: [hero, other]", 1)
	plan := s.plan(t, second)
	assertEqual(t, plan.Acknowledge, []core.FieldError{{Location: "components.hero.slug", Value: "banner", Message: "readers see this _type in its items"}})
	assertEqual(t, plan.Removes(), false)
	_ = s.refuses(t, second, "governed", schema.Options{Base: plan.Base})
	s.apply(t, second)
	assertEqual(t, string(s.pull(t).Text), second)
	assertEqual(t, len(s.plan(t, second).Changes), 0)
	requireNoError(t, s.Workflows.Remove(t.Context(), review.Workflow{ProjectID: s.project.ID}))

	after := entry(page)
	assertEqual(t, string(after.Draft)+string(after.Published)+after.PublishedHash, string(before.Draft)+string(before.Published)+before.PublishedHash)
	c := pages()
	assertEqual(t, string(c.WithSlugs(after.Draft).Value("body")), `[{"_key":"a","_type":"banner","inner":[{"_key":"b","_type":"banner","inner":[]}],"title":"one"}]`)
	assertEqual(t, string(after.Draft.Value("seo")), `{"title":"s"}`)
	assertEqual(t, c.Field("seo").Component, "search")
	var leaves, types []string
	for _, f := range c.Leaves {
		leaves = append(leaves, f.Name)
		assertEqual(t, f.SlotReady, true)
	}
	assertEqual(t, leaves, []string{"body._type", "body.banner.title"})
	c.Leaf("body._type").EachElement(after.Draft, func(element []byte) { types = append(types, string(element)) })
	assertEqual(t, types, []string{`"banner"`})
	both := entry(write(`[{"_type":"banner","_key":"a","title":"two"},{"_type":"hero","_key":"b"}]`))
	assertEqual(t, string(both.Draft.Value("body")), `[{"_key":"a","_type":"hero","inner":[],"title":"two"},{"_key":"b","_type":"other"}]`)
	assertEqual(t, string(c.WithSlugs(both.Draft).Value("body")), `[{"_key":"a","_type":"banner","inner":[],"title":"two"},{"_key":"b","_type":"hero"}]`)
	found, _, err := s.Entries.List(t.Context(), query.Selection{
		Schema: core.Schema{Project: s.project, Collection: c, Collections: []*core.Collection{c}}, State: core.StateWithDraft, Locale: query.AllLocales, Limit: 10,
		Sort: []query.SortKey{{Field: core.SystemID}}, Where: []query.Predicate{{Field: c.Leaf("body._type"), Op: query.OpEqual, Values: []core.Value{{Text: "banner"}}}},
	}, false)
	requireNoError(t, err)
	assertEqual(t, len(found), 2)

	head, rest, _ := strings.Cut(second, "  - key: hero\n")
	_, tail, _ := strings.Cut(rest, "  - key: other\n")
	third := strings.Replace(head+"  - key: other\n"+tail, "components: [hero, other]", "components: [other]", 1)
	s.apply(t, third)
	assertEqual(t, string(s.pull(t).Text), third)
	assertEqual(t, string(entry(page).Draft), string(before.Draft))
	again := strings.Replace(third, "components:\n", "components:\n  - key: hero\n    slug: top\n    name: Top\n    fields: []\n", 1)
	e := s.refuses(t, again, "invalid", schema.Options{Base: s.pull(t).Base})
	assertEqual(t, e.Fields[0].Value, any("hero"))
	s.apply(t, strings.Replace(third, "    slug: hero\n", "", 1))
}

// write adds an entry with the values, and publishes it.
func (s *schemas) write(t reporter, c *core.Collection, values map[string]json.RawMessage, publish bool) int64 {
	t.Helper()
	wr := core.EntryWrite{Fields: core.WrittenFields{Raw: values}, AllowIncomplete: true}
	if publish {
		wr.Published = new(true)
		wr.AllowIncomplete = false
	}
	written, err := s.writer.Create(t.Context(), core.SystemActor, s.project, c.ID, wr)
	if err != nil {
		t.Fatalf("write: %v", explained(err))
	}
	return written.Entry.ID
}

// pair applies one random file and then another: the definitions are those of the second, values of fields
// that both have stay, and the plan names everything that is lost.
func (s *schemas) pair(rt *rapid.T) {
	shapes := map[string]definition.FieldInput{}
	first, second := drawFile(rt, shapes), drawFile(rt, shapes)
	drawSlugs(rt, &first)
	drawSlugs(rt, &second)
	s.becomes(rt, first)
	values := s.fill(rt)
	plan := s.plan(rt, string(second.Text()))
	applied := s.becomes(rt, second)
	for i := range applied.Changes {
		applied.Changes[i].Stored, applied.Changes[i].Public = plan.Changes[i].Stored, plan.Changes[i].Public
	}
	assertEqual(rt, fmt.Sprint(paths(applied)), fmt.Sprint(paths(plan)))
	lost := map[string]int64{}
	now := map[string]*core.Collection{}
	for _, c := range result(s.Collections.Collections(rt.Context(), s.project.ID))(rt) {
		now[c.Key()] = c
	}
	for _, v := range values {
		c := now[v.collection]
		if c == nil {
			lost["collections."+v.collection]++
			continue
		}
		e := result(s.Entries.Entry(rt.Context(), s.project.ID, v.id))(rt)
		for name, value := range v.fields {
			assertEqual(rt, string(e.Draft.Value(name)), string(value))
			if c.Field(name) == nil {
				lost["collections."+v.collection+".fields."+name]++
			}
		}
	}
	for path, n := range lost {
		at := slices.IndexFunc(plan.Changes, func(c schema.Change) bool { return c.Path == path && c.Removes })
		if at < 0 || *plan.Changes[at].Stored != n {
			rt.Fatalf("%s: %d values are lost, but the plan is %+v", path, n, plan.Changes)
		}
	}
}

func paths(p schema.Plan) (texts []string) {
	for _, c := range p.Changes {
		texts = append(texts, fmt.Sprint(c.Path, c.Kind, c.Options, c.Removes, c.Restores))
	}
	return texts
}

// becomes applies a file and requires that the definitions are then those of it, to the byte.
func (s *schemas) becomes(rt *rapid.T, file schema.File) schema.Plan {
	text := string(file.Text())
	plan := s.apply(rt, text)
	assertEqual(rt, string(s.pull(rt).Text), text)
	assertEqual(rt, len(s.plan(rt, text).Changes), 0)
	return plan
}

// filled are the values of an entry.
type filled struct {
	collection string
	id         int64
	fields     map[string]json.RawMessage
}

// fill adds an entry to each collection, with values of its texts and numbers.
func (s *schemas) fill(rt *rapid.T) (all []filled) {
	for _, c := range result(s.Collections.Collections(rt.Context(), s.project.ID))(rt) {
		values := map[string]json.RawMessage{}
		for _, f := range c.Fields {
			switch {
			case f.Multiple:
			case f.Type == core.TypeText, f.Type == core.TypeLongText:
				values[f.Name] = json.RawMessage(`"Words"`)
			case f.Type == core.TypeNumber:
				values[f.Name] = json.RawMessage(`3`)
			}
		}
		id := s.write(rt, c, values, false)
		e := result(s.Entries.Entry(rt.Context(), s.project.ID, id))(rt)
		all = append(all, filled{c.Key(), id, e.Draft.Values()})
		for name, value := range all[len(all)-1].fields {
			if string(value) == "null" {
				delete(all[len(all)-1].fields, name)
			}
		}
	}
	return all
}

// hostileNames are names that YAML could read as something else.
var hostileNames = []string{
	"News", "true", "No", "1e3", "~", "- a", "a: b", "a #b", " x: [", "2026-01-02", "\u2028", "é", "quote \" and \\", "tab\tand", "{", "&a", "*a", "!t", "%", "@", "0x1F", "null", "=", "<<", "😀",
}

// drawFile draws a file. Fields of the same definition and name have the same shape in all files of shapes.
func drawFile(rt *rapid.T, shapes map[string]definition.FieldInput) (file schema.File) {
	keys := func(label string, from ...string) []string {
		drawn := rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, len(from), rapid.ID[string]).Draw(rt, label)
		slices.Sort(drawn)
		return drawn
	}
	components, collections := keys("components", "card", "hero", "quote"), keys("collections", "news", "pages", "people")
	draw := func(kind, key string) definition.CollectionInput {
		in := definition.CollectionInput{
			Slug: key, Name: strings.TrimSpace(strings.Map(printed, rapid.SampledFrom(hostileNames).Draw(rt, "name"))),
			Description: strings.TrimSpace(rapid.SampledFrom(append(hostileNames, "", "two\nlines", "a\r\nb")).Draw(rt, "description")),
		}
		if kind == "collections" {
			in.Icon = rapid.SampledFrom(core.Icons()).Draw(rt, "icon")
			in.PreviewURL = rapid.SampledFrom([]string{"", "https://site.example/{id}?a={group}", "https://site.example/é/{locale}#{id}"}).Draw(rt, "preview URL")
		}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 0, 5, rapid.ID[string]).Draw(rt, "fields") {
			path := kind + "." + key + "." + name
			shape, known := shapes[path]
			if !known {
				shape = drawShape(rt, components, collections)
				shapes[path] = shape
			}
			f, ok := drawOptions(rt, shape, components, collections)
			if f.Name = name; ok {
				if kind == "components" {
					f.Unique, f.Hidden = false, false
				}
				in.Fields = append(in.Fields, definition.Normal(f))
			}
		}
		return in
	}
	for _, key := range components {
		file.Components = append(file.Components, draw("components", key))
	}
	for _, key := range collections {
		file.Collections = append(file.Collections, draw("collections", key))
	}
	return file
}

// drawSlugs draws slugs of definitions that are not their keys.
func drawSlugs(rt *rapid.T, file *schema.File) {
	for _, list := range [][]definition.CollectionInput{file.Components, file.Collections} {
		taken := map[string]bool{}
		for i := range list {
			in := &list[i]
			key := in.Slug
			in.Slug = rapid.SampledFrom([]string{key, key, key + "-s", "news", "pages", "people", "hero", "quote", "stories"}).Draw(rt, "slug")
			for taken[in.Slug] {
				in.Slug += "-2"
			}
			taken[in.Slug] = true
			if in.Slug != key {
				in.Key = key
			}
		}
	}
}

// printed replaces characters that names do not have.
func printed(r rune) rune {
	if r < ' ' || r == '\u2028' {
		return '_'
	}
	return r
}

// drawShape draws what never changes of a field.
func drawShape(rt *rapid.T, components, collections []string) (f definition.FieldInput) {
	f.Type = rapid.SampledFrom([]core.FieldType{
		core.TypeText, core.TypeLongText, core.TypeNumber, core.TypeBoolean, core.TypeEnumeration, core.TypeJSON, core.TypeRelation, core.TypeGroup, core.TypeBlocks,
	}).Draw(rt, "type")
	f.Multiple = f.Type != core.TypeBlocks && f.Type != core.TypeJSON && rapid.Bool().Draw(rt, "multiple")
	switch {
	case f.Type == core.TypeRelation && len(collections) > 0 && rapid.Bool().Draw(rt, "to one"):
		f.Collection = rapid.SampledFrom(collections).Draw(rt, "target")
	case f.Type == core.TypeGroup && len(components) > 0:
		f.Component = rapid.SampledFrom(components).Draw(rt, "component")
	}
	return f
}

// drawOptions draws the options of a field. It returns false if the file does not have what the shape names.
func drawOptions(rt *rapid.T, f definition.FieldInput, components, collections []string) (definition.FieldInput, bool) {
	f.Label = strings.TrimSpace(strings.Map(printed, rapid.SampledFrom(append(hostileNames, "")).Draw(rt, "label")))
	f.Help = strings.TrimSpace(rapid.SampledFrom(append(hostileNames, "", "two\nlines")).Draw(rt, "help"))
	f.Required = rapid.Bool().Draw(rt, "required")
	switch f.Type {
	case core.TypeText, core.TypeLongText:
		f.Searchable = rapid.Bool().Draw(rt, "searchable")
		f.Hidden = rapid.IntRange(0, 4).Draw(rt, "hidden") == 0
		f.Unique = f.Type == core.TypeText && !f.Multiple && rapid.IntRange(0, 4).Draw(rt, "unique") == 0
		if f.Max = rapid.SampledFrom([]*float64{nil, new(20.0), new(99.0)}).Draw(rt, "max"); !f.Unique && !f.Multiple && rapid.Bool().Draw(rt, "has default") {
			f.Default = json.RawMessage(rapid.SampledFrom([]string{`"yes"`, `"2026-01-02"`, `"a: \"b\" # c"`, `"\u2028é"`, `"1"`}).Draw(rt, "default"))
			canonicalised, _ := json.Marshal(decoded(f.Default))
			f.Default = canonicalised
			f.Default = json.RawMessage(strings.ReplaceAll(string(f.Default), `\u2028`, "\u2028"))
		}
	case core.TypeNumber:
		f.Min = rapid.SampledFrom([]*float64{nil, new(-1.5), new(1e21), new(0.0)}).Draw(rt, "min")
		if f.Multiple {
			f.Min = nil
		} else if f.Min == nil && rapid.Bool().Draw(rt, "has default") {
			f.Default = json.RawMessage(rapid.SampledFrom([]string{"1e+21", "-0.5", "3"}).Draw(rt, "number"))
		}
	case core.TypeEnumeration:
		f.Choices = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "yes", "b, c", "[d]", "1", "true"}), 1, 4, rapid.ID[string]).Draw(rt, "choices")
	case core.TypeJSON:
		f.Default = json.RawMessage(rapid.SampledFrom([]string{`{"a":[1,true,null,"no"],"b: c":{}}`, `[1]`, `"x"`, `false`}).Draw(rt, "json"))
		f.Required = false
	case core.TypeRelation:
		if f.Collection != "" {
			return f, slices.Contains(collections, f.Collection)
		}
		if len(collections) == 0 {
			return f, false
		}
		f.Collections = rapid.SliceOfNDistinct(rapid.SampledFrom(collections), 1, len(collections), rapid.ID[string]).Draw(rt, "targets")
	case core.TypeGroup:
		return f, slices.Contains(components, f.Component)
	case core.TypeBlocks:
		if len(components) == 0 {
			return f, false
		}
		f.Components = rapid.SliceOfNDistinct(rapid.SampledFrom(components), 1, len(components), rapid.ID[string]).Draw(rt, "admitted")
	}
	return f, true
}

func decoded(raw json.RawMessage) (value string) {
	_ = json.Unmarshal(raw, &value)
	return value
}
