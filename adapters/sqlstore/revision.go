package sqlstore

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"imprimatur/core"
)

// revisionStore implements ports.RevisionStore.
type revisionStore struct{ conn }

var revisionTable = newTable("revisions",
	"project_id bigint", "entry_id bigint", "number bigint", "collection_id bigint", "kept boolean", "record text",
)

// Save only records the rows. The next write of an entry sends them with its own statements.
func (s revisionStore) Save(ctx context.Context, revisions ...core.Revision) error {
	return s.change(ctx, func(_ context.Context, c conn) error {
		for _, r := range revisions {
			c.journal.revisions = append(c.journal.revisions,
				[]any{r.ProjectID, r.EntryID, r.Number, r.CollectionID, r.Kept, string(r.Encode())})
		}
		return nil
	})
}

// pendingRevisions clears the recorded rows and returns statements that the caller must run.
func (c conn) pendingRevisions() []Statement {
	rows := c.journal.revisions
	c.journal.revisions = nil
	return added(revisionTable, rows, " ON CONFLICT (project_id, entry_id, number)"+
		" DO UPDATE SET kept = excluded.kept, record = excluded.record")
}

// writeRevisions writes the recorded rows now.
func (c conn) writeRevisions(ctx context.Context) error {
	if c.journal == nil || len(c.journal.revisions) == 0 {
		return nil
	}
	_, err := c.run(ctx, c.pendingRevisions())
	return c.db.fault(err, "revision")
}

func (s revisionStore) Delete(ctx context.Context, projectID, entryID int64, numbers []int64) error {
	if len(numbers) == 0 {
		return nil
	}
	return s.change(ctx, func(ctx context.Context, c conn) error {
		if err := c.writeRevisions(ctx); err != nil {
			return err
		}
		among, args := c.among(numbers, projectID, entryID)
		_, err := c.exec(ctx, "DELETE FROM revisions WHERE project_id = $1 AND entry_id = $2 AND number "+among, args...)
		return c.db.fault(err, "revision")
	})
}

// selectRevisions selects the rows that scanRevision reads.
const selectRevisions = "SELECT collection_id, record FROM revisions WHERE project_id = $1 AND entry_id = $2"

func (s revisionStore) Revisions(ctx context.Context, q core.RevisionQuery) ([]core.Revision, error) {
	limit, args := "", []any{q.ProjectID, q.EntryID, q.From}
	if q.Limit != 0 {
		limit, args = " LIMIT $4 OFFSET $5", append(args, q.Limit, q.Offset)
	}
	return s.list(ctx, q.ProjectID, q.EntryID, selectRevisions+" AND number >= $3 ORDER BY number DESC"+limit, args...)
}

func (s revisionStore) Count(ctx context.Context, projectID, entryID int64) (int64, error) {
	if err := s.writeRevisions(ctx); err != nil {
		return 0, err
	}
	return value[int64](ctx, s.conn, "SELECT count(*) FROM revisions WHERE project_id = $1 AND entry_id = $2", projectID, entryID)
}

func (s revisionStore) Prunable(ctx context.Context, projectID, entryID, through int64) ([]core.Revision, error) {
	const (
		of       = " FROM revisions WHERE project_id = $1 AND entry_id = $2"
		first    = "(SELECT min(number)" + of + " AND NOT kept AND number <= $3)"
		previous = "(SELECT max(number)" + of + " AND number < " + first + ")"
		next     = "(SELECT min(number)" + of + " AND number > $3)"
	)
	return s.list(ctx, projectID, entryID, selectRevisions+" AND number >= coalesce("+previous+", "+first+")"+
		" AND number <= coalesce("+next+", $3) ORDER BY number", projectID, entryID, through)
}

func (s revisionStore) list(ctx context.Context, projectID, entryID int64, text string, args ...any) ([]core.Revision, error) {
	if err := s.writeRevisions(ctx); err != nil {
		return nil, err
	}
	return collect(ctx, s.conn, func(rows Rows) (core.Revision, error) {
		r := core.Revision{ProjectID: projectID, EntryID: entryID}
		var record []byte
		err := rows.Scan(&r.CollectionID, &record)
		if err == nil {
			r.RevisionRecord, err = core.DecodeRevision(record)
		}
		if err != nil {
			return r, fmt.Errorf("a revision of entry %d: %w", entryID, err)
		}
		return r, nil
	}, text, args...)
}

func (s entryStore) SetRevision(ctx context.Context, projectID, id int64, revision core.Document) error {
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		affected, err := s.exec(ctx, "UPDATE entries SET revision = $3 WHERE project_id = $1 AND id = $2", projectID, id, nullable(revision))
		if err == nil && affected == 0 {
			err = core.NotFound("entry")
		}
		return err
	})
}

var entryRevisions = newTable("entries", "id bigint", "revision text")

func (s entryStore) SetRevisions(ctx context.Context, project *core.Project, revisions map[int64]core.Document) error {
	rows := make([][]any, 0, len(revisions))
	for _, id := range slices.Sorted(maps.Keys(revisions)) {
		rows = append(rows, []any{id, string(revisions[id])})
	}
	return s.change(ctx, func(ctx context.Context, s entryStore) error {
		_, err := s.run(ctx, s.changed(entryRevisions, project, 1, rows))
		return s.db.fault(err, "entry")
	})
}
