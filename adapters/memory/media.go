package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/library"
	"imprimatur/core/review"
	"imprimatur/core/words"
)

type media struct{ scoped }

func (s media) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	return where(ctx, s.store, func(m core.MediaItem) bool { return m.ProjectID == projectID && slices.Contains(ids, m.ID) })
}

func (s media) MediaByHash(ctx context.Context, projectID int64, hashes []string) ([]core.MediaItem, error) {
	return where(ctx, s.store, func(m core.MediaItem) bool { return m.ProjectID == projectID && intersect(m.Hashes(), hashes) })
}

func (s media) MediaByFiles(ctx context.Context, projectID int64, names []string) ([]core.MediaItem, error) {
	return where(ctx, s.store, func(m core.MediaItem) bool { return m.ProjectID == projectID && intersect(m.Files(), names) })
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func (s media) Media(ctx context.Context, projectID, id int64) (core.MediaItem, error) {
	return get[core.MediaItem](ctx, s.store, in{projectID, id})
}

func (s media) List(ctx context.Context, q library.Query) ([]core.MediaItem, error) {
	rows, err := where(ctx, s.store, mediaFilter(q))
	return page(latest(rows), q.Offset, q.Limit), err
}

func (s media) Following(ctx context.Context, projectID, after int64, limit int) ([]core.MediaItem, error) {
	rows, err := where(ctx, s.store, func(m core.MediaItem) bool { return m.ProjectID == projectID && m.ID > after })
	return first(rows, limit), err
}

func (s media) Count(ctx context.Context, q library.Query) (int64, error) {
	return count(ctx, s.store, mediaFilter(q))
}

// mediaFilter returns a function that reports whether an item matches q.
func mediaFilter(q library.Query) func(core.MediaItem) bool {
	part := words.Fold(q.Search)
	return func(m core.MediaItem) bool {
		return m.ProjectID == q.ProjectID && (q.Kind == "" || m.Kind == q.Kind) && (q.Folder == nil || m.Folder == *q.Folder) &&
			(q.Search == "" || part != "") && slices.ContainsFunc(append([]string{m.Caption, m.FileName}, m.Tags...), func(text string) bool {
			return strings.Contains(words.Fold(text), part)
		})
	}
}

func (s media) Folders(ctx context.Context, projectID int64, limit int) ([]library.Folder, error) {
	items, err := rowsOf[core.MediaItem](ctx, s.store, projectID)
	counts := map[string]int64{}
	for _, item := range items {
		counts[item.Folder]++
	}
	var folders []library.Folder
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		folders = append(folders, library.Folder{Path: path, Items: counts[path]})
	}
	return first(folders, limit), err
}

func (s media) Move(ctx context.Context, projectID int64, ids []int64, folder string, at time.Time) (moved []int64, err error) {
	err = s.apply(ctx, func(st *state) {
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			item, err := st.media.in(projectID, id)
			if err != nil || item.Folder == folder {
				continue
			}
			item.Folder, item.UpdatedAt = folder, at
			st.media.put(id, item)
			st.record(mediaEvent(event.MediaUpdated, item))
			moved = append(moved, id)
		}
	})
	return moved, err
}

func (s media) Insert(ctx context.Context, item *core.MediaItem) error { return s.insert(ctx, item) }

func (s media) Update(ctx context.Context, item *core.MediaItem) error {
	return update(ctx, s.store, in{item.ProjectID, item.ID}, event.MediaUpdated, func(stored *core.MediaItem) { *stored = *item })
}

func mediaEvent(kind event.Type, item core.MediaItem) event.Event {
	return event.Event{Type: kind, ProjectID: item.ProjectID, SubjectID: item.ID}
}

func (s media) Keep(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		item, err := st.media.in(projectID, id)
		if err == nil {
			st.media.remove(id)
			st.kept.put(id, item)
			st.record(mediaEvent(event.MediaDeleted, item))
		}
		return err
	})
}

func (s media) PastMedia(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	return view(ctx, s.conn, func(st *state) ([]core.MediaItem, error) {
		match := func(m core.MediaItem) bool { return m.ProjectID == projectID && slices.Contains(ids, m.ID) }
		return append(st.media.where(match), st.kept.where(match)...), nil
	})
}

func (s media) Unnamed(ctx context.Context, limit int) ([]core.MediaItem, error) {
	return view(ctx, s.conn, func(st *state) ([]core.MediaItem, error) {
		return first(st.kept.where(func(m core.MediaItem) bool { return !st.namesMedia(m.ProjectID, m.ID) }), limit), nil
	})
}

func (s media) DeleteKept(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		_, err := st.kept.in(projectID, id)
		if err == nil {
			st.kept.remove(id)
		}
		return err
	})
}

