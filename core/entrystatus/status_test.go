package entrystatus_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/entrystatus"
)

func TestStatusOfAnEntry(t *testing.T) {
	t.Parallel()
	const differs, public = entrystatus.FactDiffers, entrystatus.FactPublished
	for facts, want := range map[entrystatus.Facts]entrystatus.Status{
		public:                             entrystatus.Published,
		differs:                            entrystatus.Draft,
		public | differs:                   entrystatus.Changed,
		differs | entrystatus.FactRejected: entrystatus.Rejected,
		public | differs | entrystatus.FactSentBack:                                            entrystatus.SentBack,
		public | entrystatus.FactSentBack:                                                      entrystatus.Published,
		public | entrystatus.FactRejected:                                                      entrystatus.Published,
		differs | entrystatus.FactScheduled:                                                    entrystatus.Scheduled,
		public | entrystatus.FactScheduled:                                                     entrystatus.Scheduled,
		differs | entrystatus.FactPending:                                                      entrystatus.InReview,
		differs | entrystatus.FactScheduled | entrystatus.FactPending:                          entrystatus.InReview,
		differs | entrystatus.FactScheduled | entrystatus.FactPending | entrystatus.FactFailed: entrystatus.Failed,
		differs | entrystatus.FactScheduled | entrystatus.FactFailed | entrystatus.FactTrashed: entrystatus.Trashed,
	} {
		require.Equal(t, want, facts.Status(), "facts %b", facts)
	}
	require.NotContains(t, entrystatus.Listed(), entrystatus.Trashed)
	require.Len(t, entrystatus.Listed(), len(entrystatus.Rules)-1)
}
