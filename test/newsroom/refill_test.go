package newsroom_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/memory"
	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/core/words"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
	"imprimatur/test/newsroom"
)

// TestTheIndexIsRefilledForOtherForms has an index of an older version of words: its lexemes, sort keys and
// forms of texts differ. The back-fill replaces its rows while entries are written. It is stopped between
// batches and within them. All answers are then those of stores in memory with the same entries.
func TestTheIndexIsRefilledForOtherForms(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, open)
			p.agree()

			p.age()
			for _, q := range affected {
				require.False(t, slices.Equal(p.right.answer(q), p.aged.answer(q)), "the index of the older version gives right answers to %+v", q)
			}
			p.write("before") // clears the Forms, because the index has texts of two versions
			require.Empty(t, p.aged.stored().Forms)
			p.aged.Check() // reports no forms of the older version
			p.write("again")

			first := p.aged.filler()
			p.fills(first, 11) // the mark, and 200 entries
			p.write("meanwhile")
			p.interrupt(first)
			require.False(t, p.aged.stored().FormsReady)
			p.aged.Check()

			second := p.aged.filler() // of a process that starts
			p.fills(second, 10)
			p.write("later")
			p.interrupt(second)
			p.fill(second)
			p.ready(second)

			p.mark("0 older", true) // the index is right: nothing but the mark is written
			third := p.aged.filler()
			written := p.observed(func(ctx context.Context) {
				for did := true; did; {
					var err error
					did, err = third.Backfill(ctx)
					require.NoError(t, err)
				}
			})
			require.NotEmpty(t, written)
			for _, text := range written {
				require.NotRegexp(t, "^(INSERT INTO|UPDATE|DELETE FROM) entry_", text, "a refill writes rows that do not differ")
			}
			p.ready(p.aged.filler())
		})
	}
}

// TestLongTextsOfAnOlderVersionAreIndexed has a text whose folded form was short enough for an older version of
// words, and is longer than a field now accepts.
func TestLongTextsOfAnOlderVersionAreIndexed(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, open)
			kana := []rune("がぎぐげござじずぜぞだぢづでどばびぶべぼガギグゲゴザジズゼゾダヂヅデドバビブベボ")
			long, next := "", uint32(1)
			for range 333 {
				next = next*1664525 + 1013904223
				long += string(kana[int(next>>16)%len(kana)])
			}
			p.exec("UPDATE entries SET draft = replace(draft, 'Harbour 1\"', '"+long+"\"') WHERE project_id = $1 AND collection_id = $2", p.aged.Project.ID, p.aged.stories.ID)
			p.mark("0 older", true)
			filler := p.aged.filler()
			p.fill(filler)
			require.True(t, p.aged.stored().FormsReady)
			p.aged.Check()
			same := query.Query{State: "with_draft", Where: []query.Filter{where("title", "", long)}}
			require.Len(t, p.aged.answer(same), 1)
			require.Equal(t, p.aged.answer(same), p.aged.answer(query.Query{State: "with_draft", Where: []query.Filter{where("title", "gte", "が"), where("title", "lt", "東")}}))
		})
	}
}

// affected are questions that an index of the older version of words answers wrongly.
var affected = []query.Query{
	{Search: "café"}, {Search: "CAFE"}, {Search: "stras"}, {Search: "straße"}, {Search: "東京"}, {Search: `"café straße"`},
	{Search: "harbour smørrebrød", State: "with_draft"}, {Search: "cafe harbour", Locale: "*"}, {Search: "cafe", Sort: "title:asc"},
	{Search: "smø", Sort: "note:desc", Locale: "de"}, {Search: "harbour", Or: [][]query.Filter{{where("rank", "lt", "1")}, {where("note", "like", "É")}}},
	{Sort: "title:asc"}, {Sort: "title:desc", State: "with_draft"}, {Sort: "note:asc"}, {Sort: "note:desc", Locale: "*"},
	{Where: []query.Filter{where("title", "like", "CAFÉ")}}, {Where: []query.Filter{where("note", "like", "straße")}},
	{Where: []query.Filter{where("title", "gte", "smø")}}, {Where: []query.Filter{where("note", "gte", "f")}},
	{Where: []query.Filter{where("title", "", "Café 8")}},
}

// others are questions that both versions of words answer alike.
var others = []query.Query{
	{Search: "harbour"}, {Search: "harb", State: "only_draft"}, {Search: "harbour", Sort: "rank:asc"}, {Sort: "rank:desc", Locale: "de"}, {},
	{Search: "before"}, {Search: "again"}, {Search: "meanwhile"}, {Search: "later", Locale: "*"}, {Search: "later cafe"}, {Search: "resumé"},
	{Where: []query.Filter{where("note", "", "東京 9")}},
}

