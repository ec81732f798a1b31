package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// rankedSort is the order of a search.
var rankedSort = []query.SortKey{{Field: query.RankField, Desc: true}, {Field: query.MomentField, Desc: true}, {Field: core.SystemID, Desc: true}}

// searching returns a selection of all published entries with the words, in the order of a search.
func searching(t reporter, s *testCollection, text string) query.Selection {
	t.Helper()
	search, fault := words.ParseSearch(text)
	if fault != "" {
		t.Fatalf("%q: %s", text, fault)
	}
	sel := s.all()
	sel.Search, sel.Sort = search, rankedSort
	return sel
}

// searchFields has a title, other searchable texts and texts that no search finds.
func searchFields() []*core.Field {
	return []*core.Field{
		{Name: "title", Type: core.TypeText, Slot: "t1", SlotReady: true, Searchable: true},
		{Name: "body", Type: core.TypeRichText, Searchable: true},
		{Name: "tags", Type: core.TypeText, Multiple: true, Searchable: true},
		{Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true},
		{Name: "kind", Type: core.TypeText, Slot: "t2", SlotReady: true},
		{Name: "secret", Type: core.TypeText, Searchable: true, Hidden: true},
		{Name: "note", Type: core.TypeText},
	}
}

func findsWords(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", searchFields()...)
	other := newTestCollection(t, w, "others", searchFields()...)
	held := []fields{
		{"title": "The Old Harbour", "body": "<p>Ships &amp; <b>boats</b></p><p>come home</p>"},
		{"title": "L’été à Göteborg", "tags": []string{"summer fest", "sea side"}, "body": "<p>Straße im<i>port</i>ant</p>"},
		{"title": "黒猫が東京都にいる", "body": "<p>한국어 공부</p>"},
		{"title": "สวัสดีครับ", "body": "<p>ភាសាខ្មែរ ພາສາລາວ မြန်မာဘာသာ</p>"},
		{"title": "Ёжик в тумане", "body": "<p>שָׁלוֹם עולם كتابٌ جديد</p>"},
		{"title": "हिन्दी में कविता", "body": "<p>ΣΊΣΥΦΟΣ Ⅷ ½</p>"},
		{"title": "wi-fi 3.14 foo_bar example.com", "body": "<p>" + strings.Repeat("donaudampf", 20) + "</p>"},
		{"title": `"quoted" 'single' \ back | & ! ( ) <-> :* NEAR AND OR NOT`, "tags": []string{"* ^ { } : + -", "end"}},
		{"title": "canary", "secret": "canarysecret", "note": "canarynote"},
		{"title": "An e-mail from O’Neill’s", "body": `<p>rock'n'roll</p><p><img src="/x.png" data-media="7" alt="Rowing boats &amp; nets"></p>`, "tags": []string{"AC/DC", "978-3-16-148410-0"}},
		{"title": "Łódź, Bodø & Đà Nẵng", "body": "<p>Æbler, œuvre</p>", "tags": []string{"Ħamrun Işık ISPARTA", "Þing"}},
		{"title": "ตีกลอง かぎ パン", "body": "<p>मेल</p>"},
		{"title": "homepage", "body": "<p>node.js/express</p>"},
	}
	var entries []int64
	for _, one := range held {
		entries = append(entries, coll.add(t, publicOf("en", one)).ID)
	}
	other.add(t, publicOf("en", fields{"title": "canaryother harbour"}))
	draft := coll.add(t, draftOf("en", fields{"title": "canarydraft"}))
	gone := coll.add(t, publicOf("en", fields{"title": "canarytrash"}))
	coll.change(t, &gone, func(e *core.Entry) { e.TrashedAt = at(9) })
	for _, c := range []struct {
		search string
		want   []int
	}{
		{"harbour", []int{0}}, {"HARB", []int{0}}, {"old ha", []int{0}}, {"har", []int{0}}, {"h", nil}, {"arbour", nil}, {"old harbour boats", []int{0}},
		{"boats old", []int{0}}, {`"old harbour"`, []int{0}}, {`"harbour old"`, nil}, {`"the harbour"`, nil}, {`"harbour ships"`, nil}, {`"ships boats come"`, []int{0}},
		{"ship harbour", nil}, {"harbour ship", []int{0}}, {`"old harb"`, nil}, {"été", []int{1}}, {"ETE goteborg", []int{1}}, {"l'ete", []int{1}}, {"strasse important", []int{1}},
		{"port", nil}, {`"fest sea"`, nil}, {`"summer fest" "sea side"`, []int{1}}, {"b", nil}, {"amp", nil}, {"summer harbour", nil},
		{"猫", []int{2}}, {"黒", []int{2}}, {"る", []int{2}}, {"東京", []int{2}}, {"東京都に", []int{2}}, {"黒猫 東京", []int{2}}, {"猫黒", nil}, {"한국", []int{2}}, {"국어", []int{2}}, {"공", []int{2}}, {"국공", nil},
		{"สวัส", []int{3}}, {"ครับ", []int{3}}, {"ខ្មែរ", []int{3}}, {"ລາວ", []int{3}}, {"ဘာသာ", []int{3}}, {"ครับ ລາວ", []int{3}},
		{"ежик", []int{4}}, {"ЁЖ", []int{4}}, {"שלום", []int{4}}, {"كتاب جد", []int{4}}, {"हिन्दी", []int{5}}, {"कविता", []int{5}}, {"σίσυφος", []int{5}}, {"viii", []int{5}},
		{"wi-fi", []int{6}}, {"fi", []int{6}}, {"3.14", []int{6}}, {"foo_bar", []int{6}}, {"foo_b", []int{6}}, {"example.com", []int{6}}, {"wifi", []int{6}}, {"wif", []int{6}}, {"examplecom foo_bar", []int{6}}, {strings.Repeat("donaudampf", 20), []int{6}}, {strings.Repeat("donaudampf", 7), []int{6}},
		{"donaudampf", []int{6}}, {"donaudampfdonaud", []int{6}}, {"donaudampfdonauda", []int{6}}, {"donaudampfdonaux", nil}, {"wi-f", []int{6}}, {"wi-x", nil}, {"near", []int{7}}, {"AND OR NOT", []int{7}}, {`quoted" AND NOT`, nil}, {`quoted" AND OR NOT`, []int{7}}, {"quoted & !single", []int{7}}, {"back | harbour", nil}, {"* end", []int{7}},
		{"NOT harbour", nil}, {"quoted OR harbour", nil}, {"title:harbour", nil}, {"{title}:old", nil}, {"^old", []int{0}}, {"old^2 harbour", nil}, {"ol* harbour", nil}, {"'old'", []int{0}}, {"old <-> harbour", []int{0}},
		{"canarysecret", nil}, {"canarynote", nil}, {"canaryother", nil}, {"canarydraft", nil}, {"canarytrash", nil}, {"canary", []int{8}}, {"can", []int{8}},
		{"email", []int{9}}, {"emai", []int{9}}, {"email from", []int{9}}, {"e-mail", []int{9}}, {`"e-mail from o'neill"`, []int{9}}, {`"mail from"`, []int{9}}, {`"email from"`, nil}, {`"email"`, []int{9}},
		{"oneill from", []int{9}}, {"oneills", []int{9}}, {"neill", []int{9}}, {"rocknroll", []int{9}}, {"rock-n-roll", []int{9}}, {`"rock'n'roll"`, []int{9}}, {"acdc", []int{9}}, {"AC/DC", []int{9}}, {"9783161484100", []int{9}},
		{"boats nets", []int{9}}, {`"rowing boats"`, []int{9}}, {"x.png", nil}, {"home-page", []int{12}}, {"home-pa", []int{12}}, {`"home-page"`, []int{12}}, {"nodejs", []int{12}}, {"nodejsexpress", []int{12}},
		{"lodz", []int{10}}, {"bodo", []int{10}}, {"da nang", []int{10}}, {"aebler", []int{10}}, {"oeuvre", []int{10}}, {"hamrun", []int{10}}, {"isik ısparta", []int{10}}, {"thing", []int{10}}, {"ŁÓD", []int{10}},
		{"ตี", []int{11}}, {"ตู", nil}, {"かぎ", []int{11}}, {"かき", nil}, {"パン", []int{11}}, {"ハン", nil}, {"ﾊﾟﾝ", []int{11}}, {"मेल", []int{11}}, {"मल", nil},
	} {
		sel := searching(t, coll, c.search)
		want := elementsAt(entries, c.want)
		if got := coll.list(t, sel); !slices.Equal(got, want) {
			t.Errorf("%q found %v, want %v", c.search, got, want)
		}
		sel.Sort = sortedBy(coll.schema.Collection, "-views")
		if got := coll.list(t, sel); !slices.Equal(got, want) {
			t.Errorf("%q by views found %v, want %v", c.search, got, want)
		}
	}
	drafts := searching(t, coll, "canarydraft")
	drafts.State = core.StateWithDraft
	assertEqual(t, coll.list(t, drafts), []int64{draft.ID})
	drafts.State = core.StateOnlyDraft
	assertEqual(t, coll.list(t, drafts), []int64{draft.ID})
}

