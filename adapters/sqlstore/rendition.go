package sqlstore

import (
	"context"
	"time"

	"imprimatur/ports"
)

// renditionStore implements ports.RenditionStore.
type renditionStore struct{ conn }

var renditions = rowsOf("media_renditions", "rendition", func(r *ports.StoredRendition) []member {
	return []member{
		{name: "project_id", of: &r.ProjectID}, {name: "name", of: &r.Name}, {name: "original", of: &r.Original}, {name: "used_at", of: (*instant)(&r.Used)},
	}
})

func (s renditionStore) Put(ctx context.Context, r ports.StoredRendition) error {
	text, args := renditions.insert(&r)
	_, err := s.exec(ctx, text+" ON CONFLICT (project_id, name) DO UPDATE SET used_at = EXCLUDED.used_at", args...)
	return s.db.fault(err, renditions.thing)
}

// Touch reads first, because most calls have nothing to write.
func (s renditionStore) Touch(ctx context.Context, projectID int64, name string, before, at time.Time) error {
	stored, err := renditions.one(ctx, s.conn, " WHERE project_id = @project AND name = ?", projectID, name)
	if err != nil || !stored.Used.Before(before) {
		return err
	}
	return s.must(ctx, renditions.thing, "UPDATE media_renditions SET used_at = ? WHERE project_id = @project AND name = ?", instant(at), projectID, name)
}

func (s renditionStore) CountUsed(ctx context.Context, projectID int64, original string, since time.Time) (int64, error) {
	return value[int64](ctx, s.conn, "SELECT count(*) FROM media_renditions WHERE project_id = @project AND original = ? AND used_at > ?", projectID, original, instant(since))
}

func (s renditionStore) Unused(ctx context.Context, before time.Time, limit int) ([]ports.StoredRendition, error) {
	return renditions.all(ctx, s.conn, " WHERE used_at < ? LIMIT ?", instant(before), limit)
}

func (s renditionStore) RemoveUnused(ctx context.Context, projectID int64, name string, before time.Time) (bool, error) {
	n, err := s.do(ctx, renditions.thing, "DELETE FROM media_renditions WHERE project_id = @project AND name = ? AND used_at < ?", projectID, name, instant(before))
	return n > 0, err
}

func (s renditionStore) RemoveOf(ctx context.Context, projectID int64, original string) (names []string, err error) {
	return returned(ctx, s.conn, renditions.thing, scanValue[string],
		"DELETE FROM media_renditions WHERE project_id = @project AND original = ? RETURNING name", projectID, original)
}

func (s renditionStore) Recorded(ctx context.Context, projectID int64, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	return collect(ctx, s.conn, scanValue[string], "SELECT name FROM media_renditions WHERE project_id = @project AND name ?", projectID, amongTexts(names))
}