func where(field, op, value string) query.Filter {
	return query.Filter{Field: field, Op: op, Operand: query.Operand{Items: []any{value}}}
}

// older has letters, and those for which the older version of words took them.
var older = [][2]string{{"é", "ź"}, {"É", "Ź"}, {"ø", "ŵ"}, {"ß", "ƒ"}, {"東", "西"}}

// place is a Fixture with the collection of stories.
type place struct {
	*newsroom.Fixture
	clock   *contenttest.Clock
	stories *core.Collection
	ids     map[string]int64 // by code
}

// pair has an engine whose index ages, and one in memory. Both get the same writes.
type pair struct {
	t           *testing.T
	aged, right *place
	db          *sqlstore.DB
}

func newPair(t *testing.T, open open) *pair {
	t.Helper()
	stores, tx := open(t)
	store := memory.New()
	p := &pair{t: t, db: tx.(*sqlstore.DB)} //nolint:errcheck,forcetypeassert // both engines are a sqlstore.DB
	for _, of := range []**place{&p.aged, &p.right} {
		clock := &contenttest.Clock{Time: contenttest.Day}
		w := newsroom.New(t, stores, tx, clock)
		text := func(name string, kind core.FieldType) definition.FieldInput {
			return definition.FieldInput{Name: name, Type: kind, Searchable: true}
		}
		note := text("note", core.TypeText)
		note.Indexed, note.Searchable = new(false), false
		c, err := w.Collections.Create(t.Context(), core.SystemActor, w.Project, definition.CollectionInput{Slug: "stories", Name: "Stories", Fields: []definition.FieldInput{
			text("title", core.TypeText), text("body", core.TypeRichText), note,
			{Name: "rank", Type: core.TypeNumber}, {Name: "code", Type: core.TypeText, Unique: true},
		}})
		w.OK(err)
		*of = &place{Fixture: w, clock: clock, stories: c, ids: map[string]int64{}}
		stores, tx = store.Stores(), store
	}
	p.each(func(w *place) {
		var lines bytes.Buffer
		for i := range 450 { // a back-fill does 20 at once
			word := []string{"Café", "Straße", "Smørrebrød", "東京", "Harbour", "Épée"}[i%6]
			body := []string{"the café straße", "harbour", "a smørrebrød in the harbour"}[i%3]
			fmt.Fprintf(&lines, `{"published":%t,"fields":{"title":"%s %d","body":"<p>%s</p>","note":"%s %d","rank":%d,"code":"i%d"}}`+"\n",
				i%7 > 0, word, i/6, body, strings.ToLower(word), i/6, i%11, i)
		}
		_, err := w.Importer.Import(t.Context(), core.SystemActor, w.Project, w.stories.ID, &lines, transfer.ImportOptions{})
		w.OK(err)
		w.know()
		for i := range 40 {
			w.update(fmt.Sprint("i", 11*i), fmt.Sprintf(`{"title":"Résumé %d café","note":"é %d"}`, i, i), i%2 == 0)
		}
		for i := range 12 {
			w.create(fmt.Sprint("d", i), fmt.Sprintf(`{"title":"Große Straße %d","body":"<p>smørrebrød</p>","note":"große %d"}`, i, i), fmt.Sprint("i", 30*i))
		}
		w.trash("i20")
	})
	return p
}

// each does the same with both Fixtures.
func (p *pair) each(do func(w *place)) {
	do(p.aged)
	do(p.right)
}

// know reads the ids of all stories.
func (w *place) know() {
	all, err := w.Stores.Entries.Walk(w.Context(), w.Project.ID, w.stories.ID, 0, 10_000)
	w.OK(err)
	for i := range all {
		var code string
		w.OK(json.Unmarshal(all[i].Draft.Values()["code"], &code))
		w.ids[code] = all[i].ID
	}
}

func (w *place) ref(code string) review.EntryRef {
	return review.EntryRef{Project: w.Project, CollectionID: w.stories.ID, ID: w.ids[code]}
}

func writeOf(w *place, fields string) core.EntryWrite {
	var in core.EntryWrite
	w.OK(json.Unmarshal([]byte(fields), &in.Fields.Raw))
	return in
}

