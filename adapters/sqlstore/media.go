package sqlstore

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/library"
	"imprimatur/core/words"
)

// mediaStore implements ports.MediaStore.
type mediaStore struct{ conn }

type mediaRow struct {
	bun.BaseModel `bun:"table:media,alias:m"`

	ID        int64 `bun:",pk,autoincrement"`
	ProjectID int64
	FileName  string
	Caption   string
	Alt       string
	Tags      encoded[[]string]
	Focal     encoded[*core.FocalPoint] `bun:"focal_point"`
	Folder    string
	Search    string
	MimeType  string
	Hash      string
	Uploaded  string `bun:"uploaded_hash"`
	Size      int64
	Width     int
	Height    int
	Color     string
	Kind      string
	FullBlob  string
	ThumbBlob string
	ThumbWebP string `bun:"thumb_webp_blob"`
	FullWebP  string `bun:"full_webp_blob"`
	CreatedAt instant
	UpdatedAt instant
	Imported  string `bun:"imported_words,nullzero"`
}

func newMediaRow(m core.MediaItem) *mediaRow {
	return &mediaRow{
		ID: m.ID, ProjectID: m.ProjectID, FileName: m.FileName, Caption: m.Caption, Alt: m.Alt, Tags: encoded[[]string]{m.Tags}, Focal: encoded[*core.FocalPoint]{m.FocalPoint}, Folder: m.Folder,
		Search: searchText(m), MimeType: m.MimeType, Hash: m.Hash, Uploaded: m.Uploaded, Size: m.Size, Width: m.Width, Height: m.Height, Color: m.Color,
		Kind: string(m.Kind), FullBlob: m.Full, ThumbBlob: m.Thumb, ThumbWebP: m.ThumbWebP, FullWebP: m.FullWebP,
		CreatedAt: instant(m.CreatedAt), UpdatedAt: instant(m.UpdatedAt), Imported: m.Imported,
	}
}

func (r mediaRow) core() core.MediaItem {
	return core.MediaItem{
		ID: r.ID, ProjectID: r.ProjectID, FileName: r.FileName, Caption: r.Caption, Alt: r.Alt, Tags: r.Tags.v, FocalPoint: r.Focal.v, Folder: r.Folder,
		MimeType: r.MimeType, Hash: r.Hash, Uploaded: r.Uploaded, Size: r.Size, Width: r.Width, Height: r.Height, Color: r.Color,
		Kind: core.MediaKind(r.Kind), Full: r.FullBlob, Thumb: r.ThumbBlob, ThumbWebP: r.ThumbWebP, FullWebP: r.FullWebP,
		CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt), Imported: r.Imported,
	}
}

// inLibrary is the condition that an item was not removed from the library.
const inLibrary = "removed_at IS NULL"

func (s mediaStore) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return all[mediaRow](ctx, s.conn, "media item", where(inLibrary+" AND project_id = ? AND id IN (?)", projectID, bun.List(ids)))
}

func (s mediaStore) MediaByHash(ctx context.Context, projectID int64, hashes []string) ([]core.MediaItem, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	return all[mediaRow](ctx, s.conn, "media item", ordered("id",
		inLibrary+" AND project_id = ? AND (hash IN (?) OR uploaded_hash <> '' AND uploaded_hash IN (?))", projectID, bun.List(hashes), bun.List(hashes)))
}

