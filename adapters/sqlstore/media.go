package sqlstore

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/library"
	"imprimatur/core/words"
)

// mediaStore implements ports.MediaStore.
type mediaStore struct{ conn }

var mediaItems = rowsOf("media", "media item", func(m *core.MediaItem) []member {
	return []member{
		{name: "project_id", kind: "bigint", of: &m.ProjectID, fixed: true},
		{name: "id", kind: "bigint", of: &m.ID, fixed: true},
		{name: "file_name", kind: "text", of: &m.FileName},
		{name: "caption", kind: "text", of: &m.Caption},
		{name: "alt", kind: "text", of: &m.Alt},
		{name: "tags", kind: "text", of: inJSON[[]string]{&m.Tags}},
		{name: "focal_point", kind: "text", of: inJSON[*core.FocalPoint]{&m.FocalPoint}},
		{name: "folder", kind: "text", of: &m.Folder},
		{name: "search", kind: "text", of: derived(func() any { return searchText(*m) })},
		{name: "mime_type", kind: "text", of: &m.MimeType},
		{name: "kind", kind: "text", of: &m.Kind},
		{name: "hash", kind: "text", of: &m.Hash},
		{name: "uploaded_hash", kind: "text", of: &m.Uploaded},
		{name: "size", kind: "bigint", of: &m.Size},
		{name: "width", kind: "bigint", of: &m.Width},
		{name: "height", kind: "bigint", of: &m.Height},
		{name: "color", kind: "text", of: &m.Color},
		{name: "full_blob", kind: "text", of: &m.Full},
		{name: "thumb_blob", kind: "text", of: &m.Thumb},
		{name: "thumb_webp_blob", kind: "text", of: &m.ThumbWebP},
		{name: "full_webp_blob", kind: "text", of: &m.FullWebP},
		{name: "created_at", kind: "bigint", of: (*instant)(&m.CreatedAt)},
		{name: "updated_at", kind: "bigint", of: (*instant)(&m.UpdatedAt)},
		{name: "removed_at", kind: "bigint"},
		{name: "imported_words", kind: "text", of: nullIfZero[string]{&m.Imported}},
	}
})

// inLibrary is the condition that an item was not removed from the library.
const inLibrary = "removed_at IS NULL"

// ofItem is the condition of an item in the library.
const ofItem = inLibrary + " AND project_id = @project AND id = ?"

func (s mediaStore) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return mediaItems.all(ctx, s.conn, " WHERE "+inLibrary+" AND project_id = @project AND id ?", projectID, amongIDs(ids))
}

func (s mediaStore) MediaByHash(ctx context.Context, projectID int64, hashes []string) ([]core.MediaItem, error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	return mediaItems.all(ctx, s.conn, " WHERE "+inLibrary+" AND project_id = @project AND (hash @hashes OR uploaded_hash <> '' AND uploaded_hash @hashes) ORDER BY id",
		projectID, amongTexts(hashes))
}

func (s mediaStore) MediaByFiles(ctx context.Context, projectID int64, names []string) ([]core.MediaItem, error) {
	if len(names) == 0 {
		return nil, nil
	}
	hashes := make([]string, len(names))
	for i, name := range names {
		hashes[i] = strings.TrimSuffix(path.Base(name), path.Ext(name))
	}
	items, err := mediaItems.all(ctx, s.conn, " WHERE "+inLibrary+" AND project_id = @project AND (full_blob @names OR thumb_blob @names"+
		" OR thumb_webp_blob @names OR full_webp_blob @names OR uploaded_hash <> '' AND uploaded_hash ?) ORDER BY id",
		projectID, as{"names", amongTexts(names)}, amongTexts(hashes))
	return slices.DeleteFunc(items, func(m core.MediaItem) bool {
		return !slices.ContainsFunc(m.Files(), func(name string) bool { return slices.Contains(names, name) })
	}), err
}

func (s mediaStore) Media(ctx context.Context, projectID, id int64) (core.MediaItem, error) {
	return mediaItems.one(ctx, s.conn, " WHERE "+ofItem+s.forUpdate(), projectID, id)
}

func (s mediaStore) List(ctx context.Context, q library.Query) ([]core.MediaItem, error) {
	if !selects(q) {
		return nil, nil
	}
	end, args := s.matching(q)
	return collectByValues(ctx, s.conn, mediaItems.scan, mediaItems.selected+end+" ORDER BY id DESC LIMIT ? OFFSET ?", append(args, q.Limit, q.Offset)...)
}

func (s mediaStore) Count(ctx context.Context, q library.Query) (int64, error) {
	if !selects(q) {
		return 0, nil
	}
	end, args := s.matching(q)
	return countByValues(ctx, s.conn, "media"+end, args...)
}