// create creates a published story, as the German translation of another one if of is not empty.
func (w *place) create(code, fields, of string) {
	w.clock.Time = w.clock.Time.Add(time.Second)
	in := writeOf(w, fields)
	in.Published, in.Fields.Raw["code"] = new(true), json.RawMessage(`"`+code+`"`)
	if of != "" {
		in.Locale, in.TranslationOf = new("de"), new(w.ids[of])
	}
	made, err := w.Writer.Create(w.Context(), w.Actor("editor"), w.Project, w.stories.ID, in)
	w.OK(err)
	w.ids[code] = made.Entry.ID
}

// update changes a story. If keep is true, readers keep seeing the version before.
func (w *place) update(code, fields string, keep bool) {
	w.clock.Time = w.clock.Time.Add(time.Second)
	in := writeOf(w, fields)
	in.KeepPublished = keep
	_, err := w.Writer.Update(w.Context(), w.Actor("editor"), w.ref(code), nil, in)
	w.OK(err)
}

func (w *place) trash(code string) {
	_, err := w.Writer.Trash(w.Context(), w.Actor("editor"), w.ref(code), nil, "")
	w.OK(err)
}

// write creates, changes, trashes and restores stories at both ends of the collection.
func (p *pair) write(word string) {
	p.t.Helper()
	p.each(func(w *place) {
		w.create(word, `{"title":"Café `+word+`","body":"<p>straße</p>","note":"é `+word+`"}`, "")
		for i, code := range []string{"i1", "i230", "i440"} {
			w.update(code, fmt.Sprintf(`{"title":"%s smørrebrød %d","note":"ø %s"}`, word, i, word), i == 1)
		}
		for _, code := range []string{"i22", "i444"} {
			w.trash(code)
			w.clock.Time = w.clock.Time.Add(time.Second)
			_, err := w.Writer.Restore(w.Context(), w.Actor("editor"), w.ref(code), nil)
			w.OK(err)
		}
	})
}

// age gives the index of the engine the rows that an older version of words would have made: those of
// documents with other letters.
func (p *pair) age() {
	p.t.Helper()
	w := p.aged
	p.respell(0, 1)
	w.OK(w.Tx.Do(w.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		schema, err := stores.Collections.Hold(ctx, w.Project.ID, w.stories.ID)
		for last := int64(1); err == nil && last > 0; {
			if last == 1 {
				last = 0
			}
			last, err = stores.Entries.Reindex(ctx, schema, last, 10_000)
		}
		return err
	}))
	p.respell(1, 0)
	p.mark("0 older", true)
}

// respell replaces the letters of all documents of the engine.
func (p *pair) respell(from, to int) {
	p.t.Helper()
	for _, letters := range older {
		for _, column := range []string{"draft", "published"} {
			respelled := "replace(" + column + ", '" + letters[from] + "', '" + letters[to] + "')"
			p.exec("UPDATE entries SET "+column+" = "+respelled+" WHERE project_id = $1 AND collection_id = $2", p.aged.Project.ID, p.aged.stories.ID)
		}
	}
}

// mark stores by which version of words the collection is indexed.
func (p *pair) mark(forms string, ready bool) {
	p.t.Helper()
	p.exec("UPDATE collections SET forms = $3, forms_ready = $4, version = version + 1 WHERE project_id = $1 AND id = $2", p.aged.Project.ID, p.aged.stories.ID, forms, ready)
}

func (p *pair) exec(text string, args ...any) {
	p.t.Helper()
	_, err := p.db.Writer().ExecContext(p.t.Context(), text, args...)
	require.NoError(p.t, err)
}

// stored returns the collection as it is stored.
func (w *place) stored() *core.Collection {
	c, err := w.Stores.Collections.Collection(w.Context(), w.Project.ID, w.stories.ID)
	w.OK(err)
	return c
}

// filler returns the back-fill of a process that starts.
func (w *place) filler() *definition.Collections {
	return definition.NewCollections(w.Stores, w.Tx, w.Requests, w.Clock)
}

// fills runs batches of a back-fill.
func (p *pair) fills(filler *definition.Collections, batches int) {
	p.t.Helper()
	for range batches {
		did, err := filler.Backfill(p.t.Context())
		require.NoError(p.t, err)
		require.True(p.t, did)
	}
}

// fill runs a back-fill until it has nothing left to do.
func (p *pair) fill(filler *definition.Collections) {
	p.t.Helper()
	for did := true; did; {
		var err error
		did, err = filler.Backfill(p.t.Context())
		require.NoError(p.t, err)
	}
}

