package postgres_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/jackc/pgx/v5"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
	"imprimatur/test/postgrestest"
)

// TestSearchesReadTheNewestFirst pages through searches in a collection whose counts pretend that it is so
// large that its newest entries are searched first. These are about the entries from the 20 first on; they
// are not the newest if other entries were published again.
func TestSearchesReadTheNewestFirst(t *testing.T) {
	t.Parallel()
	url := postgrestest.Migrated(t)
	db := open(t, url)
	stores := db.Stores()
	project, random, filled := newProject(t, stores), rand.New(rand.NewPCG(1, 2)), 0
	for n := range 6 {
		c := &core.Collection{
			ProjectID: project.ID, Slug: fmt.Sprint("articles", n), Name: "Articles", Version: 1, NextFieldID: 3, CreatedAt: time.Now(), UpdatedAt: time.Now(),
			FormsReady: true, Fields: []*core.Field{
				{ID: 1, Name: "title", Type: core.TypeText, Searchable: true, Slot: "t1", SlotReady: true},
				{ID: 2, Name: "body", Type: core.TypeLongText, Searchable: true},
			},
		}
		if err := stores.Collections.Insert(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		schema := core.Schema{Project: project, Collection: c, Collections: []*core.Collection{c}}
		ids, err := stores.Entries.NewIDs(t.Context(), 400)
		if err != nil {
			t.Fatal(err)
		}
		entries := wordyEntries(random, schema, ids, time.Duration(1)<<(34+5*n)) // 17 seconds to 18 years
		if err := stores.Entries.Save(t.Context(), schema, entries, nil); err != nil {
			t.Fatal(err)
		}
		execute(t.Context(), t, url, fmt.Sprintf("UPDATE entry_buckets SET entries = entries * 1000 WHERE scope / 256 = %d", c.ID))
		for _, text := range []string{"alpha", "beta", "gamma", "delta", "alp", `"beta gamma"`, "nowhere"} {
			search, fault := words.ParseSearch(text)
			if fault != "" {
				t.Fatal(fault)
			}
			sel := query.Selection{
				Schema: schema, Locale: "en", State: core.StatePublished, Search: search, Limit: 1 + random.Int64N(12),
				Sort: []query.SortKey{{Field: query.RankField, Desc: true}, {Field: query.MomentField, Desc: true}, {Field: core.SystemID, Desc: true}},
			}
			want := ranked(c, search, entries)
			for page := 0; ; page++ {
				observed := sqldb.WithStatementObserver(t.Context(), func(text string, args []any) {
					if page == 0 && ofNewest(t, url, text, args) == int(sel.Limit)+1 {
						filled++
					}
				})
				rows, _, err := stores.Entries.List(observed, sel, false)
				if err != nil {
					t.Fatal(err)
				}
				got := rows[:min(len(rows), int(sel.Limit))]
				for i, row := range got {
					if i >= len(want) || row.ID != want[i].ID {
						t.Fatalf("%s in %s, page %d, row %d: got %d of %d entries that are left", text, c.Slug, page, i, row.ID, len(want))
					}
				}
				if want = want[len(got):]; len(got) < int(sel.Limit) || len(want) == 0 {
					break
				}
				last := got[len(got)-1]
				rank, moment := core.Value{Num: c.Rank(search, last.Document)}, core.Value{Num: float64(query.Moment(last.PublishedAt, last.CreatedAt))}
				sel.After = &query.Position{Values: []*core.Value{&rank, &moment}, ID: last.ID}
			}
			if len(want) > 0 {
				t.Errorf("%s in %s: %d entries are missing", text, c.Slug, len(want))
			}
		}
	}
	if filled < 20 {
		t.Errorf("the newest entries filled %d of 42 first pages, want at least 20", filled)
	}
}

// ofNewest returns the number of rows that the statement of a search reads from the newest entries with the
// words in their titles.
func ofNewest(t *testing.T, url, text string, args []any) (n int) {
	t.Helper()
	with, _, found := strings.Cut(text, " SELECT e.id")
	newest := regexp.MustCompile(`newest\d+`).FindString(with)
	if !found || newest == "" {
		t.Fatalf("not the statement of a search: %s", text)
	}
	text = with + " SELECT count(*) FROM " + newest
	for i := range args {
		if parameter := fmt.Sprint("$", i+1); !strings.Contains(with, parameter) {
			text += ", (SELECT " + parameter + "::text) AS unused" + strconv.Itoa(i)
		}
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the statement has been answered
	if err := conn.QueryRow(t.Context(), text, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// wordyEntries returns entries that were published within a period, most of them in the order of their ids.
func wordyEntries(random *rand.Rand, schema core.Schema, ids []int64, period time.Duration) (entries []*core.Entry) {
	start := time.Date(2000, 1, 1, 0, 0, random.IntN(1000), 0, time.UTC)
	for n, id := range ids {
		at := start.Add(period / time.Duration(len(ids)) * time.Duration(n))
		if random.IntN(5) == 0 {
			at = start.Add(time.Duration(random.Int64N(int64(period))))
		}
		text := func(common int) string {
			text := "filler"
			for i, word := range []string{"alpha", "beta", "gamma", "delta"} {
				if random.IntN(common+8*i) == 0 {
					text += " " + word
				}
			}
			return text
		}
		document := core.Document(fmt.Sprintf(`{"body":%q,"title":%q}`, text(2), text(4)))
		entries = append(entries, &core.Entry{
			ID: id, Group: id, ProjectID: schema.Project.ID, CollectionID: schema.Collection.ID, Locale: "en", Version: 1, Draft: document, Published: document,
			PublishedAt: at, ReleasedAt: at, CreatedAt: start, UpdatedAt: at,
		})
	}
	return entries
}

// ranked returns the entries that a search finds, in its order.
func ranked(c *core.Collection, search *words.Search, entries []*core.Entry) (found []*core.Entry) {
	for _, e := range entries {
		if search.In(&c.Words(e.Published).All) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b *core.Entry) int {
		return cmp.Or(
			cmp.Compare(c.Rank(search, b.Published), c.Rank(search, a.Published)),
			cmp.Compare(query.Moment(b.PublishedAt, b.CreatedAt), query.Moment(a.PublishedAt, a.CreatedAt)),
			cmp.Compare(b.ID, a.ID))
	})
	return found
}
