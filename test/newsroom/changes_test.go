package newsroom_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/media"
	"imprimatur/test/newsroom"
)

// composed adds blocks of the components hero and note to the articles.
func composed(w *newsroom.Fixture) (hero *core.Component) {
	create := func(slug string, fields ...definition.FieldInput) *core.Component {
		c, err := w.Collections.Components().Create(w.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
		w.OK(err)
		return c
	}
	title := definition.FieldInput{Name: "title", Type: core.TypeText}
	create("link", title)
	hero = create("hero", title, definition.FieldInput{Name: "image", Type: core.TypeMedia},
		definition.FieldInput{Name: "secret", Type: core.TypeText}, definition.FieldInput{Name: "links", Type: core.TypeGroup, Component: "link", Multiple: true})
	create("note", definition.FieldInput{Name: "words", Type: core.TypeText})
	body := definition.FieldInput{Name: "page", Type: core.TypeBlocks, Components: []string{"hero", "note"}}
	_, err := w.Collections.AddField(w.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: true}, body)
	w.OK(err)
	return hero
}

// withBody sets the blocks of an article.
func withBody(format string, args ...any) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Fields.Raw["page"] = json.RawMessage(fmt.Sprintf(format, args...)) }
}

// changeLines returns changes as "path[key] type kind from>to place:before>after …".
func changeLines(list []core.Change, err error) (lines []string) {
	if err != nil {
		return []string{err.Error()}
	}
	index := func(at *int) string {
		if at == nil {
			return "-"
		}
		return fmt.Sprint(*at)
	}
	for _, c := range list {
		line := fmt.Sprintf("%s[%s] %s %s %s>%s", c.Path, c.Key, c.Type, c.Kind, index(c.From), index(c.To))
		for _, f := range c.Fields {
			line += fmt.Sprintf(" %s:%s>%s", f.Path, f.Before, f.After)
		}
		lines = append(lines, line)
	}
	return lines
}

