package reading

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/entrystatus"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

var (
	cursorTitle = &core.Field{ID: 1, Name: "title", Type: core.TypeText}
	cursorViews = &core.Field{ID: 2, Name: "views", Type: core.TypeNumber}
)

// cursorSelection sorts by title, by views in the other direction, and by the id.
func cursorSelection() query.Selection {
	return query.Selection{
		Schema: core.Schema{Project: &core.Project{ID: 3}, Collection: &core.Collection{ID: 7}}, Locale: "en",
		Sort: []query.SortKey{{Field: cursorTitle}, {Field: cursorViews, Desc: true}, {Field: core.SystemID, Desc: true}},
	}
}

func TestCursorsKeepThePosition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		sel := cursorSelection()
		at := &query.Position{ID: rapid.Int64().Draw(rt, "id"), Values: make([]*core.Value, 2)}
		if rapid.Bool().Draw(rt, "titled") {
			at.Values[0] = &core.Value{Text: strings.ReplaceAll(rapid.String().Draw(rt, "title"), "\x00", "")}
		}
		if rapid.Bool().Draw(rt, "viewed") {
			at.Values[1] = &core.Value{Num: rapid.Float64().Draw(rt, "views")}
		}
		cursor := encodeCursor(&sel, at)
		require.Equal(rt, at, positionOf(&sel, cursor))
		changed := []byte(cursor)
		place := rapid.IntRange(0, len(changed)-1).Draw(rt, "place")
		changed[place] = rapid.SampledFrom([]byte("AQgw_-09.\n")).Draw(rt, "byte")
		if string(changed) != cursor {
			require.Nil(rt, positionOf(&sel, string(changed)))
		}
		require.Nil(rt, positionOf(&sel, cursor[:place]))
		require.Nil(rt, positionOf(&sel, cursor+"A"))
		require.Nil(rt, positionOf(&sel, cursor[:place]+"\n"+cursor[place:]), "the decoder skips line ends")
	})
}

func TestCursorsOfOtherListsAreRefused(t *testing.T) {
	t.Parallel()
	sel := cursorSelection()
	at := &query.Position{ID: 5, Values: []*core.Value{{Text: "a"}, nil}}
	cursor := encodeCursor(&sel, at)
	clause := query.Predicate{Field: cursorViews, Op: query.OpGreater, Values: []core.Value{{Num: 1}}}
	for name, change := range map[string]func(*query.Selection){
		"project":    func(sel *query.Selection) { sel.Schema.Project = &core.Project{ID: 4} },
		"collection": func(sel *query.Selection) { sel.Schema.Collection = &core.Collection{ID: 8} },
		"where":      func(sel *query.Selection) { sel.Where = []query.Predicate{clause} },
		"or":         func(sel *query.Selection) { sel.Or = [][]query.Predicate{{clause}} },
		"direction":  func(sel *query.Selection) { sel.Sort[1].Desc = false },
		"new field":  func(sel *query.Selection) { sel.Sort[0].Field = &core.Field{ID: 9, Name: "title", Type: core.TypeText} },
		"fewer keys": func(sel *query.Selection) { sel.Sort = sel.Sort[1:] },
		"locale":     func(sel *query.Selection) { sel.Locale = query.AllLocales },
		"state":      func(sel *query.Selection) { sel.State = core.StateWithDraft },
		"status":     func(sel *query.Selection) { sel.Status = entrystatus.Draft },
		"editor":     func(sel *query.Selection) { sel.EditedBy = 7 },
		"outdated":   func(sel *query.Selection) { sel.Outdated = "de" },
	} {
		other := cursorSelection()
		change(&other)
		require.Nil(t, positionOf(&other, cursor), name)
	}
	sel.Offset, sel.Limit, sel.Without, sel.After = 0, 3, query.RowDates, at
	require.Equal(t, at, positionOf(&sel, cursor), "the window is no part of the list")
}

// A client can compute a checksum, so it can forge a cursor. Its values must be values that a
// database can store.
func TestForgedValuesAreRefused(t *testing.T) {
	t.Parallel()
	sel := cursorSelection()
	for _, values := range [][]*core.Value{
		{{Text: "\x00"}, nil}, {{Text: "\xff"}, nil}, {nil, {Num: math.NaN()}}, {nil, {Num: math.Inf(1)}},
	} {
		require.Nil(t, positionOf(&sel, encodeCursor(&sel, &query.Position{Values: values})))
	}
	long := &query.Position{Values: []*core.Value{{Text: strings.Repeat("x", maxCursor)}, nil}}
	require.Nil(t, positionOf(&sel, encodeCursor(&sel, long)))
}