func (s mediaStore) MediaByFiles(ctx context.Context, projectID int64, names []string) ([]core.MediaItem, error) {
	if len(names) == 0 {
		return nil, nil
	}
	hashes := make([]string, len(names))
	for i, name := range names {
		hashes[i] = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	list := bun.List(names)
	items, err := all[mediaRow](ctx, s.conn, "media item", ordered("id", inLibrary+
		" AND project_id = ? AND (full_blob IN (?) OR thumb_blob IN (?) OR thumb_webp_blob IN (?) OR full_webp_blob IN (?) OR uploaded_hash <> '' AND uploaded_hash IN (?))",
		projectID, list, list, list, list, bun.List(hashes)))
	return slices.DeleteFunc(items, func(m core.MediaItem) bool {
		return !slices.ContainsFunc(m.Files(), func(name string) bool { return slices.Contains(names, name) })
	}), err
}

func (s mediaStore) Media(ctx context.Context, projectID, id int64) (core.MediaItem, error) {
	return one[mediaRow](ctx, s.conn, "media item", func(q *bun.SelectQuery) *bun.SelectQuery {
		if s.locks() {
			q = q.For("UPDATE")
		}
		return q.Where(inLibrary+" AND project_id = ? AND id = ?", projectID, id)
	})
}

func (s mediaStore) List(ctx context.Context, q library.Query) ([]core.MediaItem, error) {
	if !selects(q) {
		return nil, nil
	}
	return all[mediaRow](ctx, s.conn, "media item", func(rows *bun.SelectQuery) *bun.SelectQuery {
		return s.matching(rows, q).Order("id DESC").Offset(q.Offset).Limit(q.Limit)
	})
}

func (s mediaStore) Count(ctx context.Context, q library.Query) (int64, error) {
	if !selects(q) {
		return 0, nil
	}
	n, err := s.matching(s.read.NewSelect().Model((*mediaRow)(nil)), q).Count(ctx)
	return n, s.db.fault(err, "media item")
}

func (s mediaStore) Following(ctx context.Context, projectID, after int64, limit int) ([]core.MediaItem, error) {
	return all[mediaRow](ctx, s.conn, "media item", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where(inLibrary+" AND project_id = ? AND id > ?", projectID, after).Order("id").Limit(int64(limit))
	})
}

// matching restricts rows to those that match q.
func (s mediaStore) matching(rows *bun.SelectQuery, q library.Query) *bun.SelectQuery {
	rows = rows.Where(inLibrary+" AND project_id = ?", q.ProjectID)
	if q.Kind != "" {
		rows = rows.Where("kind = ?", string(q.Kind))
	}
	if q.Folder != nil {
		rows = rows.Where("folder = ?", *q.Folder)
	}
	if q.Search != "" {
		rows = rows.Where(s.db.dialect.MediaSearch(words.Fold(q.Search)))
	}
	return rows
}

// unitSeparator separates the texts of an item in its search column, so that a search cannot
// match across two texts.
const unitSeparator = "\x1f"

// searchText returns the folded texts of an item. A folded text has no control.
func searchText(m core.MediaItem) string {
	texts := append([]string{m.Caption, m.FileName}, m.Tags...)
	for i, text := range texts {
		texts[i] = words.Fold(text)
	}
	return strings.Join(texts, unitSeparator)
}

func (s mediaStore) Insert(ctx context.Context, item *core.MediaItem) error {
	r := newMediaRow(*item)
	return s.insert(ctx, newRow{r, &r.ID, &item.ID}, "media item", func() event.Event { return mediaEvent(event.MediaCreated, r.ProjectID, r.ID) })
}

func (s mediaStore) Update(ctx context.Context, item *core.MediaItem) error {
	return s.updateBy(ctx, s.write.NewUpdate().Model(newMediaRow(*item)).ExcludeColumn("id", "project_id").
		Where(inLibrary+" AND project_id = ? AND id = ?", item.ProjectID, item.ID),
		"media item", mediaEvent(event.MediaUpdated, item.ProjectID, item.ID))
}

func (s mediaStore) Delete(ctx context.Context, projectID, id int64) error {
	return s.remove(ctx, (*mediaRow)(nil), "media item", mediaEvent(event.MediaDeleted, projectID, id), inLibrary+" AND project_id = ? AND id = ?", projectID, id)
}

