package writing_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/reading"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// saltedHasher creates a different hash for each call, and counts calls.
type saltedHasher struct{ hashes, checks int }

func (h *saltedHasher) Hash(_ context.Context, password string) (string, error) {
	h.hashes++
	return string(rune('a'+h.hashes)) + password, nil
}

func (h *saltedHasher) Matches(_ context.Context, password, hash string) (bool, error) {
	h.checks++
	return hash[1:] == password, nil
}

// A password that the entry has already keeps its hash, in single writes and in batches, and a write
// that changes nothing else changes nothing.
func TestSamePasswordKeepsItsHash(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(t *testing.T, d *contenttest.Fixture, m *reading.Managed, fields string){
		"single": func(t *testing.T, d *contenttest.Fixture, m *reading.Managed, fields string) {
			d.Update(t, m, fields, contenttest.Published(true))
		},
		"batch": func(t *testing.T, d *contenttest.Fixture, m *reading.Managed, fields string) {
			revise(t, d, m, fields, nil)
		},
		"batch with a version": func(t *testing.T, d *contenttest.Fixture, m *reading.Managed, fields string) {
			revise(t, d, m, fields, &fields)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := contenttest.New(t)
			hasher := &saltedHasher{}
			d.Writer = writing.NewWriter(d.Stores, d.Store, d.Stores.Collections, d.Approval, d.Publisher, hasher)
			m := d.Create(t, d.Articles(t), `{"title":"A","pin":"12345678"}`, contenttest.Published(true))
			before := d.Entry(t, m.ID)

			hasher.checks = 0
			write(t, d, m, `{"title":"A","pin":" 12345678"}`)
			changed := d.Entry(t, m.ID)
			require.NotEqual(t, string(before.Draft), string(changed.Draft), "another password")
			require.Equal(t, before.Version+1, changed.Version)
			require.LessOrEqual(t, hasher.checks, 2, "one of the draft, one of the version")

			write(t, d, m, `{"title":"A","pin":"\u002012345678"}`)
			require.Equal(t, changed, d.Entry(t, m.ID), "the same password")
			write(t, d, m, `{"title":"B","pin":" 12345678"}`)
			require.Equal(t, changed.Draft.Value("pin"), d.Entry(t, m.ID).Draft.Value("pin"))

			hasher.checks = 0
			write(t, d, m, `{"title":"B","pin":null}`)
			require.Nil(t, d.Entry(t, m.ID).Draft.Value("pin"))
			write(t, d, m, `{"title":"B","views":1}`)
			write(t, d, m, `{"pin":"12345678"}`)
			require.Zero(t, hasher.checks, "nothing to compare with")
		})
	}
}

// revise publishes fields in a batch, and with version as the published version.
func revise(t *testing.T, d *contenttest.Fixture, m *reading.Managed, fields string, version *string) {
	t.Helper()
	c, err := d.Stores.Collections.Collection(t.Context(), d.Project.ID, m.CollectionID)
	require.NoError(t, err)
	check := func(fields string) core.WrittenFields {
		var raw map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(fields), &raw))
		checked, err := d.Writer.Check(t.Context(), c, raw)
		require.NoError(t, err)
		return checked
	}
	public := true
	w := core.EntryWrite{Published: &public, Fields: check(fields)}
	if version != nil {
		other := check(*version)
		w.Version = &other
	}
	require.NoError(t, d.Writer.WriteBatch(t.Context(), d.Actor, d.Project, c.ID, func(ctx context.Context, batch ports.Batch) error {
		e, err := batch.Stores().Entries.Entry(ctx, d.Project.ID, m.ID)
		if err != nil {
			return err
		}
		_, err = batch.Revise(ctx, e, w)
		return err
	}))
}