func TestPositionOfARow(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	sel := cursorSelection()
	sel.Sort = nil
	for _, f := range []*core.Field{core.SystemLocale, core.SystemPublishedAt, core.SystemCreatedAt, core.SystemUpdatedAt, cursorTitle, cursorViews, core.SystemID} {
		sel.Sort = append(sel.Sort, query.SortKey{Field: f})
	}
	row := core.Row{ID: 42, Locale: "fr", CreatedAt: moment, UpdatedAt: moment.Add(time.Second), Document: core.Document(`{"title":"a\"b"}`)}
	ms := float64(moment.UnixMilli())
	require.Equal(t, &query.Position{ID: 42, Values: []*core.Value{
		{Text: "fr"}, nil, {Num: ms}, {Num: ms + 1000}, {Text: `a"b`}, nil,
	}}, positionOf(&sel, cursorAfter(&sel, &row)))
}

// TestTheLongestCursor has the longest texts in all keys, in the characters that take most bytes.
func TestTheLongestCursor(t *testing.T) {
	t.Parallel()
	sel, row := cursorSelection(), core.Row{ID: math.MaxInt64}
	sel.Sort = nil
	for n := range query.MaxSortKeys {
		f := &core.Field{ID: math.MaxInt32, Name: fmt.Sprint("text", n), Type: core.TypeText}
		sel.Sort = append(sel.Sort, query.SortKey{Field: f})
		row.Document = core.NewDocument(maps.Collect(func(yield func(string, json.RawMessage) bool) {
			for i := range n + 1 {
				yield(fmt.Sprint("text", i), canonical.Quote(strings.Repeat("\u0001", fieldtype.MaxText)))
			}
		}))
	}
	sel.Sort = append(sel.Sort, query.SortKey{Field: core.SystemID})
	at := positionOf(&sel, cursorAfter(&sel, &row))
	require.NotNil(t, at)
	require.Len(t, at.Values[2].Text, fieldtype.MaxText)
}

// TestCursorsOfAnotherOrderAreRefused makes cursors as programs with another order of texts do.
func TestCursorsOfAnotherOrderAreRefused(t *testing.T) {
	t.Parallel()
	sel := cursorSelection()
	at := &query.Position{ID: 5, Values: []*core.Value{{Text: "a"}, nil}}
	cursor := encodeCursor(&sel, at)
	require.NotNil(t, positionOf(&sel, cursor))
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	require.NoError(t, err)
	b[0]--
	require.Nil(t, positionOf(&sel, base64.RawURLEncoding.EncodeToString(b)), "the version before")
	forms := bytes.Contains(checkedByCursor(&sel), []byte(words.Version))
	require.True(t, forms, "the tables of Unicode are part of an order by texts")
	sel.Sort = sel.Sort[1:]
	require.False(t, bytes.Contains(checkedByCursor(&sel), []byte(words.Version)), "other orders do not depend on them")
}

// FuzzCursor checks that a cursor is refused or is the encoding of its position.
func FuzzCursor(f *testing.F) {
	sel := cursorSelection()
	for _, at := range []query.Position{
		{ID: 1, Values: []*core.Value{nil, nil}}, {ID: -1, Values: []*core.Value{{Text: "é"}, {Num: -0.5}}}, {ID: 1 << 40, Values: []*core.Value{{}, {}}},
	} {
		b, err := base64.RawURLEncoding.DecodeString(encodeCursor(&sel, &at))
		require.NoError(f, err)
		f.Add(b[cursorHeader:], true)
		f.Add(b, false)
	}
	f.Fuzz(func(t *testing.T, b []byte, payload bool) {
		if payload { // the rest of the decoder is behind the checksum
			if at := readPosition(sel.Sort, b); at != nil {
				require.Equal(t, at, positionOf(&sel, encodeCursor(&sel, at)))
			}
			return
		}
		for _, cursor := range []string{string(b), base64.RawURLEncoding.EncodeToString(b)} {
			if at := positionOf(&sel, cursor); at != nil {
				require.Equal(t, cursor, encodeCursor(&sel, at))
			}
		}
	})
}

func BenchmarkCursor(b *testing.B) {
	sel := cursorSelection()
	sel.Sort = sel.Sort[2:]
	row := core.Row{ID: 123456}
	b.ReportAllocs()
	for b.Loop() {
		cursorAfter(&sel, &row)
	}
}
