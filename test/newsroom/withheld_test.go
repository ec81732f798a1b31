package newsroom_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/review"
	"imprimatur/core/writing"
	"imprimatur/test/newsroom"
)

// A write changes what it names and nothing else: whatever the definitions admit meanwhile, by field, by
// item, whole, by fill and by restoring revisions, in both versions.
func TestWritesChangeOnlyWhatTheyName(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			rapid.Check(t, func(rt *rapid.T) {
				p := newPages(rt, newsroom.New(rt, stores, tx, systemclock.New()))
				rt.Repeat(map[string]func(*rapid.T){
					"write": p.write, "narrow": p.narrow, "remove": p.remove, "fill": p.fill, "revert": p.revert, "trash": p.trash, "": p.compare,
				})
				p.admit([]string{"hero", "text", "columns"}, []string{"hero", "text"})
				p.compare(rt)
			})
		})
	}
}

// A review of another field leaves what is withheld in the draft and in the published version, and names it.
func TestReviewsKeepWhatIsWithheld(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			p := newPages(t, newsroom.New(t, stores, tx, systemclock.New()))
			write := func(fields map[string]json.RawMessage) {
				_, err := p.Writer.Update(t.Context(), p.Actor("editor"), p.ref(), nil, core.EntryWrite{Fields: core.WrittenFields{Raw: fields}, Published: new(true)})
				p.OK(err)
			}
			all := `[{"_key":"h","_type":"hero","sub":"a"},{"_key":"x","_type":"text","sub":"b"}]`
			write(map[string]json.RawMessage{"body": json.RawMessage(all)})
			p.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			p.admit([]string{"hero", "columns"}, []string{"hero"})

			write(map[string]json.RawMessage{"title": json.RawMessage(`"B"`)})
			diff, err := p.Reviews.Diff(t.Context(), p.Actor("admin"), p.ref(), 0)
			p.OK(err)
			var named []string
			for _, w := range diff.Withheld {
				named = append(named, w.Path+" "+w.Key+" "+w.Type)
			}
			require.Equal(t, []string{"body x text"}, named)
			_, err = p.Reviews.Approve(t.Context(), p.Actor("admin"), p.ref(), approval.Decision{})
			p.OK(err)

			e := p.Entry(p.id)
			require.JSONEq(t, `"B"`, string(e.Published.Value("title")))
			require.JSONEq(t, all, string(e.Published.Value("body")))
			require.JSONEq(t, all, string(e.Draft.Value("body")))
		})
	}
}

// What was reviewed becomes public whole: what the definition withholds after the submission is public when the
// definition admits it again, as the publication says.
func TestReviewedContentIsPublicWhenItReturns(t *testing.T) {
	t.Parallel()
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores, tx := open(t)
			p := newPages(t, newsroom.New(t, stores, tx, systemclock.New()))
			p.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			body := `[{"_key":"h","_type":"hero","sub":"a"},{"_key":"x","_type":"text","sub":"b"}]`
			write := func(fields map[string]json.RawMessage) {
				_, err := p.Writer.Update(t.Context(), p.Actor("editor"), p.ref(), nil, core.EntryWrite{Fields: core.WrittenFields{Raw: fields}, Published: new(true)})
				p.OK(err)
			}
			approve := func() {
				_, err := p.Reviews.Approve(t.Context(), p.Actor("admin"), p.ref(), approval.Decision{})
				p.OK(err)
			}
			write(map[string]json.RawMessage{"extra": json.RawMessage(`"first"`)})
			approve()
			write(map[string]json.RawMessage{"extra": json.RawMessage(`"reviewed"`), "body": json.RawMessage(body)})

			ofPage := definition.Change{Actor: core.SystemActor, Project: p.Project, CollectionID: p.collection, Acknowledged: true}
			ofHero := definition.ComponentChange{Actor: core.SystemActor, Project: p.Project, ComponentID: p.components["hero"], Acknowledged: true}
			_, err := p.Collections.RemoveField(t.Context(), ofPage, "extra")
			p.OK(err)
			_, err = p.Collections.Components().RemoveField(t.Context(), ofHero, "sub")
			p.OK(err)
			p.admit([]string{"hero", "columns"}, []string{"hero"})
			approve()

			p.admit([]string{"hero", "text", "columns"}, []string{"hero", "text"})
			_, err = p.Collections.AddField(t.Context(), ofPage, definition.FieldInput{Name: "extra", Type: core.TypeText})
			p.OK(err)
			_, err = p.Collections.Components().AddField(t.Context(), ofHero, definition.FieldInput{Name: "sub", Type: core.TypeText})
			p.OK(err)
			e := p.Entry(p.id)
			require.JSONEq(t, `"reviewed"`, string(e.Published.Value("extra")))
			require.JSONEq(t, body, string(e.Published.Value("body")))
			c, err := p.Stores.Collections.Collection(t.Context(), p.Project.ID, p.collection)
			p.OK(err)
			_, hash, _ := c.Snapshot(e.Locale, e.Published, e.PublishedMedia)
			require.Equal(t, e.PublishedHash, hash)
			p.Check()
		})
	}
}