// interrupt stops a back-fill when it writes the words of a batch.
func (p *pair) interrupt(filler *definition.Collections) {
	p.t.Helper()
	ctx, stop := context.WithCancel(p.t.Context())
	defer stop()
	_, err := filler.Backfill(sqldb.WithStatementObserver(ctx, func(text string, _ []any) {
		if strings.HasPrefix(text, "INSERT INTO entry_words") {
			stop()
		}
	}))
	require.ErrorIs(p.t, err, context.Canceled)
}

// observed returns the statements that write while do runs.
func (p *pair) observed(do func(ctx context.Context)) (written []string) {
	do(sqldb.WithStatementObserver(p.t.Context(), func(text string, _ []any) {
		if !strings.HasPrefix(text, "SELECT") && !strings.HasPrefix(text, "WITH") {
			written = append(written, text)
		}
	}))
	return written
}

// ready requires that a back-fill has nothing to do, and that the index and all answers are right.
func (p *pair) ready(filler *definition.Collections) {
	p.t.Helper()
	require.Empty(p.t, p.observed(func(ctx context.Context) {
		did, err := filler.Backfill(ctx)
		require.NoError(p.t, err)
		require.False(p.t, did)
	}))
	c := p.aged.stored()
	require.Equal(p.t, words.Version, c.Forms)
	require.True(p.t, c.FormsReady)
	p.aged.Check()
	p.agree()
}

// agree requires that the engine answers as the stores in memory do.
func (p *pair) agree() {
	p.t.Helper()
	for _, q := range slices.Concat(affected, others) {
		require.Equal(p.t, p.right.answer(q), p.aged.answer(q), "%+v", q)
	}
	for _, search := range []string{"café", "harbour", "later straße", "smø"} {
		require.Equal(p.t, p.right.worded(search), p.aged.worded(search), search)
	}
}

// answer returns the codes of the entries that a list has. Those in the order of a search are sorted by code,
// because stores publish in different seconds; it checks that order.
func (w *place) answer(q query.Query) []string {
	w.Helper()
	reader := reading.NewReader(w.Stores.Entries, contenttest.Schemas{Stores: w.Stores}, w.Stores.Media, "")
	q.Collection, q.Limit = "stories", new(int64(500))
	listing, err := reader.Prepare(w.Context(), w.Project, true, q)
	w.OK(err)
	page, err := listing.Page(w.Context())
	w.OK(err)
	var ids []int64
	for _, e := range page.Entries {
		ids = append(ids, e.ID)
	}
	if q.Search == "" || q.Sort != "" {
		return w.codes(ids)
	}
	search, _ := words.ParseSearch(q.Search)
	return w.ranked(ids, func(e *core.Entry) float64 {
		document := e.Draft
		if q.State == "" {
			document = e.Published
		}
		return w.stored().Rank(search, document)
	})
}

// ranked requires that entries are in the order of a search, and returns their codes in another order.
func (w *place) ranked(ids []int64, rank func(*core.Entry) float64) []string {
	w.Helper()
	found, err := w.Stores.Entries.Entries(w.Context(), w.Project.ID, ids)
	w.OK(err)
	slices.SortFunc(found, func(a, b core.Entry) int { return cmp.Or(cmp.Compare(rank(&b), rank(&a)), query.NewestMoment(a, b)) })
	var want []int64
	for i := range found {
		want = append(want, found[i].ID)
	}
	if !slices.Equal(ids, want) {
		w.Fatalf("not in the order of a search: %d, want %d", ids, want)
	}
	return slices.Sorted(slices.Values(w.codes(ids)))
}

// worded returns the codes of the entries that a search of several collections finds.
func (w *place) worded(text string) []string {
	w.Helper()
	search, fault := words.ParseSearch(text)
	if fault != "" {
		w.Fatalf("%s: %s", text, fault)
	}
	related, err := w.Stores.Collections.Related(w.Context(), w.Project.ID, w.stories.ID)
	w.OK(err)
	schema := core.Schema{Project: w.Project, Collection: related[0], Collections: related}
	found, err := w.Stores.Entries.Worded(w.Context(), query.WordsQuery{Schemas: []core.Schema{schema}, Search: search, Limit: 500})
	w.OK(err)
	var ids []int64
	for i := range found {
		ids = append(ids, found[i].ID)
	}
	return w.ranked(ids, func(*core.Entry) float64 { return 0 })
}

func (w *place) codes(ids []int64) []string {
	byID := map[int64]string{}
	for code, id := range w.ids {
		byID[id] = code
	}
	codes := make([]string, len(ids))
	for i, id := range ids {
		codes[i] = byID[id]
	}
	return codes
}
