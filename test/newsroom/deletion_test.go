package newsroom_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strings"
	"testing"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/sqlstore"
	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/test/newsroom"
)

// tables are those whose rows have a Project.
var tables = []string{
	"entries", "entry_index", "entry_values", "entry_texts", "entry_words", "entry_claims", "entry_counters", "entry_buckets", "revisions",
	"publications", "publication_media", "former_slugs", "past_groups", "translation_origins", "schedules", "media", "media_blobs", "tokens", "token_usage",
	"approval_requests", "request_items", "approval_actions", "comments", "approval_waits", "webhooks", "deliveries", "notices", "collections", "components", "deletions",
}

// large is a Fixture whose Project has more rows than some portions, in the collection of countries.
type large struct {
	*newsroom.Fixture
	db        *sqlstore.DB
	countries *core.Collection
	ids       []int64
}

func newLarge(t *testing.T, open open) *large {
	t.Helper()
	stores, tx := open(t)
	l := &large{Fixture: newsroom.New(t, stores, tx, systemclock.New()), db: tx.(*sqlstore.DB)} //nolint:errcheck,forcetypeassert // both engines are a sqlstore.DB
	l.countries = l.Countries()
	_, err := l.Importer.Import(t.Context(), core.SystemActor, l.Project, l.countries.ID, bytes.NewReader(countryLines(700)), transfer.ImportOptions{})
	l.OK(err)
	all, err := stores.Entries.Walk(t.Context(), l.Project.ID, l.countries.ID, 0, 10_000)
	l.OK(err)
	for _, e := range all {
		l.ids = append(l.ids, e.ID)
	}
	for _, id := range l.ids[:30] {
		_, err := l.Writer.Update(t.Context(), l.Actor("editor"), review.EntryRef{Project: l.Project, CollectionID: l.countries.ID, ID: id}, nil, core.EntryWrite{
			Fields: newsroom.Country(int(id) + 10_000).Fields,
		})
		l.OK(err)
	}
	return l
}

// rows counts the rows of the Project in all tables.
func (l *large) rows() (n int) {
	l.Helper()
	for _, table := range tables {
		n += l.count(table)
	}
	return n
}

func (l *large) count(table string) (n int) {
	l.Helper()
	l.OK(l.db.Writer().QueryRowContext(l.Context(), "SELECT count(*) FROM "+table+" WHERE project_id = $1", l.Project.ID).Scan(&n))
	return n
}

// finish deletes portions, is stopped within some, and requires that each is small. It calls check between
// them.
func (l *large) finish(t *testing.T, check func()) {
	t.Helper()
	const others = 3 // rows that the deletion of a row changes: the entry, its publication and its group
	portions := 0
	for left := true; left; portions++ {
		before := l.rows()
		filler := definition.NewCollections(l.Stores, l.Tx, l.Requests, l.Clock) // of a process that starts
		if portions%3 == 1 {
			ctx, stop := context.WithCancel(t.Context())
			_, err := filler.Backfill(sqldb.WithStatementObserver(ctx, func(text string, _ []any) {
				if strings.HasPrefix(text, "DELETE FROM") {
					stop()
				}
			}))
			require.ErrorIs(t, err, context.Canceled)
			stop()
			require.Equal(t, before, l.rows(), "a stopped portion")
		}
		for did := false; !did; { // Postgres may be ending the stopped portion yet, whose locks it skips
			var err error
			did, err = filler.Backfill(t.Context())
			require.NoError(t, err)
		}
		require.LessOrEqual(t, before-l.rows(), others*core.PortionRows)
		check()
		deletions, err := l.Stores.Deletions.Deletions(t.Context())
		require.NoError(t, err)
		left = false
		for _, d := range deletions {
			left = left || d.ProjectID == l.Project.ID
		}
	}
	require.Greater(t, portions, 3)
}