// part is an item of the model. A part of the kind columns has inner parts.
type part struct {
	key, kind, sub string
	inner          []*part
}

// page is a version of an entry in the model: with everything that it has, shown or not. An empty text is none.
type page struct {
	title, extra, seo string
	body              []*part
}

// pages is an entry beside its model, with the definitions that hide some of it.
type pages struct {
	*newsroom.Fixture
	collection    int64
	components    map[string]int64
	body, inner   []string        // the components that are admitted
	removed       map[string]bool // kinds without the field sub, and "extra"
	id            int64
	keys          int
	draft, public *page
	revisions     map[int64]*page
}

func newPages(rt newsroom.T, w *newsroom.Fixture) *pages {
	p := &pages{Fixture: w, components: map[string]int64{}, removed: map[string]bool{}, revisions: map[int64]*page{}, draft: &page{}}
	p.body, p.inner = []string{"hero", "text", "columns"}, []string{"hero", "text"}
	for _, slug := range []string{"hero", "text", "columns", "meta"} {
		fields := []definition.FieldInput{{Name: "sub", Type: core.TypeText}}
		switch slug {
		case "columns":
			fields = append(fields, definition.FieldInput{Name: "inner", Type: core.TypeBlocks, Components: p.inner})
		case "meta":
			fields = []definition.FieldInput{{Name: "title", Type: core.TypeText}}
		}
		c, err := w.Collections.Components().Create(rt.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: slug, Name: slug, Fields: fields})
		w.OK(err)
		p.components[slug] = c.ID
	}
	c, err := w.Collections.Create(rt.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: "pages", Name: "Pages", Fields: []definition.FieldInput{
		{Name: "title", Type: core.TypeText}, {Name: "extra", Type: core.TypeText},
		{Name: "seo", Type: core.TypeGroup, Component: "meta"}, {Name: "body", Type: core.TypeBlocks, Components: p.body},
	}})
	w.OK(err)
	p.collection = c.ID
	e, err := w.Writer.Create(rt.Context(), w.Actor("editor"), w.Project, c.ID, core.EntryWrite{Note: new("first"), Published: new(true)})
	w.OK(err)
	p.id, p.public = e.ID, &page{}
	p.revise()
	return p
}

func (p *pages) ref() review.EntryRef {
	return review.EntryRef{Project: p.Project, CollectionID: p.collection, ID: p.id}
}

// revise records the draft as the newest revision.
func (p *pages) revise() {
	r, err := core.DecodeRevision(p.Entry(p.id).Revision)
	p.OK(err)
	p.revisions[r.Number] = p.draft
}