// ranksWords checks the order of searches, pages after each row, and the other conditions beside a search.
func ranksWords(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", searchFields()...)
	add := func(moment int, title, body string) core.Entry {
		content := fields{"title": title, "body": "<p>" + body + "</p>", "views": moment % 3, "kind": fmt.Sprint("kind ", moment%2)}
		e := publicOf("en", content)
		e.PublishedAt = time.Date(2026, 1, 1, 0, 0, moment, 0, time.UTC)
		return coll.add(t, e)
	}
	first := add(10, "Harbour news", "boats")
	second := add(30, "News", "harbour")
	third := add(20, "Old harbour", "news")
	fourth := add(30, "Nothing", "news harbour")
	fifth := add(20, "News from the harbour", "")
	sixth := add(40, "Nothing", "of that")
	ids := func(entries ...core.Entry) (list []int64) {
		for _, e := range entries {
			list = append(list, e.ID)
		}
		return list
	}
	assertEqual(t, coll.list(t, searching(t, coll, "harbour")), ids(fifth, third, first, fourth, second))
	assertEqual(t, coll.list(t, searching(t, coll, "news harbour")), ids(fifth, first, fourth, second, third))
	assertEqual(t, coll.list(t, searching(t, coll, "not")), ids(sixth, fourth))
	coll.walks(t, searching(t, coll, "harbour"))
	coll.walks(t, searching(t, coll, "news harbour"))
	sel := searching(t, coll, "harbour")
	sel.Where = []query.Predicate{equals(coll, "kind", text("kind 0"))}
	assertEqual(t, coll.list(t, sel), ids(fifth, third, first, fourth, second))
	sel.Where = []query.Predicate{equals(coll, "views", num(0))}
	assertEqual(t, coll.list(t, sel), ids(fourth, second))
	coll.walks(t, sel)
	sel.Where, sel.Or = nil, [][]query.Predicate{{equals(coll, "views", num(1))}, {equals(coll, "title", text("News"))}}
	assertEqual(t, coll.list(t, sel), ids(first, second))
	sel.Or, sel.Sort = nil, sortedBy(coll.schema.Collection, "views", "-id")
	coll.walks(t, sel)
	sel = searching(t, coll, "harbour")
	sel.Offset, sel.Limit = 1, 2
	assertEqual(t, coll.list(t, sel), ids(third, first, fourth))

	// A title that is not searchable has no rank.
	plain := newTestCollection(t, w, "plain", &core.Field{Name: "title", Type: core.TypeText}, &core.Field{Name: "text", Type: core.TypeLongText, Searchable: true})
	one := plain.add(t, publicOf("en", fields{"title": "harbour", "text": "harbour"}))
	two := plain.add(t, publicOf("en", fields{"title": "x", "text": "harbour"}))
	plain.add(t, publicOf("en", fields{"title": "harbour", "text": "x"}))
	assertEqual(t, plain.list(t, searching(t, plain, "harbour")), ids(two, one))
	plain.walks(t, searching(t, plain, "harbour"))
}

