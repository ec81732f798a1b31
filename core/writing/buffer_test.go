package writing

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/ports"
)

// A batch reads entries without locks. It must not replace the revision of an entry that changed since.
func TestBuffersReplaceOnlyTheRevisionTheyRead(t *testing.T) {
	t.Parallel()
	read := core.Entry{ID: 1, ProjectID: 1, Version: 1, Revision: core.Document(`{"number":1}`)}
	for name, c := range map[string]struct {
		stored core.Entry
		err    error
	}{
		"as read":          {read, nil},
		"another version":  {core.Entry{ID: 1, Version: 2, Revision: read.Revision}, core.ErrChangedMeanwhile},
		"another revision": {core.Entry{ID: 1, Version: 1, Revision: core.Document(`{"number":2}`)}, core.ErrChangedMeanwhile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &revisionStore{stored: c.stored}
			b := newBuffer(store)
			b.entries[read.ID] = read
			next := core.Document(`{"closed":true,"number":1}`)
			require.Equal(t, c.err, b.SetRevision(t.Context(), read.ProjectID, read.ID, next))
			if c.err == nil {
				require.Equal(t, next, store.stored.Revision)
				require.Equal(t, next, b.entries[read.ID].Revision)
			} else {
				require.Equal(t, c.stored, store.stored)
			}
		})
	}
}

// revisionStore has one entry.
type revisionStore struct {
	ports.EntryStore

	stored core.Entry
}

func (s *revisionStore) Lock(context.Context, int64, int64) (core.Entry, error) { return s.stored, nil }

func (s *revisionStore) SetRevision(_ context.Context, _, _ int64, revision core.Document) error {
	s.stored.Revision = revision
	return nil
}