func (s mediaStore) Following(ctx context.Context, projectID, after int64, limit int) ([]core.MediaItem, error) {
	return mediaItems.all(ctx, s.conn, " WHERE "+inLibrary+" AND project_id = @project AND id > ? ORDER BY id LIMIT ?", projectID, after, limit)
}

// matching returns the condition of the items m that match q, with its arguments.
func (s mediaStore) matching(q library.Query) (end string, args []any) {
	end, args = " m WHERE "+inLibrary+" AND project_id = @project", []any{q.ProjectID}
	if q.Kind != "" {
		end, args = end+" AND kind = ?", append(args, string(q.Kind))
	}
	if q.Folder != nil {
		end, args = end+" AND folder = ?", append(args, *q.Folder)
	}
	if q.Search != "" {
		condition, arg := s.db.dialect.MediaSearch(words.Fold(q.Search))
		end, args = end+" AND "+condition, append(args, arg)
	}
	return end, args
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
	return mediaItems.add(ctx, s.conn, item, &item.ID, func() event.Event { return mediaEvent(event.MediaCreated, item.ProjectID, item.ID) })
}

func (s mediaStore) Update(ctx context.Context, item *core.MediaItem) error {
	return mediaItems.put(ctx, s.conn, item, mediaEvent(event.MediaUpdated, item.ProjectID, item.ID), ofItem, item.ProjectID, item.ID)
}

func (s mediaStore) Delete(ctx context.Context, projectID, id int64) error {
	return mediaItems.drop(ctx, s.conn, mediaEvent(event.MediaDeleted, projectID, id), ofItem, projectID, id)
}

func (s mediaStore) Folders(ctx context.Context, projectID int64, limit int) (folders []library.Folder, err error) {
	return collect(ctx, s.conn, into(func(f *library.Folder) []any { return []any{&f.Path, &f.Items} }),
		"SELECT folder, count(*) FROM media WHERE "+inLibrary+" AND project_id = @project GROUP BY folder ORDER BY folder LIMIT ?", projectID, limit)
}

func (s mediaStore) Move(ctx context.Context, projectID int64, ids []int64, folder string, at time.Time) (moved []int64, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		moved, err = returned(ctx, c, mediaItems.thing, scanValue[int64], "UPDATE media SET folder = @folder, updated_at = ?"+
			" WHERE "+inLibrary+" AND project_id = @project AND id ? AND folder <> @folder RETURNING id", as{"folder", folder}, instant(at), as{"project", projectID}, amongIDs(ids))
		if err != nil {
			return err
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
	end, args := pictured(projectID, after, missing)
	return mediaItems.all(ctx, s.conn, end+" ORDER BY id LIMIT ?", append(args, limit)...)
}

func (s mediaStore) CountPictures(ctx context.Context, projectID, after int64, missing bool) (int64, error) {
	end, args := pictured(projectID, after, missing)
	return value[int64](ctx, s.conn, "SELECT count(*) FROM media"+end, args...)
}

// selects reports whether q can select a row.
func selects(q library.Query) bool {
	return storable(q.Search) && !strings.Contains(q.Search, unitSeparator) && (q.Search == "" || words.Fold(q.Search) != "") && (q.Folder == nil || storable(*q.Folder))
}

// pictured returns the condition of what Pictures returns, with its arguments.
func pictured(projectID, after int64, missing bool) (end string, args []any) {
	end, args = " WHERE "+inLibrary+" AND kind = 'image' AND id > ?", []any{after}
	if projectID != 0 {
		end, args = end+" AND project_id = @project", append(args, projectID)
	}
	if missing {
		end += " AND (thumb_blob = '' OR thumb_webp_blob = '')"
	}
	return end, args
}

func (s mediaStore) Keep(ctx context.Context, projectID, id int64) error {
	return s.note(ctx, mediaItems.thing, mediaEvent(event.MediaDeleted, projectID, id),
		"UPDATE media SET removed_at = "+s.db.dialect.Now()+" WHERE "+ofItem, projectID, id)
}

func (s mediaStore) PastMedia(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return mediaItems.all(ctx, s.conn, " WHERE project_id = @project AND id ?", projectID, amongIDs(ids))
}

func (s mediaStore) Unnamed(ctx context.Context, limit int) ([]core.MediaItem, error) {
	return mediaItems.all(ctx, s.conn, " m WHERE removed_at IS NOT NULL"+
		" AND NOT EXISTS (SELECT 1 FROM publication_media p WHERE p.project_id = m.project_id AND p.media_id = m.id) LIMIT ?", limit)
}

func (s mediaStore) DeleteKept(ctx context.Context, projectID, id int64) error {
	return s.must(ctx, mediaItems.thing, "DELETE FROM media WHERE removed_at IS NOT NULL AND project_id = @project AND id = ?", projectID, id)
}
