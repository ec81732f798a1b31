package graphql_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/ports"
)

// watchedMedia counts reads of media items.
type watchedMedia struct {
	ports.MediaReader
	reads atomic.Int64
}

func (m *watchedMedia) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	m.reads.Add(1)
	return m.MediaReader.MediaByIDs(ctx, projectID, ids)
}

// TestMediaIsReadInOneCall checks that many media fields cause one read, whether given by
// literals, variables or fragments, and that missing items are null.
func TestMediaIsReadInOneCall(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var query strings.Builder
	query.WriteString(`query ($n: Int!, $skip: Boolean!) { ...more left: media(id: 4) @skip(if: $skip) { id } `)
	want := []string{`"more":{"id":"2"}`}
	for i := range 20 {
		item := core.MediaItem{CreatedAt: day, UpdatedAt: day, ProjectID: s.project.ID, FileName: fmt.Sprintf("%d.txt", i), Full: "u/c.txt"}
		require.NoError(t, s.stores.Media.Insert(t.Context(), &item))
		fmt.Fprintf(&query, "m%d: media(id: %d) { fileName } ", i, item.ID)
		want = append(want, fmt.Sprintf(`"m%d":{"fileName":"%d.txt"}`, i, i))
	}
	query.WriteString(`none: media(id: 999999) { id } named: media(id: $n) { id } } fragment more on Query { more: media(id: 2) { id } }`)
	want = append(want, `"none":null`, `"named":{"id":"3"}`)
	before := s.media.reads.Load()
	got := s.post(t, query.String(), `{"n":3,"skip":true}`)
	assert.Equal(t, `{"data":{`+strings.Join(want, ",")+`}}`, strings.TrimSpace(got.body))
	assert.EqualValues(t, 1, s.media.reads.Load()-before)
}
