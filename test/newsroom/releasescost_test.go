package newsroom_test

import (
	"context"
	"fmt"
	"testing"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// TestStatementsOfReleases publishes releases whose members have more revisions than the Project allows. Their number
// of statements does not depend on the number of members, and the oldest revisions of all members are removed.
func TestStatementsOfReleases(t *testing.T) {
	t.Parallel()
	const few, many = 3, 40
	onAllStores(t, func(t *testing.T, w *newsroom.Fixture) {
		releases := releasing.New(w.Stores, w.Tx, w.Writer, w.Requests, w.Publisher)
		for _, governed := range []bool{false, true} {
			if governed {
				w.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			}
			statements := map[int]int64{}
			for _, size := range []int{few, many} {
				unlimited, limit := int64(0), int64(1)
				w.Redefine(func(p *core.Project) { p.RevisionLimit = unlimited })
				ids := articlesWithRevisions(w, size, governed)
				w.Redefine(func(p *core.Project) { p.RevisionLimit = limit })
				members := make([]releasing.MemberInput, len(ids))
				for i, id := range ids {
					members[i] = releasing.MemberInput{EntryID: id}
				}
				name := fmt.Sprintf("%d members, governed %v", size, governed)
				r, err := releases.Create(t.Context(), w.Actor("editor"), w.Project, releasing.Change{Name: &name})
				w.OK(err)
				ref := releasing.Ref{Project: w.Project, ID: r.ID}
				_, err = releases.PutMembers(t.Context(), w.Actor("editor"), ref, members)
				w.OK(err)
				ctx, counted := sqldb.WithStatementCount(context.WithoutCancel(t.Context()))
				_, err = releases.Publish(ctx, w.Actor("editor"), ref, releasing.Publication{})
				w.OK(err)
				if governed {
					_, err = w.Reviews.Approve(ctx, w.Actor("admin"), review.ReleaseRef{Project: w.Project, ID: r.ID}, approval.Decision{})
					w.OK(err)
				}
				statements[size] = counted.Load()
				for i, id := range ids {
					require.Equal(t, fmt.Sprintf("Article %d, revision 4", i), w.Public(id))
					checkRevisionsLeft(t, w, id)
				}
			}
			assert.LessOrEqual(t, statements[many], statements[few], "governed %v", governed)
		}
	})
}

// articlesWithRevisions creates articles with four revisions each. The first one was published.
func articlesWithRevisions(w *newsroom.Fixture, n int, governed bool) []int64 {
	w.Helper()
	ids := make([]int64, n)
	for i := range ids {
		title := func(n int) string { return fmt.Sprintf("Article %d, revision %d", i, n) }
		ids[i] = w.Create(newsroom.Article(title(1), newsroom.Published(true))).ID
		if governed {
			w.OK(w.Approve("admin", ids[i]))
		}
		for n := range 3 {
			w.Update(ids[i], newsroom.Article(title(n+2), func(wr *core.EntryWrite) { wr.Note, wr.KeepPublished = new("closed"), true }))
		}
	}
	return ids
}

// checkRevisionsLeft checks that the entry has its first and its newest revision.
func checkRevisionsLeft(t *testing.T, w *newsroom.Fixture, id int64) {
	t.Helper()
	var left []int64
	w.Revisions(w.Entry(id), func(r core.RevisionRecord, content string) {
		left = append(left, r.Number)
		require.Contains(t, content, fmt.Sprintf("revision %d", r.Number))
	})
	require.Equal(t, []int64{4, 1}, left)
}