// findsWordsInLocales checks that a search finds the entries that are served, in each version.
func findsWordsInLocales(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", searchFields()...)
	put := func(group int64, locale, title string) core.Entry {
		return coll.add(t, inGroup(group, publicOf(locale, fields{"title": title})))
	}
	en := put(0, "en", "common english")
	fr := put(en.Group, "fr", "common french")
	only := put(0, "en", "common only")
	coll.change(t, &only, func(e *core.Entry) { e.Draft = doc(fields{"title": "common edited"}) })
	draft := coll.add(t, draftOf("fr", fields{"title": "common draft"}))
	for _, c := range []struct {
		state          core.State
		locale, search string
		want           []int64
	}{
		{core.StatePublished, "en", "common", []int64{only.ID, en.ID}},
		{core.StatePublished, "fr", "common", []int64{only.ID, fr.ID}},
		{core.StatePublished, "fr", "english", nil},
		{core.StatePublished, "fr-CA", "french", []int64{fr.ID}},
		{core.StatePublished, "de", "english", []int64{en.ID}},
		{core.StatePublished, "de", "french", nil},
		{core.StatePublished, query.AllLocales, "common", []int64{only.ID, fr.ID, en.ID}},
		{core.StatePublished, "en", "edited", nil},
		{core.StateWithDraft, "en", "edited", []int64{only.ID}},
		{core.StateWithDraft, "en", "only", nil},
		{core.StateWithDraft, "fr", "common", []int64{only.ID, fr.ID, draft.ID}},
		{core.StateWithDraft, query.AllLocales, "common", []int64{only.ID, fr.ID, en.ID, draft.ID}},
		{core.StateOnlyDraft, "fr", "common", []int64{draft.ID}},
	} {
		sel := searching(t, coll, c.search)
		sel.State, sel.Locale = c.state, c.locale
		if got := coll.list(t, sel); !slices.Equal(got, c.want) {
			t.Errorf("state %d, locale %s, %q: found %v, want %v", c.state, c.locale, c.search, got, c.want)
		}
		if len(c.want) > 0 {
			coll.walks(t, sel)
		}
		sel.Sort = sortedBy(coll.schema.Collection, "id")
		slices.Sort(c.want)
		if got := coll.list(t, sel); !slices.Equal(got, c.want) {
			t.Errorf("state %d, locale %s, %q by id: found %v, want %v", c.state, c.locale, c.search, got, c.want)
		}
	}
	coll.change(t, &fr, func(e *core.Entry) { e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{} })
	sel := searching(t, coll, "english")
	sel.Locale = "fr"
	assertEqual(t, coll.list(t, sel), []int64{en.ID})
	requireNoError(t, coll.destroy(t, en.ID))
	assertEqual(t, coll.list(t, sel), nilIDs)
}

