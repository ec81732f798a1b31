package reading_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// setupCounts is setupReader with a collection whose fields have indexes.
func setupCounts(t *testing.T) (*readerFixture, *core.Collection) {
	t.Helper()
	l := setupReader(t)
	slotted := func(name string, kind core.FieldType, slot string) *core.Field {
		return &core.Field{Name: name, Type: kind, Slot: slot, SlotReady: true, Choices: []string{"news", "opinion", "Ära"}}
	}
	filling := slotted("filling", core.TypeText, "t8")
	filling.SlotReady = false
	return l, l.collection(t, "pages",
		slotted("category", core.TypeEnumeration, "t1"), slotted("title", core.TypeText, "t2"), slotted("featured", core.TypeBoolean, "n1"),
		slotted("on", core.TypeDate, "d1"), slotted("at", core.TypeDateTime, "d2"), slotted("opens", core.TypeTime, "d3"), slotted("views", core.TypeNumber, "n2"), filling,
		&core.Field{Name: "tags", Type: core.TypeText, Multiple: true}, &core.Field{Name: "days", Type: core.TypeDate, Multiple: true},
		&core.Field{Name: "country", Type: core.TypeRelation, Collection: "countries"}, &core.Field{Name: "see", Type: core.TypeRelation, Collections: []string{"countries", "pages"}, Multiple: true},
		&core.Field{Name: "cover", Type: core.TypeMedia}, &core.Field{Name: "loose", Type: core.TypeText}, &core.Field{Name: "body", Type: core.TypeRichText},
		&core.Field{Name: "secret", Type: core.TypeText, Hidden: true, Multiple: true}, &core.Field{Name: "meta", Type: core.TypeJSON},
	)
}

func (l *readerFixture) counts(t *testing.T, q query.Query) string {
	t.Helper()
	q.Collection = "pages"
	counts, err := l.reader.Counts(t.Context(), l.project, true, q)
	require.NoError(t, err)
	return fmt.Sprint(counts)
}

// TestCounts counts entries by the values of every kind of field.
func TestCounts(t *testing.T) {
	t.Parallel()
	l, pages := setupCounts(t)
	peru := l.add(t, l.countries, `{"name":"Peru"}`)
	perou := l.add(t, l.countries, `{"name":"Pérou"}`, translated(peru, "fr"))
	chile := l.add(t, l.countries, `{"name":"Chile"}`, unpublished)
	first := l.add(t, pages, fmt.Sprintf(`{"category":"news","country":%d,"featured":true,"on":"2026-03-31","see":[%d,%d],"tags":["a","b"],"title":"One"}`, peru.ID, peru.ID, chile.ID))
	l.add(t, pages, fmt.Sprintf(`{"at":"2025-12-31T23:30:00.000Z","category":"Ära","country":%d,"featured":false,"on":"2026-03-01","see":[%d],"tags":["b"],"title":"Two"}`, peru.ID, first.ID))
	l.add(t, pages, fmt.Sprintf(`{"at":"2026-01-01T00:00:00.000Z","category":"news","country":%d,"featured":true,"on":"2025-03-01","title":"Three"}`, chile.ID))
	l.add(t, pages, `{"category":"opinion","featured":true,"title":"Eins"}`, translated(first, "de"))
	l.add(t, pages, `{"category":"opinion","title":"canary"}`, unpublished)
	l.add(t, pages, `{"category":"opinion","title":"canary"}`, trashed)
	l.add(t, pages, `{"category":"news","title":"Four"}`, drafted(`{"category":"opinion"}`))

	for by, want := range map[string]string{
		"category": "[{news 3} {Ära 1}]", "featured": "[{true 2} {false 1}]", "tags": "[{b 2} {a 1}]",
		"country": fmt.Sprintf("[{{%d countries} 2}]", peru.ID), "see": fmt.Sprintf("[{{%d countries} 1} {{%d pages} 1}]", peru.ID, first.ID),
		"on:year": "[{2026 2} {2025 1}]", "on:month": "[{2026-03 2} {2025-03 1}]", "at:year": "[{2025 1} {2026 1}]", "publishedAt:month": "[{2026-01 4}]",
		"createdAt:year": "[{2026 4}]", "updatedAt:year": "[{2026 4}]", "title": "[{Four 1} {One 1} {Three 1} {Two 1}]",
	} {
		assert.Equal(t, want, l.counts(t, query.Query{By: by}), by)
	}
	assert.Equal(t, "[{2026 2}]", l.counts(t, query.Query{By: "at:year", Zone: "Europe/Berlin"}))
	assert.Equal(t, "[{2025-12 2}]", l.counts(t, query.Query{By: "at:month", Zone: "America/New_York"}))
	assert.Equal(t, "[{2026-03 2} {2025-03 1}]", l.counts(t, query.Query{By: "on:month", Zone: "America/New_York"}), "a date has no zone")
	assert.Equal(t, fmt.Sprintf("[{{%d countries} 2}]", perou.ID), l.counts(t, query.Query{By: "country", Locale: "fr"}))
	assert.Equal(t, "[{news 2} {Ära 1} {opinion 1}]", l.counts(t, query.Query{By: "category", Locale: "de"}), "with fallbacks")
	assert.Equal(t, "[{news 3} {Ära 1} {opinion 1}]", l.counts(t, query.Query{By: "category", Locale: "*"}))
	assert.Equal(t, "[{opinion 1}]", l.counts(t, query.Query{By: "category", State: "only_draft"}))
	assert.Equal(t, "[{news 2} {opinion 2} {Ära 1}]", l.counts(t, query.Query{By: "category", State: "with_draft"}))
	where := []query.Filter{{Field: "country", Operand: query.Operand{Items: []any{fmt.Sprint(peru.ID)}}}}
	assert.Equal(t, "[{Ära 1} {news 1}]", l.counts(t, query.Query{By: "category", Where: where}))
	assert.Equal(t, "[]", l.counts(t, query.Query{By: "category", Where: append(where, query.Filter{Field: "title", Operand: query.Operand{Items: []any{"none"}}})}))
	assert.Equal(t, "[]", l.counts(t, query.Query{By: "on:month", Where: []query.Filter{{Field: "on", Op: "null", Operand: query.Operand{Items: []any{""}}}}}))
	for by, calls := range map[string]int64{"category": 1, "country": 1, "on:month": 3} {
		before := l.calls.made.Load()
		l.counts(t, query.Query{By: by})
		assert.EqualValues(t, calls, l.calls.made.Load()-before, by)
	}
}

