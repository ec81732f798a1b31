package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/ports"
)

// renditionStore implements ports.RenditionStore.
type renditionStore struct{ conn }

type renditionRow struct {
	bun.BaseModel `bun:"table:media_renditions,alias:r"`

	ProjectID int64  `bun:",pk"`
	Name      string `bun:",pk"`
	Original  string
	UsedAt    instant
}

func (r renditionRow) core() ports.StoredRendition {
	return ports.StoredRendition{ProjectID: r.ProjectID, Name: r.Name, Original: r.Original, Used: time.Time(r.UsedAt)}
}

func (s renditionStore) Put(ctx context.Context, r ports.StoredRendition) error {
	row := renditionRow{ProjectID: r.ProjectID, Name: r.Name, Original: r.Original, UsedAt: instant(r.Used)}
	_, err := s.write.NewInsert().Model(&row).On("CONFLICT (project_id, name) DO UPDATE").Set("used_at = EXCLUDED.used_at").Exec(ctx)
	return s.db.fault(err, "rendition")
}

// Touch reads first, because most calls have nothing to write.
func (s renditionStore) Touch(ctx context.Context, projectID int64, name string, before, at time.Time) error {
	stored, err := one[renditionRow](ctx, s.conn, "rendition", where("project_id = ? AND name = ?", projectID, name))
	if err != nil || !stored.Used.Before(before) {
		return err
	}
	result, err := s.write.NewUpdate().Model((*renditionRow)(nil)).Set("used_at = ?", instant(at)).
		Where("project_id = ? AND name = ?", projectID, name).Exec(ctx)
	if err != nil {
		return s.db.fault(err, "rendition")
	}
	return s.found(result, "rendition")
}

func (s renditionStore) CountUsed(ctx context.Context, projectID int64, original string, since time.Time) (int64, error) {
	n, err := s.read.NewSelect().Model((*renditionRow)(nil)).
		Where("project_id = ? AND original = ? AND used_at > ?", projectID, original, instant(since)).Count(ctx)
	return n, s.db.fault(err, "rendition")
}

func (s renditionStore) Unused(ctx context.Context, before time.Time, limit int) ([]ports.StoredRendition, error) {
	return all[renditionRow](ctx, s.conn, "rendition", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("used_at < ?", instant(before)).Limit(int64(limit))
	})
}

func (s renditionStore) RemoveUnused(ctx context.Context, projectID int64, name string, before time.Time) (bool, error) {
	n, err := s.discard(ctx, (*renditionRow)(nil), "rendition", "project_id = ? AND name = ? AND used_at < ?", projectID, name, instant(before))
	return n > 0, err
}

func (s renditionStore) RemoveOf(ctx context.Context, projectID int64, original string) (names []string, err error) {
	_, err = s.write.NewDelete().Model((*renditionRow)(nil)).Where("project_id = ? AND original = ?", projectID, original).
		Returning("name").Exec(ctx, &names)
	return names, s.db.fault(err, "rendition")
}

func (s renditionStore) Recorded(ctx context.Context, projectID int64, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	rows, err := all[renditionRow](ctx, s.conn, "rendition", where("project_id = ? AND name IN (?)", projectID, bun.List(names)))
	return mapped(rows, func(r ports.StoredRendition) string { return r.Name }), err
}