// findsCommonWords checks searches that more entries match than are read at once, in each order and beside
// conditions that few or many entries meet.
func findsCommonWords(t *testing.T, w *fixture) {
	const many = 4_300
	coll := newTestCollection(t, w, "articles", searchFields()...)
	all := make([]*core.Entry, many)
	for n := range all {
		title, body := "Sea", "<p>wi-fi harbours</p>"
		if n%5 == 0 {
			title, body = "Harbour", "<p>wi-fi</p>"
		}
		e := publicOf("en", fields{"title": title, "body": body, "views": n % 1000, "kind": fmt.Sprint("kind ", n%3)})
		e.PublishedAt = time.Date(2026, 1, 1, 0, 0, n*7919%many/2, 0, time.UTC)
		all[n] = &e
	}
	requireNoError(t, coll.save(t, all...))
	kind, views := coll.schema.Collection.Queryable("kind"), coll.schema.Collection.Queryable("views")
	for name, c := range map[string]struct {
		where   []query.Predicate
		matches func(n int) bool
	}{
		"all":     {nil, func(int) bool { return true }},
		"a third": {[]query.Predicate{{Field: kind, Values: []core.Value{text("kind 1")}}}, func(n int) bool { return n%3 == 1 }},
		"few":     {[]query.Predicate{{Field: views, Values: []core.Value{num(11)}}}, func(n int) bool { return n%1000 == 11 }},
	} {
		for _, search := range []string{"harb", "harbours wi", "wi-fi", `"wi fi"`} {
			sel := searching(t, coll, search)
			sel.Where, sel.Limit = c.where, 30
			ranked := func(n int) int {
				if n%5 == 0 && !strings.Contains(search, "wi") {
					return 1
				}
				return 0
			}
			var want []*core.Entry
			number := map[*core.Entry]int{}
			for n, e := range all {
				number[e] = n
				if c.matches(n) && (search != "harbours wi" || n%5 != 0) {
					want = append(want, e)
				}
			}
			slices.SortFunc(want, func(a, b *core.Entry) int {
				return cmp.Or(ranked(number[b])-ranked(number[a]), b.PublishedAt.Compare(a.PublishedAt), int(b.ID-a.ID))
			})
			coll.lists(t, name+", "+search, sel, want)
			sel.Sort = sortedBy(coll.schema.Collection, "-views", "-id")
			slices.SortFunc(want, func(a, b *core.Entry) int {
				return cmp.Or(number[b]%1000-number[a]%1000, int(b.ID-a.ID))
			})
			coll.lists(t, name+", "+search+" by views", sel, want)
			sel.Limit = 0
			assertEqual(t, result(w.Entries.Count(t.Context(), sel))(t), int64(len(want)))
		}
	}
}

