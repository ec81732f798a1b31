package core_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/words"
)

// TestExcerptOfEntry checks that the title is the last text of an excerpt, and that the texts end after 64 kB.
func TestExcerptOfEntry(t *testing.T) {
	t.Parallel()
	c := &core.Collection{Fields: []*core.Field{
		{ID: 1, Name: "title", Type: core.TypeText, Searchable: true}, {ID: 2, Name: "secret", Type: core.TypePassword, Searchable: true},
		{ID: 3, Name: "lead", Type: core.TypeText, Searchable: true}, {ID: 4, Name: "body", Type: core.TypeRichText, Searchable: true},
	}}
	s, fault := words.ParseSearch("harbour")
	require.Empty(t, fault)
	for _, tt := range []struct{ doc, want string }{
		{`{"body":"<p>At <b>the harbour</b></p>","lead":"No ships","title":"Harbour"}`, "harbour"},
		{`{"body":"<p>None</p>","lead":"No ships","title":"Harbour"}`, "Harbour"},
		{`{"lead":"No ships","secret":"harbour","title":"Town"}`, ""},
		{`{"body":"<p>harbour</p>","lead":"` + strings.Repeat("x ", 32<<10) + `","title":"Town"}`, ""},
	} {
		got := ""
		for _, p := range c.Excerpt(s, core.Document(tt.doc)) {
			if p.Found {
				got += p.Text
			}
		}
		assert.Equal(t, tt.want, got, "%.80s", tt.doc)
	}
}