// A review shows a block that moved and was edited, a new one, a removed one and changed words of a
// picture, and so do the revisions. Values of removed fields and the draft stay hidden.
func TestChangesOfBlocks(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		hero := composed(w)
		w.SetWorkflow(newsroom.CustomRoleStep(1, w.Legal))
		picture := w.Picture("Harbour")
		changes := func(person string, id int64, which approval.Comparison) []string {
			return changeLines(w.Reviews.Changes(t.Context(), w.Actor(person), w.Ref(id), which))
		}
		revisions := func(id, number int64, to string) []string {
			return changeLines(w.Drafts.RevisionChanges(t.Context(), w.Ref(id), number, to))
		}
		want := func(got []string, want ...string) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		id := w.Create(newsroom.Article("A", newsroom.Published(true), withBody(
			`[{"_type":"note","_key":"n","words":"x"},{"_type":"note","_key":"gone","words":"old"},`+
				`{"_type":"hero","_key":"h","title":"Harbour","image":%d,"secret":"canary","links":[{"_key":"l","title":"1"}]}]`, picture))).ID
		seals := fmt.Sprintf(`@media[%d]  added ->-`, picture)
		first := changes("legal", id, approval.Comparison{})
		if len(first) != 6 || !strings.HasPrefix(first[5], seals) {
			t.Errorf("the first publication: %q", first)
		}
		w.OK(w.Approve("legal", id))
		want(changes("legal", id, approval.Comparison{}))
		edited := `[{"_type":"hero","_key":"h","title":"Harbour lights","image":%d,"secret":"canaries","links":[{"_key":"l","title":"2"}]},` +
			`{"_type":"note","_key":"new","words":"y"},{"_type":"note","_key":"n","words":"x"}]`
		w.Update(id, newsroom.Article("A", newsroom.Published(true), withBody(edited, picture)))
		edit := []string{
			`page[h] hero moved 2>0 page[h].title:"Harbour">"Harbour lights" page[h].secret:"canary">"canaries"`,
			`page[h].links[l] link changed 0>0 page[h].links[l].title:"1">"2"`,
			`page[new] note added ->1 page[new].words:>"y"`,
			`page[gone] note removed 1>- page[gone].words:"old">`,
		}
		want(changes("legal", id, approval.Comparison{}), edit...)
		want(revisions(id, 1, "2"), edit...)
		want(revisions(id, 1, "draft"), edit...)
		want(revisions(id, 1, "published"))
		want(changeLines(w.Drafts.PublicationChanges(t.Context(), w.Ref(id), 1, "draft")), edit...)
		want(revisions(id, 2, "publication:1")[:1], `page[n] note moved 2>0`)

		// The draft is for readers of the Project.
		request := w.Request(id).Request.ID
		_, err := w.Library.Change(t.Context(), w.Actor("editor"), w.Project, picture, media.Change{Caption: new("Lights")})
		w.OK(err)
		w.Update(id, newsroom.Article("B", withBody(edited, picture)))
		draft := approval.Comparison{ToDraft: true}
		want(changes("viewer", id, draft), `title[]  changed ->- title:"A">"B"`, fmt.Sprintf(`@media[%[1]d]  changed ->- @media[%[1]d].caption:"Harbour">"Lights"`, picture))
		want(changes("legal", id, draft), "forbidden: reading the draft needs a role in the project")

		// An earlier request compares with what was submitted then.
		_, err = w.Reviews.RequestRevision(t.Context(), w.Actor("legal"), w.Ref(id), approval.Decision{Comment: "Why?"})
		w.OK(err)
		w.Update(id, newsroom.Article("C", newsroom.Published(true)))
		want(changes("legal", id, approval.Comparison{From: request})[:1], `title[]  changed ->- title:"A">"C"`)
		want(changes("legal", id, approval.Comparison{From: request + 1000}), "not_found: no such approval request")

		// Values of removed fields, and items of components that are no longer admitted, are hidden.
		by := definition.ComponentChange{Actor: w.Actor("admin"), Project: w.Project, ComponentID: hero.ID, Acknowledged: true}
		_, err = w.Collections.Components().RemoveField(t.Context(), by, "secret")
		w.OK(err)
		for name, got := range map[string][]string{"changes": changes("legal", id, approval.Comparison{}), "revisions": revisions(id, 1, "2")} {
			if all := strings.Join(got, "\n"); strings.Contains(all, "canar") || !strings.Contains(all, "Harbour lights") {
				t.Errorf("%s after the removal of a field:\n%s", name, all)
			}
		}
		change := definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID, Acknowledged: true}
		_, err = w.Collections.ReviseField(t.Context(), change, "page", func(in definition.FieldInput) definition.FieldInput {
			in.Components = []string{"note"}
			return in
		})
		w.OK(err)
		want(revisions(id, 1, "2"), `page[new] note added ->0 page[new].words:>"y"`, `page[gone] note removed 1>- page[gone].words:"old">`)
	})
}

// The values of revisions are those of the diff: a reference is the id of the entry in the locale.
func TestChangesOfReferences(t *testing.T) {
	t.Parallel()
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		see := definition.FieldInput{Name: "see", Type: core.TypeRelation, Collection: "articles"}
		_, err := w.Collections.AddField(w.Context(), definition.Change{Actor: w.Actor("admin"), Project: w.Project, CollectionID: w.Articles.ID}, see)
		w.OK(err)
		german := func(wr *core.EntryWrite) { wr.Locale = new("de") }
		first := w.Create(newsroom.Article("A")).ID
		translated := w.Create(newsroom.Article("A", german, func(wr *core.EntryWrite) { wr.TranslationOf = &first })).ID
		id := w.Create(newsroom.Article("B", german, func(wr *core.EntryWrite) { wr.Note = new("Closed") })).ID
		w.Update(id, newsroom.Article("B", func(wr *core.EntryWrite) { wr.Fields.Raw["see"] = json.RawMessage(fmt.Sprint(first)) }))
		diff, err := w.Drafts.RevisionDiff(t.Context(), w.Ref(id), 1, "draft")
		w.OK(err)
		if !strings.Contains(string(diff), fmt.Sprintf(`"value":%d`, translated)) {
			t.Errorf("the diff is %s", diff)
		}
		got := changeLines(w.Drafts.RevisionChanges(t.Context(), w.Ref(id), 1, "draft"))
		want := []string{fmt.Sprintf(`see[]  changed ->- see:>%d`, translated)}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
