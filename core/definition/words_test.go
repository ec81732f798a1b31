package definition_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/test/contenttest"
)

// TestSearchesFollowTheDefinition checks which changes start an epoch, after which searches find no words
// that were indexed before, and which changes index the entries again.
func TestSearchesFollowTheDefinition(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	hero := newComponent(t, d, "hero", definition.FieldInput{Name: "title", Type: core.TypeText, Searchable: true}, definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"hero"}})
	c := d.Collection(t, "posts", definition.FieldInput{Name: "title", Type: core.TypeText, Searchable: true}, definition.FieldInput{Name: "text", Type: core.TypeLongText, Searchable: true},
		definition.FieldInput{Name: "views", Type: core.TypeNumber}, definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"hero"}})
	for i := range 201 { // more than are indexed at once
		d.Create(t, c, fmt.Sprintf(`{"title":"%d"}`, i))
	}
	field := func(name string, in definition.FieldInput) func() error {
		return func() error {
			_, err := d.UpdateField(t, c.ID, name, in)
			return err
		}
	}
	for _, change := range []struct {
		name  string
		do    func() error
		epoch int  // afterwards
		ready bool // nothing has to be indexed again
	}{
		{"another label", field("views", definition.FieldInput{Label: "Views"}), 0, true},
		{"not searchable", field("text", definition.FieldInput{}), 1, false},
		{"searchable", field("text", definition.FieldInput{Searchable: true}), 1, false},
		{"hidden", field("text", definition.FieldInput{Searchable: true, Hidden: true}), 2, false},
		{"shown", field("text", definition.FieldInput{Searchable: true}), 2, false},
		{"removed", func() error {
			_, err := d.Collections.RemoveField(t.Context(), d.Change(c.ID), "text")
			return err
		}, 3, false},
		{"a field of a component", func() error {
			_, err := d.Collections.Components().ReviseField(t.Context(), changeOf(d, hero), "title", func(in definition.FieldInput) definition.FieldInput {
				in.Searchable = false
				return in
			})
			return err
		}, 4, false},
	} {
		require.NoError(t, change.do(), change.name)
		now := stored(t, d, c)
		require.Equal(t, change.epoch, now.WordsEpoch, change.name)
		require.Equal(t, change.ready, now.FormsReady, change.name)
		for did := true; did; {
			var err error
			did, err = d.Collections.Backfill(t.Context())
			require.NoError(t, err)
		}
		require.True(t, stored(t, d, c).FormsReady, change.name)
	}
}