// lists checks the first page of a selection, and the page after it.
func (s *testCollection) lists(t *testing.T, name string, sel query.Selection, want []*core.Entry) {
	t.Helper()
	for range 2 {
		rows := listed(t, s.w.Entries, sel)
		rows = rows[:min(len(rows), int(sel.Limit))]
		first := want[:min(len(want), len(rows))]
		if got, want := ids(rows, func(r core.Row) int64 { return r.ID }), ids(first, func(e *core.Entry) int64 { return e.ID }); len(rows) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
			return
		}
		if want = want[len(rows):]; len(want) == 0 {
			return
		}
		sel.After = positionOf(sel, rows[len(rows)-1])
	}
}

// findsLongTexts checks texts with more words than an index has.
func findsLongTexts(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", searchFields()...)
	long := coll.add(t, publicOf("en", fields{"title": "long", "body": "<p>" + strings.Repeat("filler ", words.MaxPositions-100) + "inside " + strings.Repeat("filler ", 200) + "outside</p>"}))
	var wide strings.Builder
	for n := range 12_000 {
		fmt.Fprintf(&wide, "%s%d ", strings.Repeat("w", 50), n)
	}
	coll.add(t, publicOf("en", fields{"title": "wide", "body": "<p>" + wide.String() + "</p>"}))
	common := coll.add(t, publicOf("en", fields{"title": "cats", "body": "<p>" + strings.Repeat("the cat ", 300) + "the dog</p>"}))
	assertEqual(t, coll.list(t, searching(t, coll, "inside")), []int64{long.ID})
	assertEqual(t, coll.list(t, searching(t, coll, "outside")), nilIDs)
	assertEqual(t, coll.list(t, searching(t, coll, "dog")), []int64{common.ID})
	assertEqual(t, coll.list(t, searching(t, coll, `"the cat"`)), []int64{common.ID})
	assertEqual(t, coll.list(t, searching(t, coll, `"the dog"`)), nilIDs) // behind 256 places of "the"
}

// forgetsWords checks that searches find no words that were indexed before an epoch.
func forgetsWords(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", searchFields()...)
	e := coll.add(t, publicOf("en", fields{"title": "harbour", "tags": []string{"canary"}}))
	kept := coll.add(t, publicOf("en", fields{"title": "other"}))
	assertEqual(t, coll.list(t, searching(t, coll, "canary")), []int64{e.ID})
	coll.redefine(t, func(c *core.Collection) {
		c.Fields = slices.DeleteFunc(c.Fields, func(f *core.Field) bool { return f.Name == "tags" })
		c.WordsEpoch++
	})
	assertEqual(t, coll.list(t, searching(t, coll, "canary")), nilIDs)
	_, err := w.Entries.Reindex(t.Context(), coll.schema, 0, 100)
	requireNoError(t, err)
	assertEqual(t, coll.list(t, searching(t, coll, "harb")), []int64{e.ID})
	assertEqual(t, coll.list(t, searching(t, coll, "canary")), nilIDs)
	assertEqual(t, coll.list(t, searching(t, coll, "other")), []int64{kept.ID})
}

