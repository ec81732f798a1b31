package reading_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// fixedStore returns fixed rows, so that the benchmark does not measure a store.
type fixedStore struct {
	ports.EntryReader
	rows    []core.Row
	related []core.Row
}

// Seeing implements ports.EntryReader. It notes nothing.
func (s fixedStore) Seeing(*release.Seen) ports.EntryReader { return s }

func (s fixedStore) List(context.Context, query.Selection, bool) ([]core.Row, int64, error) {
	return s.rows, 0, nil
}

func (s fixedStore) Serving(_ context.Context, _ int64, _ core.State, _ []int64, _ uint64, documents bool) ([]core.Row, error) {
	if !documents {
		return nil, nil
	}
	return s.related, nil
}

// BenchmarkPage shapes 20 entries of 1 KB.
func BenchmarkPage(b *testing.B) {
	l := setupReader(b)
	body := strings.Repeat("Lorem ipsum dolor sit amet. ", 29)
	related := []core.Row{{
		ID: 1, Group: 1, CollectionID: l.countries.ID, Locale: "en", Serves: 15, PublishedAt: day, CreatedAt: day, UpdatedAt: day,
		Document: core.Document(`{"code":"PE","name":"Peru"}`),
	}}
	// With this heap the garbage collector runs as rarely as in a service with data.
	held := make([]byte, 32<<20)
	defer runtime.KeepAlive(held)
	for name, extra := range map[string]string{"plain": ``, "relations": `"country":1,`} {
		rows := make([]core.Row, 20)
		for i := range rows {
			rows[i] = core.Row{
				ID: int64(i + 1), Group: int64(i + 1), CollectionID: l.articles.ID, Locale: "en", Serves: 15,
				PublishedAt: day, CreatedAt: day, UpdatedAt: day,
				Document: core.Document(fmt.Sprintf(
					`{"at":"2026-01-02T03:04:05.000Z","body":%q,%s"featured":true,"meta":{"a":[1,2,3],"b":"c"},"on":"2026-01-02",`+
						`"opens":"09:00:00","tags":["one","two","three"],"title":"The title of entry number %d","views":%d}`, body, extra, i, i)),
			}
		}
		require.InDelta(b, 1024, len(rows[0].Document), 40)
		all, err := l.stores.Collections.Collections(context.Background(), l.project.ID)
		require.NoError(b, err)
		reader := reading.NewReader(fixedStore{rows: rows, related: related}, heldSchemas{collections: all}, l.stores.Media, "")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				listing, err := reader.Prepare(context.Background(), l.project, false, query.Query{Collection: "articles"})
				if err != nil {
					b.Fatal(err)
				}
				page, err := listing.Page(context.Background())
				if err != nil || len(page.Entries) != 20 {
					b.Fatal(err)
				}
			}
		})
	}
}

// heldSchemas is a schema cache that never misses.
type heldSchemas struct {
	ports.Schemas
	collections []*core.Collection
}

func (s heldSchemas) Collections(context.Context, int64) ([]*core.Collection, error) {
	return s.collections, nil
}

// BenchmarkItems shapes one entry with 30 blocks, which name 10 media and 5 entries, and one of the same
// size with the same references and no items.
func BenchmarkItems(b *testing.B) {
	l := setupReader(b)
	pages := l.pages(b)
	flat := l.collection(b, "flat",
		&core.Field{Name: "gallery", Type: core.TypeMedia, Multiple: true},
		&core.Field{Name: "near", Type: core.TypeRelation, Collection: "countries", Multiple: true},
		&core.Field{Name: "text", Type: core.TypeLongText})
	var media, countries, blocks []string
	for i := range 30 {
		block := fmt.Sprintf(`{"_key":"key%d","_type":"hero",`, i)
		if i < 10 {
			media = append(media, fmt.Sprint(l.medium(b, fmt.Sprintf("%d.txt", i)).ID))
			block += `"image":` + media[i] + `,`
		}
		if i < 5 {
			countries = append(countries, fmt.Sprint(l.add(b, l.countries, `{"name":"Peru"}`).Group))
			block += `"near":[` + countries[i] + `],`
		}
		blocks = append(blocks, block+fmt.Sprintf(`"title":%q}`, strings.Repeat("Lorem ipsum dolor sit amet. ", 10)))
	}
	structured := `{"body":[` + strings.Join(blocks, ",") + `]}`
	plain := `{"gallery":[` + strings.Join(media, ",") + `],"near":[` + strings.Join(countries, ",") + `],"text":"`
	plain += strings.Repeat("x", len(structured)-len(plain)-2) + `"}`
	for slug, e := range map[string]*core.Entry{"pages": l.add(b, pages, structured), "flat": l.add(b, flat, plain)} {
		b.Run(slug, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.reader.Entry(context.Background(), l.project, slug, e.ID, query.Shape{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