func (p *pages) write(rt *rapid.T) {
	wr := core.EntryWrite{Fields: core.WrittenFields{Raw: map[string]json.RawMessage{}}, Note: new("n"), AllowIncomplete: true}
	next := *p.draft
	var named []string
	name := func(field string, value any) {
		raw, err := json.Marshal(value)
		p.OK(err)
		wr.Fields.Raw[field], named = raw, append(named, field)
	}
	text := func(field string, of *string) {
		if *of = rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, field); *of == "" {
			name(field, nil)
		} else {
			name(field, *of)
		}
	}
	if rapid.Bool().Draw(rt, "write title") {
		text("title", &next.title)
	}
	if !p.removed["extra"] && rapid.Bool().Draw(rt, "write extra") {
		text("extra", &next.extra)
	}
	if rapid.IntRange(0, 3).Draw(rt, "clear seo") == 0 {
		next.seo = ""
		name("seo", nil)
	}
	var drop []string
	for _, hidden := range p.hidden(p.draft.body, p.body) {
		if rapid.IntRange(0, 5).Draw(rt, "drop") == 0 {
			drop = append(drop, hidden.key)
		}
	}
	keep := func(o *part) bool { return !slices.Contains(drop, o.key) }
	shown := p.shown(p.draft.body, p.body)
	switch rapid.SampledFrom([]string{"", "", "null", "same", "edit", "edit"}).Draw(rt, "body") {
	case "null":
		next.body = nil
		name("body", nil)
	case "edit":
		shown = p.edit(rt, shown, p.body)
		fallthrough
	case "same":
		next.body = p.merge(shown, p.draft.body, p.body, keep)
		name("body", encode(shown))
	default:
		if len(drop) > 0 {
			next.body = p.merge(shown, p.draft.body, p.body, keep)
			named = append(named, "body")
		}
	}
	if len(drop) > 0 {
		wr.Fields.Drop = map[string][]string{"body": drop}
	}
	mode := rapid.SampledFrom([]string{"follow", "keep", "publish"}).Draw(rt, "mode")
	wr.KeepPublished = mode == "keep"
	if mode == "publish" {
		wr.Published, named = new(true), []string{"title", "extra", "seo", "body"}
	}
	_, err := p.Writer.Update(rt.Context(), p.Actor("editor"), p.ref(), nil, wr)
	p.OK(err)
	if p.draft = &next; mode != "keep" {
		p.publish(named)
	}
	p.revise()
}

// publish makes the named fields of the draft public.
func (p *pages) publish(named []string) {
	public := *p.public
	for _, field := range named {
		switch {
		case field == "title":
			public.title = p.draft.title
		case field == "seo":
			public.seo = p.draft.seo
		case field == "extra" && !p.removed["extra"]:
			public.extra = p.draft.extra
		case field == "body":
			held := p.hidden(p.draft.body, p.body)
			keep := func(o *part) bool { return slices.ContainsFunc(held, func(h *part) bool { return h.key == o.key }) }
			public.body = p.merge(p.shown(p.draft.body, p.body), p.public.body, p.body, keep)
			p.dropValues(public.body, p.draft.body, p.body)
		}
	}
	p.public = &public
}

// dropValues removes the hidden values of shown parts that their part in the draft does not have. Hidden parts
// stay as they are.
func (p *pages) dropValues(public, draft []*part, admitted []string) {
	for _, o := range public {
		if !slices.Contains(admitted, o.kind) {
			continue
		}
		i := slices.IndexFunc(draft, func(d *part) bool { return d.key == o.key && d.kind == o.kind })
		if i < 0 {
			continue
		}
		if p.removed[o.kind] && draft[i].sub == "" {
			o.sub = ""
		}
		p.dropValues(o.inner, draft[i].inner, p.inner)
	}
}

// narrow changes the components that the lists admit.
func (p *pages) narrow(rt *rapid.T) {
	some := func(all ...string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, len(all), rapid.ID).Draw(rt, "admitted")
	}
	p.admit(some("hero", "text", "columns"), some("hero", "text"))
}