// drawSearchText draws the text of a search: words of contents, their beginnings and phrases.
func drawSearchText(rt *rapid.T, known written, slug string) string {
	var texts []string
	for key, values := range known {
		for _, v := range values {
			if text, ok := v.(string); ok && key[0] == slug {
				texts = append(texts, text)
			}
		}
	}
	slices.Sort(texts)
	part := func() string {
		tokens := []string{"a", "long", "猫", "黒猫", "text", "ab"}
		if len(texts) > 0 {
			tokens = append(tokens, words.Tokens(rapid.SampledFrom(texts).Draw(rt, "searched text"))...)
		}
		at := rapid.IntRange(0, len(tokens)-1).Draw(rt, "word")
		switch rapid.IntRange(0, 3).Draw(rt, "kind of word") {
		case 0:
			return `"` + strings.Join(tokens[at:min(len(tokens), at+rapid.IntRange(1, 3).Draw(rt, "phrase"))], " ") + `"`
		case 1:
			runes := []rune(tokens[at])
			return string(runes[:min(len(runes), rapid.IntRange(1, 5).Draw(rt, "beginning"))])
		default:
			return tokens[at]
		}
	}
	parts := make([]string, rapid.IntRange(1, 3).Draw(rt, "words"))
	for i := range parts {
		parts[i] = part()
	}
	return strings.Join(parts, " ")
}

// findsWordsInSeveral checks ports.TitleFinder.Worded.
func findsWordsInSeveral(t *testing.T, w *fixture) {
	one, two := newTestCollection(t, w, "articles", searchFields()...), newTestCollection(t, w, "pages", searchFields()...)
	left := newTestCollection(t, w, "left", searchFields()...)
	at := func(moment int, e core.Entry) core.Entry {
		e.PublishedAt = time.Date(2026, 1, 1, 0, 0, moment, 0, time.UTC)
		return e
	}
	first := one.add(t, at(10, publicOf("en", fields{"title": "Old harbour"})))
	second := two.add(t, at(30, publicOf("fr", fields{"title": "x", "body": "<p>harbour old</p>"})))
	changed := one.add(t, at(20, publicOf("en", fields{"title": "harbour canary"})))
	one.change(t, &changed, func(e *core.Entry) { e.Draft = doc(fields{"title": "harbour edited"}) })
	early := draftOf("de", fields{"title": "harbour"})
	early.CreatedAt = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	draft := two.add(t, early)
	gone := one.add(t, publicOf("en", fields{"title": "harbour"}))
	one.change(t, &gone, func(e *core.Entry) { e.TrashedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) })
	left.add(t, publicOf("en", fields{"title": "harbour"}))
	find := func(text string, titles bool, limit int) []int64 {
		search, _ := words.ParseSearch(text)
		q := query.WordsQuery{Schemas: []core.Schema{one.schema, two.schema}, Search: search, Titles: titles, Limit: limit}
		return ids(result(w.Entries.Worded(t.Context(), q))(t), func(e core.Entry) int64 { return e.ID })
	}
	assertEqual(t, find("harbour", false, 5), []int64{second.ID, changed.ID, first.ID, draft.ID})
	assertEqual(t, find("harb", false, 2), []int64{second.ID, changed.ID})
	assertEqual(t, find("harbour", true, 5), []int64{changed.ID, first.ID, draft.ID})
	assertEqual(t, find("old harb", false, 5), []int64{second.ID, first.ID})
	assertEqual(t, find("canary", false, 5), nilIDs)
	assertEqual(t, find("edited", false, 5), []int64{changed.ID})
}