// TestACollectionIsDeletedInPortions deletes a large collection. Nothing of it is seen from then on, its slug
// is free, and its rows go in portions that may stop anywhere.
func TestACollectionIsDeletedInPortions(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLarge(t, open)
			ctx := t.Context()
			kept := l.Create(newsroom.Article("kept", newsroom.Published(true)))
			first, err := l.Stores.Entries.Entry(ctx, l.Project.ID, l.ids[0])
			require.NoError(t, err)
			require.NoError(t, l.Stores.Origins.Save(ctx, []core.Origin{{ProjectID: l.Project.ID, Reference: "there/1", CollectionID: l.countries.ID, Group: first.Group}}))

			before := l.rows()
			require.NoError(t, l.Collections.Delete(ctx, definition.Change{Actor: core.SystemActor, Project: l.Project, CollectionID: l.countries.ID}))
			require.LessOrEqual(t, before-l.rows(), 2*core.PortionRows, "the deletion itself")
			require.Positive(t, l.count("entries")-1, "all entries were deleted at once")
			again := l.Countries() // its slug is free
			mask := l.Project.LocaleMask("en")
			check := func() {
				t.Helper()
				_, err := l.Stores.Collections.Collection(ctx, l.Project.ID, l.countries.ID)
				require.ErrorIs(t, err, core.ErrNotFound)
				for _, id := range []int64{l.ids[0], l.ids[699]} {
					_, err := l.Stores.Entries.Entry(ctx, l.Project.ID, id)
					require.ErrorIs(t, err, core.ErrNotFound)
				}
				found, err := l.Stores.Entries.Entries(ctx, l.Project.ID, l.ids[:5])
				require.NoError(t, err)
				require.Empty(t, found)
				members, err := l.Stores.Entries.Translations(ctx, l.Project.ID, first.Group)
				require.NoError(t, err)
				require.Empty(t, members)
				serving, err := l.Stores.Entries.Serving(ctx, l.Project.ID, core.StatePublished, []int64{first.Group}, mask, false)
				require.NoError(t, err)
				require.Empty(t, serving)
				public, err := l.Stores.Entries.PublicVersions(ctx, l.Project.ID, l.ids[:5], false)
				require.NoError(t, err)
				require.Empty(t, public)
				origins, err := l.Stores.Origins.Origins(ctx, l.Project.ID, []string{"there/1"})
				require.NoError(t, err)
				require.Empty(t, origins)
				slugs, err := l.Stores.Entries.GroupCollections(ctx, l.Project.ID, []int64{first.Group, kept.TranslationGroup})
				require.NoError(t, err)
				require.Equal(t, map[int64]string{first.Group: "countries", kept.TranslationGroup: "articles"}, slugs)
				l.CheckLists(again.ID)
				l.CheckLists(l.Articles.ID)
				l.Check()
			}
			check()
			l.finish(t, check)
			require.Equal(t, 1, l.count("entries"))
			require.Equal(t, 731, l.count("publications"), "publications are kept")
			require.Equal(t, 700, l.ended(t))
		})
	}
}

// ended returns the number of entries of the Project with an ended publication.
func (l *large) ended(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, l.db.Writer().QueryRowContext(t.Context(),
		"SELECT count(DISTINCT entry_id) FROM publications WHERE project_id = $1 AND unpublished_at IS NOT NULL", l.Project.ID).Scan(&n))
	return n
}

// TestAProjectIsDeletedInPortions deletes a large Project. Nothing of it is seen from then on, also through
// what names its id, its department and tenant can be deleted, and its rows go in portions.
func TestAProjectIsDeletedInPortions(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLarge(t, open)
			ctx := t.Context()
			token := core.Token{ProjectID: l.Project.ID, Name: "ci", Hash: sha256.Sum256([]byte(name)), Abilities: []core.Ability{core.AbilityRead}, CreatedAt: l.Clock.Now()}
			require.NoError(t, l.Stores.Tokens.Insert(ctx, &token))
			l.SetWorkflow(newsroom.Step(1, core.RoleAdmin))
			l.Create(newsroom.Article("waits", newsroom.Published(true)))
			require.Equal(t, 1, l.count("approval_requests"))
			l.Picture("a.png")

			before := l.rows()
			require.NoError(t, l.Organisation.DeleteProject(ctx, l.Actor("super"), l.Project))
			require.LessOrEqual(t, before-l.rows(), 2*core.PortionRows, "the deletion itself")
			require.Equal(t, 701, l.count("entries"), "entries go first")
			admin, editor := l.IDs["super"], l.IDs["editor"]
			check := func() {
				t.Helper()
				_, err := l.Stores.Projects.Project(ctx, l.Project.ID)
				require.ErrorIs(t, err, core.ErrNotFound)
				_, err = l.Stores.Projects.ProjectByUUID(ctx, l.Project.UUID)
				require.ErrorIs(t, err, core.ErrNotFound)
				_, err = l.Stores.Projects.Hold(ctx, l.Project.ID)
				require.ErrorIs(t, err, core.ErrNotFound)
				projects, err := l.Stores.Projects.ProjectsByIDs(ctx, []int64{l.Project.ID})
				require.NoError(t, err)
				require.Empty(t, projects)
				_, err = l.Stores.Tokens.TokenByHash(ctx, token.Hash)
				require.ErrorIs(t, err, core.ErrNotFound)
				grants, _, err := l.Stores.Grants.UserGrants(ctx, editor)
				require.NoError(t, err)
				require.Empty(t, grants)
				sum, err := l.Stores.Requests.InboxSummary(ctx, review.Reach{UserID: editor, SuperAdmin: true})
				require.NoError(t, err)
				require.Zero(t, sum.SubmittedByMe)
				for _, p := range sum.ByProject {
					require.NotEqual(t, l.Project.ID, p.ProjectID)
				}
				inbox, err := l.Stores.Requests.InboxCount(ctx, review.InboxQuery{Reach: review.Reach{UserID: admin, SuperAdmin: true}, ProjectID: l.Project.ID, Limit: 10})
				require.NoError(t, err)
				require.Zero(t, inbox)
			}
			check()
			require.NoError(t, l.Stores.Departments.Delete(ctx, l.Newsroom.ID))
			l.finish(t, check)
			for _, table := range tables {
				if table != "media_blobs" { // until they are swept
					require.Zero(t, l.count(table), table)
				}
			}
			var n int
			require.NoError(t, l.db.Writer().QueryRowContext(ctx, "SELECT count(*) FROM projects WHERE id = $1", l.Project.ID).Scan(&n))
			require.Zero(t, n)
			_, err := l.Stores.Projects.Project(ctx, l.Project.ID)
			require.ErrorIs(t, err, core.ErrNotFound)
		})
	}
}