func (p *pages) admit(body, inner []string) {
	admit := func(slugs []string) func(definition.FieldInput) definition.FieldInput {
		return func(in definition.FieldInput) definition.FieldInput {
			in.Components = slugs
			return in
		}
	}
	p.body, p.inner = body, inner
	_, err := p.Collections.ReviseField(p.Context(), p.change(), "body", admit(body))
	p.OK(err)
	_, err = p.Collections.Components().ReviseField(p.Context(), p.componentChange("columns"), "inner", admit(inner))
	p.OK(err)
}

func (p *pages) change() definition.Change {
	return definition.Change{Actor: core.SystemActor, Project: p.Project, CollectionID: p.collection, Acknowledged: true}
}

func (p *pages) componentChange(slug string) definition.ComponentChange {
	return definition.ComponentChange{Actor: core.SystemActor, Project: p.Project, ComponentID: p.components[slug], Acknowledged: true}
}

// remove removes a field, or adds it again.
func (p *pages) remove(rt *rapid.T) {
	what := rapid.SampledFrom([]string{"hero", "text", "columns", "extra"}).Draw(rt, "removed")
	var err error
	switch again := p.removed[what]; {
	case what == "extra" && again:
		_, err = p.Collections.AddField(rt.Context(), p.change(), definition.FieldInput{Name: "extra", Type: core.TypeText})
	case what == "extra":
		_, err = p.Collections.RemoveField(rt.Context(), p.change(), "extra")
	case again:
		_, err = p.Collections.Components().AddField(rt.Context(), p.componentChange(what), definition.FieldInput{Name: "sub", Type: core.TypeText})
	default:
		_, err = p.Collections.Components().RemoveField(rt.Context(), p.componentChange(what), "sub")
	}
	p.OK(err)
	p.removed[what] = !p.removed[what]
}

func (p *pages) fill(rt *rapid.T) {
	_, err := p.Writer.Fill(rt.Context(), p.Actor("admin"), p.Project, p.collection, writing.Filling{Field: "seo", Fields: []string{"title"}})
	p.OK(err)
	draft, public := *p.draft, *p.public
	for _, v := range []*page{&draft, &public} {
		if v.seo == "" {
			v.seo = v.title
		}
	}
	p.draft, p.public = &draft, &public
	p.revise()
}

