package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

func TestStatusOfAnEntry(t *testing.T) {
	t.Parallel()
	const differs, public = core.FactDiffers, core.FactPublished
	for facts, want := range map[core.EntryFacts]core.EntryStatus{
		public:                                          core.StatusPublished,
		differs:                                         core.StatusDraft,
		public | differs:                                core.StatusChanged,
		differs | core.FactRejected:                     core.StatusRejected,
		public | differs | core.FactSentBack:            core.StatusSentBack,
		public | core.FactSentBack:                      core.StatusPublished,
		public | core.FactRejected:                      core.StatusPublished,
		differs | core.FactScheduled:                    core.StatusScheduled,
		public | core.FactScheduled:                     core.StatusScheduled,
		differs | core.FactPending:                      core.StatusInReview,
		differs | core.FactScheduled | core.FactPending: core.StatusInReview,
		differs | core.FactScheduled | core.FactPending | core.FactFailed: core.StatusFailed,
		differs | core.FactScheduled | core.FactFailed | core.FactTrashed: core.StatusTrashed,
	} {
		require.Equal(t, want, facts.Status(), "facts %b", facts)
	}
	require.NotContains(t, core.ListedStatuses(), core.StatusTrashed)
	require.Len(t, core.ListedStatuses(), len(core.StatusRules)-1)
}
