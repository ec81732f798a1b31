package changefeed_test

import (
	"context"
	"errors"
	"testing"

	"imprimatur/adapters/changefeed"
	"imprimatur/ports"
)

// commits is a ports.Tx whose commits end in err.
type commits struct{ err error }

func (c commits) Do(ctx context.Context, do func(context.Context, ports.Stores) error) error {
	if err := do(ctx, ports.Stores{}); err != nil {
		return err
	}
	return c.err
}

func TestACommitOfWhichNobodyKnowsIsAnnounced(t *testing.T) {
	t.Parallel()
	refused, lost := errors.New("refused"), errors.New("the connection is lost")
	for name, c := range map[string]struct {
		work, commit, want error
		told               int
	}{
		"done":                  {nil, nil, nil, 0},
		"refused by the work":   {refused, nil, refused, 0},
		"lost while committing": {nil, lost, lost, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			feed := changefeed.NewLocal()
			var seen recorder
			feed.Subscribe(seen.told)
			err := changefeed.NewTx(commits{c.commit}, feed).Do(t.Context(), func(context.Context, ports.Stores) error { return c.work })
			if !errors.Is(err, c.want) {
				t.Errorf("Do = %v, want %v", err, c.want)
			}
			if told := seen.take(); len(told) != c.told || (c.told == 1 && told[0] != all) {
				t.Errorf("told %v", told)
			}
		})
	}
}
