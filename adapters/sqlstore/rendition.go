package sqlstore

import (
	"context"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/ports"
)

// renditionStore implements ports.RenditionStore.
type renditionStore struct{ sqldb.Conn }

var renditions = sqldb.NewTableOf("media_renditions", "rendition", func(r *ports.StoredRendition) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Of: &r.ProjectID}, {Name: "name", Of: &r.Name}, {Name: "original", Of: &r.Original}, {Name: "used_at", Of: (*sqldb.Instant)(&r.Used)},
	}
})

func (s renditionStore) Put(ctx context.Context, r ports.StoredRendition) error {
	text, args := renditions.Insert(&r)
	_, err := s.Exec(ctx, text+" ON CONFLICT (project_id, name) DO UPDATE SET used_at = EXCLUDED.used_at", args...)
	return s.DB.Fault(err, renditions.Thing)
}

// Touch reads first, because most calls have nothing to write.
func (s renditionStore) Touch(ctx context.Context, projectID int64, name string, before, at time.Time) error {
	stored, err := renditions.One(ctx, s.Conn, " WHERE project_id = @project AND name = ?", projectID, name)
	if err != nil || !stored.Used.Before(before) {
		return err
	}
	return s.Must(ctx, renditions.Thing, "UPDATE media_renditions SET used_at = ? WHERE project_id = @project AND name = ?", sqldb.Instant(at), projectID, name)
}

func (s renditionStore) CountUsed(ctx context.Context, projectID int64, original string, since time.Time) (int64, error) {
	return sqldb.Value[int64](ctx, s.Conn, "SELECT count(*) FROM media_renditions WHERE project_id = @project AND original = ? AND used_at > ?", projectID, original,
		sqldb.Instant(since))
}

func (s renditionStore) Unused(ctx context.Context, before time.Time, limit int) ([]ports.StoredRendition, error) {
	return renditions.All(ctx, s.Conn, " WHERE used_at < ? LIMIT ?", sqldb.Instant(before), limit)
}

func (s renditionStore) RemoveUnused(ctx context.Context, projectID int64, name string, before time.Time) (bool, error) {
	n, err := s.Do(ctx, renditions.Thing, "DELETE FROM media_renditions WHERE project_id = @project AND name = ? AND used_at < ?", projectID, name, sqldb.Instant(before))
	return n > 0, err
}

func (s renditionStore) RemoveOf(ctx context.Context, projectID int64, original string) (names []string, err error) {
	return sqldb.Returned(ctx, s.Conn, renditions.Thing, sqldb.ScanValue[string],
		"DELETE FROM media_renditions WHERE project_id = @project AND original = ? RETURNING name", projectID, original)
}

func (s renditionStore) Recorded(ctx context.Context, projectID int64, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return sqldb.Collect(ctx, s.Conn, sqldb.ScanValue[string], "SELECT name FROM media_renditions WHERE project_id = @project AND name ?", projectID, sqldb.AmongTexts(names))
}
