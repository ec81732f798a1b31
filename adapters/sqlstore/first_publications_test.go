package sqlstore_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/sqlstore"
	"imprimatur/core"
	"imprimatur/core/approval/proof"
	"imprimatur/test/newsroom"
)

type fixedClock struct{}

func (fixedClock) Now() time.Time { return someTime }

// TestUpgradeAddsFirstPublications brings a full database back to the first schema and upgrades it
// with several processes.
func TestUpgradeAddsFirstPublications(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, open opener) {
		db := open(t)
		migrate(t, db)
		f := newsroom.New(t, db.Stores(), db, fixedClock{})
		const count = 450 // several batches
		ids := make([]int64, count)
		for i := range ids {
			ids[i] = f.Create(newsroom.Article(fmt.Sprint("Open ", i), newsroom.Published(true), newsroom.Field("note", "secret"))).ID
		}
		picture := f.Picture("Kept")
		ids = append(ids, f.Create(newsroom.Article(fmt.Sprint("Open ", count), newsroom.Published(true), newsroom.Cover(picture))).ID)
		trashed := f.Create(newsroom.Article("Trashed", newsroom.Published(true))).ID
		_, err := f.Writer.Trash(t.Context(), f.Actor("editor"), f.Project, f.Articles.ID, trashed, nil)
		require.NoError(t, err)
		draft := f.Create(newsroom.Article("Draft")).ID
		f.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
		reviewed := f.Create(newsroom.Article("Reviewed", newsroom.Published(true))).ID
		require.NoError(t, f.Approve("admin", reviewed))
		f.Update(reviewed, newsroom.Article("Edited"))

		for applied(status(t, db)) > 1 {
			require.NoError(t, db.MigrateDown(t.Context()))
		}
		processes := []*sqlstore.DB{db, open(t), open(t)}
		errs := make([]error, len(processes))
		var group sync.WaitGroup
		for i, process := range processes {
			group.Go(func() { errs[i] = process.Migrate(t.Context()) })
		}
		group.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}

		publications := proof.NewPublications(db.Stores())
		only := func(id int64) *proof.Proof {
			t.Helper()
			n, err := db.Stores().Publications.PublicationCount(t.Context(), f.Project.ID, f.Articles.ID, id)
			require.NoError(t, err)
			require.EqualValues(t, 1, n)
			p, err := publications.Proof(t.Context(), f.Project, f.Articles.ID, id, 1)
			require.NoError(t, err)
			require.NoError(t, verified(p))
			require.Equal(t, core.FormatTime(someTime), p.Publication.PublishedAt)
			require.Equal(t, f.Entry(id).PublishedHash, p.ContentHash)
			require.NotContains(t, p.Content, "secret")
			return p
		}
		for i, id := range ids {
			p := only(id)
			require.Contains(t, p.Content, fmt.Sprintf(`"title":"Open %d"`, i))
			require.Nil(t, p.Request)
		}
		named, err := db.Stores().Publications.NamesMedia(t.Context(), f.Project.ID, picture)
		require.NoError(t, err)
		require.True(t, named)
		p := only(reviewed)
		require.Contains(t, p.Content, "Reviewed")
		require.NotNil(t, p.Request)
		for _, id := range []int64{trashed, draft} {
			n, err := db.Stores().Publications.PublicationCount(t.Context(), f.Project.ID, f.Articles.ID, id)
			require.NoError(t, err)
			require.Zero(t, n)
		}
	})
}

func verified(p *proof.Proof) error {
	text, err := json.Marshal(p)
	if err == nil {
		_, err = proof.Verify(text)
	}
	return err
}

func applied(list []sqlstore.Migration) (n int) {
	for _, m := range list {
		if m.Applied && !strings.HasPrefix(m.Name, "data_") {
			n++
		}
	}
	return n
}
