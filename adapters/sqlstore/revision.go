package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// revisionStore implements ports.RevisionStore.
type revisionStore struct{ sqldb.Conn }

var revisionTable = sqldb.NewTable("revisions",
	"project_id bigint", "entry_id bigint", "number bigint", "collection_id bigint", "kept boolean", "record text",
)

// pending is what a transaction keeps: rows of past revisions that it writes later, and the entries that it has locked
// and not changed since.
type pending struct {
	revisions [][]any
	locked    lockedEntries
}

func pendingOf(c sqldb.Conn) *pending { return sqldb.KeptOf[pending](c) }

// Save only records the rows. The next write of an entry sends them with its own statements.
func (s revisionStore) Save(ctx context.Context, revisions ...core.Revision) error {
	return s.Change(ctx, func(_ context.Context, c sqldb.Conn) error {
		for _, r := range revisions {
			p := pendingOf(c)
			p.revisions = append(p.revisions,
				[]any{r.ProjectID, r.EntryID, r.Number, r.CollectionID, r.Kept, string(r.Encode())})
		}
		return nil
	})
}

// pendingRevisions clears the recorded rows and returns statements that the caller must run.
func pendingRevisions(c sqldb.Conn) []sqldb.Statement {
	p := pendingOf(c)
	rows := p.revisions
	p.revisions = nil
	return sqldb.Added(revisionTable, rows, " ON CONFLICT (project_id, entry_id, number)"+
		" DO UPDATE SET kept = excluded.kept, record = excluded.record")
}

// writeRevisions writes the recorded rows now.
func writeRevisions(ctx context.Context, c sqldb.Conn) error {
	if !c.Inside() || len(pendingOf(c).revisions) == 0 {
		return nil
	}
	_, err := c.Run(ctx, pendingRevisions(c))
	return c.DB.Fault(err, "revision")
}

// revisionKeys names rows of revisionTable.
var revisionKeys = sqldb.NewTable("revisions", "entry_id bigint", "number bigint")

func keyRow(k core.RevisionKey) []any { return []any{k.EntryID, k.Number} }

func (s revisionStore) Delete(ctx context.Context, projectID int64, revisions ...core.RevisionKey) error {
	if len(revisions) == 0 {
		return nil
	}
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if err := writeRevisions(ctx, c); err != nil {
			return err
		}
		_, err := c.Run(ctx, c.Removed(revisionKeys, &core.Project{ID: projectID}, sqldb.Mapped(revisions, keyRow)))
		return c.DB.Fault(err, "revision")
	})
}

func (s revisionStore) Revisions(ctx context.Context, q core.RevisionQuery) ([]core.Revision, error) {
	limit, args := "", []any{q.ProjectID, q.EntryID, q.From}
	if q.Limit != 0 {
		limit, args = " LIMIT ? OFFSET ?", append(args, q.Limit, q.Offset)
	}
	return s.list(ctx, q.ProjectID, "SELECT entry_id, collection_id, record FROM revisions WHERE project_id = @project AND entry_id = ?"+
		" AND number >= ? ORDER BY number DESC"+limit, args...)
}

func (s revisionStore) Count(ctx context.Context, projectID, entryID int64) (int64, error) {
	if err := writeRevisions(ctx, s.Conn); err != nil {
		return 0, err
	}
	return sqldb.Value[int64](ctx, s.Conn, "SELECT count(*) FROM revisions WHERE project_id = @project AND entry_id = ?", projectID, entryID)
}

// The bounds are computed once for each entry. CROSS JOIN has SQLite read them first, which would otherwise expect few
// revisions in the Project.
const (
	ofListed   = "FROM revisions n WHERE n.project_id = @project AND n.entry_id = v.column1"
	firstOf    = "(SELECT min(n.number) " + ofListed + " AND NOT n.kept AND n.number <= v.column2)"
	previousOf = "(SELECT max(n.number) " + ofListed + " AND n.number < " + firstOf + ")"
	nextOf     = "(SELECT min(n.number) " + ofListed + " AND n.number > v.column2)"
)

func (s revisionStore) Prunable(ctx context.Context, projectID int64, through ...core.RevisionKey) (all []core.Revision, err error) {
	for some := range sqldb.Chunks(sqldb.Mapped(slices.SortedFunc(slices.Values(through), byEntry), keyRow), len(revisionKeys.Columns)) {
		found, err := s.list(ctx, projectID, "WITH bounds AS MATERIALIZED (SELECT v.column1 AS entry_id,"+
			" coalesce("+previousOf+", "+firstOf+") AS low, coalesce("+nextOf+", v.column2) AS high FROM (?) AS v)"+
			" SELECT r.entry_id, r.collection_id, r.record FROM bounds b CROSS JOIN revisions r"+
			" WHERE r.project_id = @project AND r.entry_id = b.entry_id AND r.number >= b.low AND r.number <= b.high ORDER BY r.entry_id, r.number",
			projectID, sqldb.RowList{Types: revisionKeys.Types, Rows: some})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func byEntry(a, b core.RevisionKey) int { return cmp.Compare(a.EntryID, b.EntryID) }

// list returns the revisions of the rows entry_id, collection_id and record.
func (s revisionStore) list(ctx context.Context, projectID int64, text string, args ...any) ([]core.Revision, error) {
	if err := writeRevisions(ctx, s.Conn); err != nil {
		return nil, err
	}
	return sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (core.Revision, error) {
		r := core.Revision{ProjectID: projectID}
		var record []byte
		err := rows.Scan(&r.EntryID, &r.CollectionID, &record)
		if err == nil {
			r.RevisionRecord, err = core.DecodeRevision(record)
		}
		if err != nil {
			return r, fmt.Errorf("a revision of entry %d: %w", r.EntryID, err)
		}
		return r, nil
	}, text, args...)
}

func (s entryStore) SetRevision(ctx context.Context, projectID, id int64, revision core.Document) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		affected, err := s.Exec(ctx, "UPDATE entries SET revision = ? WHERE project_id = @project AND id = ?", nullable(revision), projectID, id)
		if err == nil && affected == 0 {
			err = core.NotFound("entry")
		}
		return err
	})
}

var entryRevisions = sqldb.NewTable("entries", "id bigint", "revision text")

func (s entryStore) SetRevisions(ctx context.Context, project *core.Project, revisions map[int64]core.Document) error {
	rows := make([][]any, 0, len(revisions))
	for _, id := range slices.Sorted(maps.Keys(revisions)) {
		rows = append(rows, []any{id, string(revisions[id])})
	}
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		_, err := s.Run(ctx, s.Changed(entryRevisions, project, 1, rows))
		return s.DB.Fault(err, "entry")
	})
}
