package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// watchedEntries is an entryStore whose reads note how many releases of the Project they see.
type watchedEntries struct {
	entryStore
	seen *release.Seen
}

func (s entryStore) Seeing(seen *release.Seen) ports.EntryReader { return watchedEntries{s, seen} }

func (s watchedEntries) List(ctx context.Context, sel query.Selection, counted bool) ([]core.Row, int64, error) {
	return s.list(ctx, sel, counted, s.seen)
}

func (s watchedEntries) Count(ctx context.Context, sel query.Selection) (int64, error) {
	return s.total(ctx, sel, s.seen)
}

func (s watchedEntries) Referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery) ([]query.Referrers, error) {
	return s.referrers(ctx, project, q, s.seen)
}

func (s watchedEntries) Tally(ctx context.Context, sel query.Selection, t query.Tally) ([]query.Tallied, error) {
	return s.tally(ctx, sel, t, s.seen)
}

func (s watchedEntries) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	return s.published(ctx, projectID, collectionID, id, s.seen)
}

func (s watchedEntries) Alternates(ctx context.Context, project *core.Project, groups []int64, slug *core.Field) ([]query.Alternate, error) {
	return s.alternates(ctx, project, groups, slug, s.seen)
}

func (s watchedEntries) Serving(
	ctx context.Context, projectID int64, state core.State, groups []int64, locales uint64, documents bool,
) ([]core.Row, error) {
	return s.serving(ctx, projectID, state, groups, locales, documents, s.seen)
}

// sightings collects the number of releases that each row of one statement has in its last column.
type sightings struct {
	seen *release.Seen // nil: rows have no such column
	n    int64
}

// column returns the column of a SELECT list with the number of releases of the Project @project, or "" if nothing
// collects it.
func (s *sightings) column() string {
	if s.seen == nil {
		return ""
	}
	return ", " + releasesPublished
}

const releasesPublished = "coalesce((SELECT n.published FROM release_counts n WHERE n.project_id = @project), 0)"

// targets appends the target of the column to those of a row.
func (s *sightings) targets(targets []any) []any {
	if s.seen == nil {
		return targets
	}
	return append(targets, &s.n)
}

// done notes what the statement saw.
func (s *sightings) done(rows int, err error) {
	switch {
	case s.seen == nil || err != nil:
	case rows > 0:
		s.seen.Saw(s.n)
	default:
		s.seen.SawUnknown()
	}
}

func (s entryStore) ReleasesPublished(ctx context.Context, projectIDs ...int64) (int64, error) {
	if len(projectIDs) == 0 {
		return 0, nil
	}
	return sqldb.Value[int64](ctx, s.Conn, "SELECT CAST(coalesce(sum(published), 0) AS bigint) FROM release_counts WHERE project_id ?", sqldb.AmongIDs(projectIDs))
}

// pendingReleases returns the statements that count the releases that the transaction has published. They run
// before those of events, and after all others, because concurrent releases of a Project wait for each other here.
func pendingReleases(c sqldb.Conn) (statements []sqldb.Statement) {
	for _, e := range c.Recorded() {
		if e.Type == event.ReleasePublished {
			statements = append(statements, c.Statement(
				"INSERT INTO release_counts AS n (project_id, published) VALUES (?, 1) ON CONFLICT (project_id) DO UPDATE SET published = n.published + 1", e.ProjectID))
		}
	}
	return statements
}
