package approval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/writing"
	"imprimatur/test/contenttest"
	"imprimatur/test/newsroom"
)

const (
	elsewhere  = `<p>a</p><img src="https://example.org/a.png" alt="x"><img src="//example.com/b.png">`
	foreignHit = "is loaded from another site and can change after review: copy it into the library"
)

func (r *fixture) foreign(err error) {
	r.t.Helper()
	require.Equal(r.t, map[string]string{"fields.body": foreignHit}, contenttest.FaultsOf(r.t, err))
}

// A picture of another site is kept, and is no part of what reviewers approve.
func TestPicturesOfOtherSitesNeedACopy(t *testing.T) {
	t.Parallel()
	r := gated(t)
	body := newsroom.Field("body", elsewhere)
	_, err := r.Writer.Create(t.Context(), r.Actor("editor"), r.Project, r.Articles.ID, newsroom.Article("A", body, newsroom.Published(true)))
	r.foreign(err)
	draft := r.Create(newsroom.Article("A", body))
	require.Equal(t, []reading.Fault{{Message: foreignHit, Location: "fields.body"}}, draft.Faults)
	ref := review.EntryRef{Project: r.Project, CollectionID: r.Articles.ID, ID: draft.ID}
	_, err = r.Writer.Publish(t.Context(), r.Actor("editor"), ref, writing.Publication{}, nil)
	r.foreign(err)
	_, err = r.Writer.Update(t.Context(), r.Actor("editor"), ref, nil, core.EntryWrite{Published: new(true)})
	r.foreign(err)
	// So is a file of another project of this installation, which can be deleted there.
	body = newsroom.Field("body", `<img src="/files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/`+strings.Repeat("a", 64)+`/other.png">`)
	require.Equal(t, []reading.Fault{{Message: "is no file of this project's library and can change after review: upload it", Location: "fields.body"}},
		r.Update(draft.ID, newsroom.Article("A", body)).Faults)
	for _, own := range []string{`<img src="/pictures/a.png">`, `<p>none</p>`} {
		require.Empty(t, r.Update(draft.ID, newsroom.Article("A", newsroom.Field("body", own))).Faults, own)
	}
	r.Update(draft.ID, newsroom.Article("A", newsroom.Published(true)))
	require.Equal(t, review.RequestPending, r.Request(draft.ID).Request.Status)
}

func TestPicturesOfOtherSitesAreFreeWithoutAWorkflow(t *testing.T) {
	t.Parallel()
	r := setup(t)
	e := r.Create(newsroom.Article("A", newsroom.Field("body", elsewhere), newsroom.Published(true)))
	require.Empty(t, e.Faults)
	require.NotEmpty(t, r.Public(e.ID))
}

// A publication that was scheduled before a workflow governed the Project is not submitted.
func TestScheduledPicturesOfOtherSites(t *testing.T) {
	t.Parallel()
	r := setup(t)
	e := r.Create(newsroom.Article("A", newsroom.Field("body", elsewhere), newsroom.Published(true), newsroom.At(noon.Add(time.Hour))))
	r.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
	r.clock.pass(2 * time.Hour)
	r.due(0, 1)
	require.Empty(t, r.Public(e.ID))
	failed, err := r.failed("admin")
	require.NoError(t, err)
	require.Len(t, failed, 1)
	require.Contains(t, failed[0].LastFault, "another site")
}
