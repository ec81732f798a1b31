package memory

import (
	"context"
	"math"
	"slices"
	"strings"

	"imprimatur/core"
)

type media struct{ conn }

func (s media) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	return s.list(ctx, func(m core.MediaItem) bool { return m.ProjectID == projectID && slices.Contains(ids, m.ID) })
}

func (s media) MediaByHash(ctx context.Context, projectID int64, hashes []string) ([]core.MediaItem, error) {
	return s.list(ctx, func(m core.MediaItem) bool { return m.ProjectID == projectID && slices.Contains(hashes, m.Hash) })
}

func (s media) Media(ctx context.Context, projectID, id int64) (core.MediaItem, error) {
	return view(ctx, s.conn, func(st *state) (core.MediaItem, error) {
		item, err := st.mediaItem(projectID, id)
		return copyMedia(item), err
	})
}

func (s media) List(ctx context.Context, q core.MediaQuery) ([]core.MediaItem, error) {
	rows, err := s.list(ctx, mediaFilter(q))
	slices.Reverse(rows)
	rows = rows[min(q.Offset, int64(len(rows))):]
	return rows[:min(q.Limit, int64(len(rows)))], err
}

func (s media) Count(ctx context.Context, q core.MediaQuery) (int64, error) {
	rows, err := s.list(ctx, mediaFilter(q))
	return int64(len(rows)), err
}

// mediaFilter returns a function that reports whether an item matches q.
func mediaFilter(q core.MediaQuery) func(core.MediaItem) bool {
	part := core.Fold(q.Search)
	return func(m core.MediaItem) bool {
		return m.ProjectID == q.ProjectID && (q.Kind == "" || m.Kind == q.Kind) &&
			slices.ContainsFunc(append([]string{m.Caption, m.FileName}, m.Tags...), func(text string) bool {
				return strings.Contains(core.Fold(text), part)
			})
	}
}

func (s media) Insert(ctx context.Context, item *core.MediaItem) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.project(item.ProjectID); err != nil {
			return err
		}
		item.ID = st.media.next()
		st.media.put(item.ID, copyMedia(*item))
		st.record(core.Event{Type: core.EventMediaCreated, ProjectID: item.ProjectID, SubjectID: item.ID})
		return nil
	})
}

func (s media) Update(ctx context.Context, item *core.MediaItem) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.mediaItem(item.ProjectID, item.ID); err != nil {
			return err
		}
		st.media.put(item.ID, copyMedia(*item))
		st.record(core.Event{Type: core.EventMediaUpdated, ProjectID: item.ProjectID, SubjectID: item.ID})
		return nil
	})
}

func (s media) Delete(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.mediaItem(projectID, id); err != nil {
			return err
		}
		st.media.remove(id)
		st.record(core.Event{Type: core.EventMediaDeleted, ProjectID: projectID, SubjectID: id})
		return nil
	})
}

func (s media) Keep(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		item, err := st.mediaItem(projectID, id)
		if err != nil {
			return err
		}
		st.media.remove(id)
		st.kept.put(id, item)
		st.record(core.Event{Type: core.EventMediaDeleted, ProjectID: projectID, SubjectID: id})
		return nil
	})
}

func (s media) PastMedia(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	match := func(m core.MediaItem) bool { return m.ProjectID == projectID && slices.Contains(ids, m.ID) }
	items, err := s.list(ctx, match)
	if err != nil {
		return nil, err
	}
	kept, err := s.listKept(ctx, func(_ *state, m core.MediaItem) bool { return match(m) })
	return append(items, kept...), err
}

func (s media) Unnamed(ctx context.Context, limit int) ([]core.MediaItem, error) {
	items, err := s.listKept(ctx, func(st *state, m core.MediaItem) bool { return !st.namesMedia(m.ProjectID, m.ID) })
	return items[:min(limit, len(items))], err
}

func (s media) DeleteKept(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		if item, ok := st.kept.get(id); !ok || item.ProjectID != projectID {
			return core.NotFound("media item")
		}
		st.kept.remove(id)
		return nil
	})
}

