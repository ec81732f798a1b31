package sqlstore

import (
	"context"
	"maps"
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// Serve locks the translation groups before it reads their rows, as writes of entries do.
func (s entryStore) Serve(ctx context.Context, project *core.Project, after int64, limit int) (last int64, err error) {
	err = s.change(ctx, func(ctx context.Context, s entryStore) error {
		groups, err := sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[int64], "SELECT i.group_id FROM entry_index i"+s.DB.Dialect.By(groupIndex)+
			" WHERE i.project_id = @project AND i.group_id > ?"+kept("i")+" ORDER BY i.group_id LIMIT ?", project.ID, after, int64(limit))
		if err != nil || len(groups) == 0 {
			return err
		}
		if len(groups) == limit {
			last = groups[limit-1]
		}
		return s.serve(ctx, project, slices.Compact(groups))
	})
	return last, err
}

// serve updates the masks of the rows of groups, and their counters and buckets.
func (s entryStore) serve(ctx context.Context, project *core.Project, groups []int64) error {
	if s.Locks() {
		if err := s.lockMembers(ctx, lockedEntries{}, project.ID, groups, "group_id ?"); err != nil {
			return err
		}
	}
	var members []groupMember
	if _, err := s.Run(ctx, s.readMembers(&members, core.Schema{Project: project}, groups)); err != nil {
		return err
	}
	placements, err := servedPlacements(project, members)
	if err != nil {
		return err
	}
	var index, counters []sqldb.Statement
	for _, collection := range slices.Sorted(maps.Keys(placements)) {
		schema, p := core.Schema{Project: project, Collection: &core.Collection{ID: collection}}, placements[collection]
		index = append(index, s.place(schema, *p, nil)...)
		counters = slices.Concat(counters, s.count(schema, p.Counts), s.bucket(schema, p.Buckets))
	}
	_, err = s.Run(ctx, index, counters)
	return err
}

// servedPlacements returns the changes of masks by collection. members are all rows of their groups.
func servedPlacements(project *core.Project, members []groupMember) (map[int64]*entryindex.Placement, error) {
	groups := map[int64][]entryindex.Member{}
	for _, m := range members {
		groups[m.group] = append(groups[m.group], m.Member)
	}
	placements := map[int64]*entryindex.Placement{}
	for _, rows := range groups {
		collection := rows[0].Collection()
		if placements[collection] == nil {
			placements[collection] = &entryindex.Placement{}
		}
		if err := placements[collection].Place(project, nil, rows); err != nil {
			return nil, err
		}
	}
	return placements, nil
}

func (s entryStore) FewRows(ctx context.Context, projectID int64, most int) (bool, error) {
	n, err := sqldb.Value[int64](ctx, s.Conn, "SELECT count(*) FROM (SELECT 1 FROM entry_index"+s.DB.Dialect.By(entryquery.PrimaryKey)+
		" WHERE project_id = @project LIMIT ?) AS rows_of_project", projectID, int64(most)+1)
	return n <= int64(most), err
}

// recount rebuilds the counters and buckets of a Project from its rows of entry_index.
func (s entryStore) recount(ctx context.Context, projectID int64) error {
	if err := s.empty(ctx, []string{"entry_counters", "entry_buckets"}, "project_id = @project", projectID); err != nil {
		return err
	}
	for _, text := range Recounts("project_id = @project") {
		if _, err := s.Exec(ctx, text, projectID); err != nil {
			return err
		}
	}
	return nil
}

// localeFillStore implements ports.LocaleFillStore.
type localeFillStore struct{ sqldb.Conn }

func (s localeFillStore) Unsettled(ctx context.Context) ([]int64, error) {
	return sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[int64], "SELECT id FROM projects WHERE reindexing ORDER BY id")
}

// Take adds the row first, because a row that another transaction has locked is as invisible as none.
func (s localeFillStore) Take(ctx context.Context, p *core.Project) (after int64, taken bool, err error) {
	if _, err := s.Exec(ctx, "INSERT INTO locale_fills (project_id, version, reached) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", p.ID, p.Index.Version); err != nil {
		return 0, false, s.DB.Fault(err, "project")
	}
	lock := ""
	if s.Locks() {
		lock = s.ForUpdate() + " SKIP LOCKED"
	}
	type position struct{ version, reached int64 }
	found, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(p *position) []any { return []any{&p.version, &p.reached} }),
		"SELECT version, reached FROM locale_fills WHERE project_id = @project"+lock, p.ID)
	if err != nil || len(found) == 0 {
		return 0, false, err
	}
	if found[0].version != p.Index.Version {
		return 0, true, nil
	}
	return found[0].reached, true, nil
}

func (s localeFillStore) Reach(ctx context.Context, p *core.Project, group int64) error {
	_, err := s.Exec(ctx, "UPDATE locale_fills SET version = ?, reached = ? WHERE project_id = @project", p.Index.Version, group, p.ID)
	return s.DB.Fault(err, "project")
}

func (s localeFillStore) Save(ctx context.Context, p *core.Project) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		n, err := c.Exec(ctx, "UPDATE projects SET locale_index = ?, reindexing = ? WHERE id = ?", sqldb.InJSON(&p.Index), !p.Settled(), p.ID)
		if err == nil && n == 0 {
			err = core.NotFound("project")
		}
		return c.DB.Fault(err, "project")
	})
}
