package event_test

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
)

func TestEventTypesAreComplete(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("type.go")
	require.NoError(t, err)
	var declared []event.Type
	for _, match := range regexp.MustCompile(`(?m)^\t\w+\s+Type = "([^"]+)"`).FindAllSubmatch(source, -1) {
		declared = append(declared, event.Type(match[1]))
	}
	require.Equal(t, declared, event.Types())
}

func TestEntryEventsOfCreation(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	schema := core.Schema{Project: &core.Project{}, Collection: &core.Collection{}}
	public := core.Entry{CreatedAt: now, UpdatedAt: now, Published: core.Document(`{}`), PublishedAt: now, ReleasedAt: now}
	for name, test := range map[string]struct {
		before, after func(*core.Entry)
		public        bool
	}{
		"readers see another time":   {func(*core.Entry) {}, func(e *core.Entry) { e.CreatedAt = now.Add(-time.Hour) }, true},
		"a draft has another time":   {unpublished, func(e *core.Entry) { unpublished(e); e.CreatedAt = now.Add(-time.Hour) }, false},
		"the trash has another time": {trashed, func(e *core.Entry) { trashed(e); e.CreatedAt = now.Add(-time.Hour) }, false},
		"only the draft changes":     {func(*core.Entry) {}, func(e *core.Entry) { e.UpdatedAt = now.Add(time.Hour) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := public, public
			test.before(&before)
			test.after(&after)
			events := event.OfEntry(schema, &before, &after)
			require.Len(t, events, 1)
			require.Equal(t, event.EntryUpdated, events[0].Type)
			require.Equal(t, test.public, events[0].Public)
		})
	}
}

func unpublished(e *core.Entry) {
	e.Published, e.PublishedAt, e.ReleasedAt = nil, time.Time{}, time.Time{}
}

func trashed(e *core.Entry) { e.TrashedAt = e.UpdatedAt }