// listKept returns the kept items that match.
func (s media) listKept(ctx context.Context, match func(*state, core.MediaItem) bool) ([]core.MediaItem, error) {
	return view(ctx, s.conn, func(st *state) ([]core.MediaItem, error) {
		return byID(&st.kept, func(m core.MediaItem) bool { return match(st, m) }, copyMedia), nil
	})
}

func (s media) Uses(ctx context.Context, projectID, id int64, limit int) ([]core.MediaUse, error) {
	return s.uses(ctx, projectID, limit, func(r core.Request, c *core.Collection) bool { return r.ShowsMedia(c, id) },
		func(e core.Entry, c *core.Collection) core.MediaUse {
			return core.MediaUse{Draft: c.ShowsMedia(e.Draft, id), Published: c.ShowsMedia(e.Published, id), Trashed: !e.TrashedAt.IsZero()}
		})
}

func (s media) PublicUses(ctx context.Context, projectID, id int64, limit int) ([]core.MediaUse, error) {
	uses, err := s.uses(ctx, projectID, math.MaxInt, func(r core.Request, c *core.Collection) bool { return slices.Contains(c.MediaIDs(r.Fields()), id) },
		func(e core.Entry, c *core.Collection) core.MediaUse {
			return core.MediaUse{Published: slices.Contains(c.MediaIDs(e.Published), id), Trashed: !e.TrashedAt.IsZero()}
		})
	uses = slices.DeleteFunc(uses, func(use core.MediaUse) bool { return use.Trashed })
	return uses[:min(limit, len(uses))], err
}

// uses returns the entries of which a version or an open request shows a media item, by id.
// requests reports whether a request shows the item, versions which versions of an entry do.
func (s media) uses(
	ctx context.Context, projectID int64, limit int,
	requests func(core.Request, *core.Collection) bool, versions func(core.Entry, *core.Collection) core.MediaUse,
) ([]core.MediaUse, error) {
	return view(ctx, s.conn, func(st *state) ([]core.MediaUse, error) {
		requested := map[int64]bool{}
		for _, r := range st.requests.all(func(r core.Request) bool { return r.ProjectID == projectID && r.Status.Open() }) {
			c, ok := st.collections.get(r.CollectionID)
			requested[r.EntryID] = ok && requests(r, c)
		}
		var uses []core.MediaUse
		for _, e := range byID(&st.entries, func(e core.Entry) bool { return e.ProjectID == projectID }, unshared) {
			c, _ := st.collections.get(e.CollectionID)
			use := versions(e, c)
			use.EntryID, use.CollectionID, use.Locale, use.Requested = e.ID, e.CollectionID, e.Locale, requested[e.ID]
			if use.Draft || use.Published || use.Requested {
				uses = append(uses, use)
			}
		}
		return uses[:min(limit, len(uses))], nil
	})
}

func (s media) Pictures(ctx context.Context, projectID, after int64, limit int, missing bool) ([]core.MediaItem, error) {
	rows, err := s.list(ctx, pictureFilter(projectID, after, missing))
	return rows[:min(limit, len(rows))], err
}

func (s media) CountPictures(ctx context.Context, projectID, after int64, missing bool) (int64, error) {
	rows, err := s.list(ctx, pictureFilter(projectID, after, missing))
	return int64(len(rows)), err
}

// pictureFilter returns a function that reports whether an item is a result of Pictures.
func pictureFilter(projectID, after int64, missing bool) func(core.MediaItem) bool {
	return func(m core.MediaItem) bool {
		return m.Kind == core.MediaImage && m.ID > after && (projectID == 0 || m.ProjectID == projectID) &&
			(!missing || m.Thumb == "" || m.ThumbWebP == "" || m.FullWebP == "")
	}
}

// list returns the items that match, by id.
func (s media) list(ctx context.Context, match func(core.MediaItem) bool) ([]core.MediaItem, error) {
	return view(ctx, s.conn, func(st *state) ([]core.MediaItem, error) { return byID(&st.media, match, copyMedia), nil })
}

func (st *state) mediaItem(projectID, id int64) (core.MediaItem, error) {
	item, ok := st.media.get(id)
	return found(item, ok && item.ProjectID == projectID, "media item")
}

func copyMedia(m core.MediaItem) core.MediaItem {
	m.Tags = slices.Clone(m.Tags)
	return m
}
