package assistant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/assistant"
	"imprimatur/core/event"
)

func TestAssistantRuns(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	recorded := func(id, assistant int64, minute int, kind event.Type, entry int64) event.Event {
		return event.Event{ID: id, Type: kind, At: begin.Add(time.Duration(minute) * time.Minute), Actor: core.ActorRef{Kind: core.KindAssistant, ID: assistant}, EntryID: entry, Collection: "articles", Locale: "en"}
	}
	runs := assistant.Runs([]event.Event{
		recorded(9, 1, 120, event.EntryUpdated, 7),
		recorded(8, 2, 80, event.CommentCreated, 7),
		recorded(7, 1, 64, event.RequestSubmitted, 8),
		recorded(6, 1, 63, event.ReleaseCreated, 0),
		recorded(5, 1, 62, event.EntryUpdated, 7),
		recorded(4, 2, 60, event.EntryUpdated, 9),
		recorded(3, 1, 35, event.EntryUpdated, 7),
		recorded(2, 1, 34, event.EntryCreated, 8),
		recorded(1, 1, 4, event.EntryCreated, 7), // 30 minutes before the next
	})
	require.Len(t, runs, 4)
	assert.Equal(t, []int64{9, 4, 2, 1}, []int64{runs[0].ID, runs[1].ID, runs[2].ID, runs[3].ID})
	assert.Equal(t, assistant.RunCounts{Comments: 1}, runs[1].Counts)
	third := runs[2]
	assert.Equal(t, []assistant.Draft{{EntryID: 8, Collection: "articles", Locale: "en", Created: true}, {EntryID: 7, Collection: "articles", Locale: "en"}}, third.Drafts)
	assert.Equal(t, assistant.RunCounts{Releases: 1, Requests: 1}, third.Counts)
	assert.Equal(t, begin.Add(34*time.Minute), third.From)
	assert.Equal(t, begin.Add(64*time.Minute), third.To)

	revision := func(assistant int64, from, to int) *core.RevisionRecord {
		return &core.RevisionRecord{
			By: core.ActorRef{Kind: core.KindAssistant, ID: assistant}, CreatedAt: core.InstantOf(begin.Add(time.Duration(from) * time.Minute)), UpdatedAt: core.InstantOf(begin.Add(time.Duration(to) * time.Minute)),
		}
	}
	assert.True(t, third.Wrote(revision(1, 33, 65)))
	for name, r := range map[string]*core.RevisionRecord{"another": revision(2, 35, 35), "an earlier run": revision(1, 4, 4), "a later run": revision(1, 120, 120)} {
		assert.False(t, third.Wrote(r), name)
	}
}