func (s media) Uses(ctx context.Context, projectID, id int64, limit int) ([]library.Use, error) {
	return view(ctx, s.conn, func(st *state) ([]library.Use, error) { return first(st.uses(projectID, st.shows(id)), limit), nil })
}

func (s media) SealedUses(ctx context.Context, projectID, id int64, limit int) ([]library.Use, error) {
	return view(ctx, s.conn, func(st *state) ([]library.Use, error) { return first(st.sealedUses(projectID, id), limit), nil })
}

// shows returns a function that reports whether references show a media item.
func (st *state) shows(id int64) func(core.References) bool {
	item := core.MediaItem{ID: id}
	if kept, ok := st.kept.get(id); ok {
		item = kept
	}
	if stored, ok := st.media.get(id); ok {
		item = stored
	}
	return func(r core.References) bool { return r.Shows(&item) }
}

// Uses implements ports.EntryStore.
func (s entries) Uses(ctx context.Context, projectID, group int64, limit int) ([]library.Use, error) {
	return view(ctx, s.conn, func(st *state) ([]library.Use, error) {
		return first(st.uses(projectID, func(r core.References) bool { return slices.Contains(r.Groups, group) }), limit), nil
	})
}

// PublicReferrers implements ports.EntryStore.
func (s entries) PublicReferrers(ctx context.Context, projectID int64, groups []int64) ([]core.Referrer, error) {
	return view(ctx, s.conn, func(st *state) (found []core.Referrer, _ error) {
		for _, e := range st.entries.where(func(e core.Entry) bool { return e.ProjectID == projectID && e.IsPublic() }) {
			c, _ := st.definition(e.CollectionID)
			for _, group := range c.References(e.Published).Groups {
				if slices.Contains(groups, group) {
					found = append(found, core.Referrer{Group: group, EntryID: e.ID})
				}
			}
		}
		sort(found, func(a, b core.Referrer) int {
			return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.EntryID, b.EntryID))
		})
		return found, nil
	})
}

// uses returns the entries of which a version or an open request refers to something, by id. has
// reports whether references include it.
func (st *state) uses(projectID int64, has func(core.References) bool) []library.Use {
	return st.usesOf(projectID, func(c *core.Collection, i *review.RequestItem) bool { return has(i.References(c, false)) },
		func(c *core.Collection, e *core.Entry) (draft, published bool) {
			return has(c.AllReferences(e.Draft)), has(c.AllReferences(e.Published))
		})
}

// sealedUses is uses of a media item without the trash, drafts, published versions that are not sealed, and
// secret fields.
func (st *state) sealedUses(projectID, id int64) []library.Use {
	has := st.shows(id)
	uses := st.usesOf(projectID, func(c *core.Collection, i *review.RequestItem) bool { return has(i.References(c, true)) || i.Seals(id) },
		func(c *core.Collection, e *core.Entry) (draft, published bool) {
			return false, e.PublishedMedia != nil && (has(c.References(e.Published)) || st.namesNow(e, id))
		})
	return slices.DeleteFunc(uses, func(u library.Use) bool { return u.Trashed })
}

func (st *state) usesOf(
	projectID int64, ofItem func(*core.Collection, *review.RequestItem) bool, ofEntry func(*core.Collection, *core.Entry) (draft, published bool),
) (uses []library.Use) {
	requested := map[int64]bool{}
	for _, r := range st.requests.where(func(r review.Request) bool { return r.ProjectID == projectID && r.Status.Open() }) {
		for _, i := range r.Items {
			c, ok := st.definition(i.CollectionID)
			requested[i.EntryID] = ok && ofItem(c, &i)
		}
	}
	for _, e := range st.entries.of(projectID) {
		c, _ := st.definition(e.CollectionID)
		u := library.Use{EntryID: e.ID, CollectionID: e.CollectionID, Locale: e.Locale, Requested: requested[e.ID], Trashed: !e.TrashedAt.IsZero()}
		u.Draft, u.Published = ofEntry(c, &e)
		if u.Draft || u.Published || u.Requested {
			uses = append(uses, u)
		}
	}
	return uses
}

func (s media) Pictures(ctx context.Context, projectID, after int64, limit int, missing bool) ([]core.MediaItem, error) {
	rows, err := where(ctx, s.store, pictureFilter(projectID, after, missing))
	return first(rows, limit), err
}

func (s media) CountPictures(ctx context.Context, projectID, after int64, missing bool) (int64, error) {
	return count(ctx, s.store, pictureFilter(projectID, after, missing))
}

// pictureFilter returns a function that reports whether an item is a result of Pictures.
func pictureFilter(projectID, after int64, missing bool) func(core.MediaItem) bool {
	return func(m core.MediaItem) bool {
		return m.Kind == core.MediaImage && m.ID > after && (projectID == 0 || m.ProjectID == projectID) &&
			(!missing || m.Thumb == "" || m.ThumbWebP == "")
	}
}
