package memory

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// watchedEntries is entries whose reads note how many releases of the Project they see.
type watchedEntries struct {
	entries
	seen *release.Seen
}

func (s entries) Seeing(seen *release.Seen) ports.EntryReader { return watchedEntries{s, seen} }

func (s entries) ReleasesPublished(ctx context.Context, projectIDs ...int64) (int64, error) {
	return view(ctx, s.conn, func(st *state) (n int64, err error) {
		for _, id := range projectIDs {
			published, _ := st.releaseCounts.get(id)
			n += published
		}
		return n, nil
	})
}

// at returns entries that read one state, and notes the releases of that state.
func (s watchedEntries) at(projectID int64) entries {
	c := s.conn
	if c.tx == nil {
		c.tx = &transaction{state: *c.store.committed.Load()}
	}
	c.tx.mu.Lock()
	defer c.tx.mu.Unlock()
	published, _ := c.tx.state.releaseCounts.get(projectID)
	s.seen.Saw(published)
	return entries{c}
}

func (s watchedEntries) List(ctx context.Context, sel query.Selection, counted bool) ([]core.Row, int64, error) {
	return s.at(sel.Schema.Project.ID).List(ctx, sel, counted)
}

func (s watchedEntries) Count(ctx context.Context, sel query.Selection) (int64, error) {
	return s.at(sel.Schema.Project.ID).Count(ctx, sel)
}

func (s watchedEntries) Referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery) ([]query.Referrers, error) {
	return s.at(project.ID).Referrers(ctx, project, q)
}

func (s watchedEntries) Tally(ctx context.Context, sel query.Selection, t query.Tally) ([]query.Tallied, error) {
	return s.at(sel.Schema.Project.ID).Tally(ctx, sel, t)
}

func (s watchedEntries) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	return s.at(projectID).Published(ctx, projectID, collectionID, id)
}

func (s watchedEntries) Alternates(ctx context.Context, project *core.Project, groups []int64, slug *core.Field) ([]query.Alternate, error) {
	return s.at(project.ID).Alternates(ctx, project, groups, slug)
}

func (s watchedEntries) Serving(
	ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool,
) ([]core.Row, error) {
	return s.at(projectID).Serving(ctx, projectID, state, groups, mask, documents)
}