// revert restores a revision.
func (p *pages) revert(rt *rapid.T) {
	numbers := []int64{}
	for n := range p.revisions {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	n := rapid.SampledFrom(numbers).Draw(rt, "revision")
	_, err := p.Writer.RestoreRevision(rt.Context(), p.Actor("editor"), p.ref(), n, nil)
	p.OK(err)
	past, next := p.revisions[n], *p.draft
	next.title, next.seo = past.title, past.seo
	if !p.removed["extra"] {
		next.extra = past.extra
	}
	next.body = p.merge(p.shown(past.body, p.body), p.draft.body, p.body, func(*part) bool { return true })
	p.draft = &next
	p.revise()
}

// trash moves the entry to the trash and back.
func (p *pages) trash(rt *rapid.T) {
	_, err := p.Writer.Trash(rt.Context(), p.Actor("editor"), p.ref(), nil, "")
	p.OK(err)
	_, err = p.Writer.Restore(rt.Context(), p.Actor("editor"), p.ref(), nil)
	p.OK(err)
}

// shown returns what responses show of a list that admits some kinds.
func (p *pages) shown(list []*part, admitted []string) (shown []*part) {
	for _, o := range list {
		if slices.Contains(admitted, o.kind) {
			one := *o
			if p.removed[o.kind] {
				one.sub = ""
			}
			one.inner = p.shown(o.inner, p.inner)
			shown = append(shown, &one)
		}
	}
	return shown
}

// hidden returns the parts of a list, and of its shown parts, that are not admitted.
func (p *pages) hidden(list []*part, admitted []string) (hidden []*part) {
	for _, o := range list {
		if slices.Contains(admitted, o.kind) {
			hidden = append(hidden, p.hidden(o.inner, p.inner)...)
		} else {
			hidden = append(hidden, o)
		}
	}
	return hidden
}

// merge returns shown with what stored hides. Each hidden part follows the nearest part before it that is
// left.
func (p *pages) merge(shown, stored []*part, admitted []string, keep func(*part) bool) (merged []*part) {
	index := func(list []*part, of *part) int {
		return slices.IndexFunc(list, func(o *part) bool { return o.key == of.key && o.kind == of.kind })
	}
	for _, o := range shown {
		one := *o
		if i := index(stored, o); i >= 0 {
			if p.removed[o.kind] {
				one.sub = stored[i].sub
			}
			one.inner = p.merge(o.inner, stored[i].inner, p.inner, keep)
		}
		merged = append(merged, &one)
	}
	for i, o := range stored {
		if slices.Contains(admitted, o.kind) || !keep(o) {
			continue
		}
		at := -1
		for j := i - 1; j >= 0 && at < 0; j-- {
			at = index(merged, stored[j])
		}
		merged = slices.Insert(merged, at+1, o)
	}
	return merged
}

// edit returns a list with random changes.
func (p *pages) edit(rt *rapid.T, list []*part, admitted []string) (edited []*part) {
	for _, o := range list {
		switch rapid.SampledFrom([]string{"", "", "remove", "change", "before"}).Draw(rt, "edit") {
		case "remove":
			continue
		case "change":
			o.inner = p.edit(rt, o.inner, p.inner)
			if !p.removed[o.kind] {
				o.sub = rapid.SampledFrom([]string{"", "x", "y"}).Draw(rt, "sub")
			}
		case "before":
			edited = append(edited, p.part(rt, admitted))
		}
		edited = append(edited, o)
	}
	if rapid.Bool().Draw(rt, "append") {
		edited = append(edited, p.part(rt, admitted))
	}
	if rapid.IntRange(0, 3).Draw(rt, "move") == 0 {
		edited = rapid.Permutation(edited).Draw(rt, "order")
	}
	return edited
}

func (p *pages) part(rt *rapid.T, admitted []string) *part {
	p.keys++
	o := &part{key: "k" + strconv.Itoa(p.keys), kind: rapid.SampledFrom(admitted).Draw(rt, "kind")}
	if !p.removed[o.kind] {
		o.sub = fmt.Sprint("s", p.keys)
	}
	if o.kind == "columns" && rapid.Bool().Draw(rt, "inside") {
		o.inner = append(o.inner, p.part(rt, p.inner), p.part(rt, p.inner))
	}
	return o
}

func encode(list []*part) []any {
	encoded := []any{}
	for _, o := range list {
		one := map[string]any{"_key": o.key, "_type": o.kind}
		if o.sub != "" {
			one["sub"] = o.sub
		}
		if o.kind == "columns" {
			one["inner"] = encode(o.inner)
		}
		encoded = append(encoded, one)
	}
	return encoded
}

// compare compares both stored versions with the model.
func (p *pages) compare(rt *rapid.T) {
	e := p.Entry(p.id)
	for name, version := range map[string]struct {
		stored core.Document
		model  *page
	}{"draft": {e.Draft, p.draft}, "published": {e.Published, p.public}} {
		want := map[string]any{"body": encode(version.model.body)}
		for field, text := range map[string]string{"title": version.model.title, "extra": version.model.extra} {
			if text != "" {
				want[field] = text
			}
		}
		if version.model.seo != "" {
			want["seo"] = map[string]any{"title": version.model.seo}
		}
		expected, err := json.Marshal(want)
		p.OK(err)
		if string(version.stored) != string(expected) {
			rt.Fatalf("the %s is\n%s, want\n%s", name, version.stored, expected)
		}
	}
}