// TestCountsAreRefused checks what cannot be counted.
func TestCountsAreRefused(t *testing.T) {
	t.Parallel()
	l, _ := setupCounts(t)
	for _, tt := range []struct{ by, zone, message string }{
		{"", "", "unknown field"}, {"secret", "", `unknown field "secret"`}, {"nothing", "", "unknown field"}, {"loose", "", "has no index"}, {"filling", "", "has no index"}, {"locale", "", "has no index"},
		{"views", "", "of type number"}, {"id", "", "of type number"}, {"opens", "", "of type time"}, {"cover", "", "of type media"}, {"body", "", "of type richtext"}, {"meta", "", "of type json"},
		{"on", "", "on:year or on:month"}, {"on:day", "", "on:year or on:month"}, {"on:", "", "on:year or on:month"}, {"days:year", "", "several times"}, {"category:year", "", "only times"},
		{"category", "UTC", "applies only to times"}, {"on:year", "Local", "unknown time zone"}, {"on:year", "../etc/passwd", "unknown time zone"}, {"at:year", "Mars/Olympus", "unknown time zone"},
		{"country.name", "", "unknown field"},
	} {
		_, err := l.reader.Counts(t.Context(), l.project, true, query.Query{Collection: "pages", By: tt.by, Zone: tt.zone})
		require.Equal(t, core.KindBadRequest, core.KindOf(err), tt.by)
		assert.ErrorContains(t, err, tt.message, tt.by)
	}
	_, err := l.reader.Counts(t.Context(), l.project, false, query.Query{Collection: "pages", By: "category", State: "with_draft"})
	require.Equal(t, core.KindForbidden, core.KindOf(err))
	_, err = l.reader.Counts(t.Context(), l.project, true, query.Query{Collection: "nowhere", By: "category"})
	require.ErrorIs(t, err, core.ErrNotFound)
}

// TestCountsHaveLimits counts many values.
func TestCountsHaveLimits(t *testing.T) {
	t.Parallel()
	l, pages := setupCounts(t)
	for n := range reading.MaxCountedTexts + 1 {
		l.add(t, pages, fmt.Sprintf(`{"on":"%04d-01-01","tags":["tag %04d"],"title":"Title %04d"}`, n+1, n/5, n))
	}
	for _, by := range []string{"title", "on:month"} {
		_, err := l.reader.Counts(t.Context(), l.project, true, query.Query{Collection: "pages", By: by})
		require.Equal(t, core.KindBadRequest, core.KindOf(err), by)
		assert.ErrorContains(t, err, "more than", by)
	}
	for _, by := range []string{"tags", "on:year"} {
		counts, err := l.reader.Counts(t.Context(), l.project, true, query.Query{Collection: "pages", By: by})
		require.NoError(t, err)
		require.Len(t, counts, reading.MaxCounts, by)
	}
	counts, err := l.reader.Counts(t.Context(), l.project, true, query.Query{Collection: "pages", By: "tags"})
	require.NoError(t, err)
	assert.Equal(t, reading.ValueCount{Value: "tag 0000", Count: 5}, counts[0])
}

// endless never counts to the end.
type endless struct{ ports.EntryReader }

func (e endless) Seeing(*release.Seen) ports.EntryReader { return e }

func (endless) Tally(ctx context.Context, _ query.Selection, _ query.Tally) ([]query.Tallied, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestCountsEndInTime checks that slow counts end, and how.
func TestCountsEndInTime(t *testing.T) {
	t.Parallel()
	l, _ := setupCounts(t)
	synctest.Test(t, func(t *testing.T) {
		reader := reading.NewReader(endless{l.stores.Entries}, l.schemas, l.stores.Media, "")
		began := time.Now()
		_, err := reader.Counts(t.Context(), l.project, true, query.Query{Collection: "pages", By: "category"})
		var fault *core.Error
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, core.KindUnavailable, fault.Kind)
		assert.Equal(t, "too_slow", fault.Code)
		assert.Equal(t, 2*time.Second, time.Since(began))
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = reader.Counts(gone, l.project, true, query.Query{Collection: "pages", By: "category"})
		require.ErrorIs(t, err, context.Canceled)
	})
}