func (s mediaStore) Folders(ctx context.Context, projectID int64, limit int) (folders []library.Folder, err error) {
	err = s.read.NewSelect().Model((*mediaRow)(nil)).ColumnExpr("folder AS path, count(*) AS items").
		Where(inLibrary+" AND project_id = ?", projectID).Group("folder").Order("folder").Limit(int64(limit)).Scan(ctx, &folders)
	return folders, s.db.fault(err, "media item")
}

func (s mediaStore) Move(ctx context.Context, projectID int64, ids []int64, folder string, at time.Time) (moved []int64, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		moved = nil
		_, err := c.write.NewUpdate().Model((*mediaRow)(nil)).Set("folder = ?", folder).Set("updated_at = ?", instant(at)).
			Where(inLibrary+" AND project_id = ? AND id IN (?) AND folder <> ?", projectID, bun.List(ids), folder).Returning("id").Exec(ctx, &moved)
		if err != nil {
			return c.written(err, "media item")
		}
		slices.Sort(moved)
		for _, id := range moved {
			c.record(mediaEvent(event.MediaUpdated, projectID, id))
		}
		return nil
	})
	return moved, err
}

func mediaEvent(kind event.Type, projectID, id int64) event.Event {
	return event.Event{Type: kind, ProjectID: projectID, SubjectID: id}
}

func (s mediaStore) Pictures(ctx context.Context, projectID, after int64, limit int, missing bool) ([]core.MediaItem, error) {
	return all[mediaRow](ctx, s.conn, "media item", func(q *bun.SelectQuery) *bun.SelectQuery {
		return pictured(q, projectID, after, missing).Order("id").Limit(int64(limit))
	})
}

func (s mediaStore) CountPictures(ctx context.Context, projectID, after int64, missing bool) (int64, error) {
	n, err := pictured(s.read.NewSelect().Model((*mediaRow)(nil)), projectID, after, missing).Count(ctx)
	return n, s.db.fault(err, "media item")
}

// selects reports whether q can select a row.
func selects(q library.Query) bool {
	return storable(q.Search) && !strings.Contains(q.Search, unitSeparator) && (q.Search == "" || words.Fold(q.Search) != "") && (q.Folder == nil || storable(*q.Folder))
}

// pictured restricts rows to those that Pictures returns.
func pictured(rows *bun.SelectQuery, projectID, after int64, missing bool) *bun.SelectQuery {
	if projectID != 0 {
		rows = rows.Where("project_id = ?", projectID)
	}
	if missing {
		rows = rows.Where("(thumb_blob = '' OR thumb_webp_blob = '')")
	}
	return rows.Where(inLibrary).Where("kind = 'image'").Where("id > ?", after)
}

func (s mediaStore) Keep(ctx context.Context, projectID, id int64) error {
	return s.updateBy(ctx, s.write.NewUpdate().Model((*mediaRow)(nil)).Set("removed_at = "+s.db.dialect.Now()).
		Where(inLibrary+" AND project_id = ? AND id = ?", projectID, id), "media item", mediaEvent(event.MediaDeleted, projectID, id))
}

func (s mediaStore) PastMedia(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return all[mediaRow](ctx, s.conn, "media item", where("project_id = ? AND id IN (?)", projectID, bun.List(ids)))
}

func (s mediaStore) Unnamed(ctx context.Context, limit int) ([]core.MediaItem, error) {
	return all[mediaRow](ctx, s.conn, "media item", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("removed_at IS NOT NULL").
			Where("NOT EXISTS (SELECT 1 FROM publication_media p WHERE p.project_id = m.project_id AND p.media_id = m.id)").Limit(int64(limit))
	})
}

func (s mediaStore) DeleteKept(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		n, err := c.discard(ctx, (*mediaRow)(nil), "media item", "removed_at IS NOT NULL AND project_id = ? AND id = ?", projectID, id)
		if err == nil && n == 0 {
			err = core.NotFound("media item")
		}
		return err
	})
}
