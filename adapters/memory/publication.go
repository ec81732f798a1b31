package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
)

type publications struct{ conn }

// publish sets the times of after, which replaces before, and adds and ends publications. before is
// nil for an insert.
func (s entries) publish(st *state, schema core.Schema, before, after *core.Entry) {
	key := entryKey{after.ProjectID, after.ID}
	kept, _ := st.publications.get(key)
	kept = slices.Clone(kept)
	at := core.NextMoment(s.now(), latestOf(kept))
	if !after.Move.At.IsZero() {
		at = after.Move.At
	}
	after.Date(before, at)
	change := schema.Collection.PublicationChange(before, after, at)
	if change.Ends && len(kept) > 0 {
		endLast(kept, change.At)
		kept[len(kept)-1].Ended = change.Ended
	}
	if p := change.Begins; p != nil {
		p.Number = 1
		if len(kept) > 0 {
			p.Number = kept[len(kept)-1].Number + 1
		}
		if p.RequestID != 0 {
			r, _ := st.requests.get(p.RequestID)
			p.ReleaseNumber = r.ReleaseNumber()
		}
		kept = append(kept, *p)
	}
	if len(kept) > 0 {
		st.publications.put(key, kept)
	}
	st.keepSlug(schema, before, after, change)
}

// latestOf returns the latest time of publications, zero for none.
func latestOf(kept []core.Publication) time.Time {
	if len(kept) == 0 {
		return time.Time{}
	}
	last := kept[len(kept)-1]
	if last.UnpublishedAt.IsZero() {
		return last.PublishedAt
	}
	return last.UnpublishedAt
}

// endLast ends the last of the publications kept, which is not empty, unless it has ended.
func endLast(kept []core.Publication, end time.Time) {
	if last := &kept[len(kept)-1]; last.UnpublishedAt.IsZero() {
		if last.UnpublishedAt = end; !end.After(last.PublishedAt) {
			last.UnpublishedAt = last.PublishedAt.Add(time.Millisecond)
		}
	}
}

// endPublications ends the current publications of a collection.
func (st *state) endPublications(collectionID int64, end time.Time) {
	for key, kept := range st.publications.rows {
		if kept[0].CollectionID == collectionID {
			kept = slices.Clone(kept)
			endLast(kept, end)
			st.publications.put(key, kept)
		}
	}
}

func (s publications) Publications(ctx context.Context, projectID, collectionID, entryID, offset, limit int64) ([]core.Publication, error) {
	kept, err := s.of(ctx, projectID, collectionID, entryID)
	slices.Reverse(kept)
	kept = window(kept, offset, limit)
	for i := range kept {
		kept[i].Content = nil
	}
	return kept, err
}

func (s publications) PublicationCount(ctx context.Context, projectID, collectionID, entryID int64) (int64, error) {
	kept, err := s.of(ctx, projectID, collectionID, entryID)
	return int64(len(kept)), err
}

func (s publications) Publication(ctx context.Context, projectID, collectionID, entryID, number int64) (core.Publication, error) {
	kept, err := s.of(ctx, projectID, collectionID, entryID)
	if err != nil {
		return core.Publication{}, err
	}
	i := slices.IndexFunc(kept, func(p core.Publication) bool { return p.Number == number })
	if i < 0 {
		return core.Publication{}, core.NotFound("publication")
	}
	return kept[i], nil
}

// of returns copies of the publications of an entry of the collection.
func (s publications) of(ctx context.Context, projectID, collectionID, entryID int64) ([]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Publication, error) {
		kept, _ := st.publications.get(entryKey{projectID, entryID})
		if len(kept) > 0 && kept[0].CollectionID != collectionID {
			return nil, nil
		}
		return slices.Clone(kept), nil
	})
}

func (s publications) Contents(ctx context.Context, projectID int64, keys []core.PublicationKey) ([]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (found []core.Publication, _ error) {
		for _, k := range keys {
			kept, _ := st.publications.get(entryKey{projectID, k.EntryID})
			if i := slices.IndexFunc(kept, func(p core.Publication) bool { return p.Number == k.Number }); i >= 0 {
				found = append(found, kept[i])
			}
		}
		return found, nil
	})
}

func (s publications) Current(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (map[int64]core.Publication, error) {
		current := map[int64]core.Publication{}
		for _, id := range entryIDs {
			if kept, _ := st.publications.get(entryKey{projectID, id}); len(kept) > 0 && kept[len(kept)-1].UnpublishedAt.IsZero() {
				last := kept[len(kept)-1]
				current[id] = core.Publication{ProjectID: projectID, EntryID: id, Number: last.Number, ContentHash: last.ContentHash}
			}
		}
		return current, nil
	})
}

func (s publications) Latest(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (map[int64]core.Publication, error) {
		latest := map[int64]core.Publication{}
		for _, id := range entryIDs {
			if kept, _ := st.publications.get(entryKey{projectID, id}); len(kept) > 0 {
				last := kept[len(kept)-1]
				latest[id] = core.Publication{
					ProjectID: projectID, EntryID: id, Number: last.Number, ContentHash: last.ContentHash, PublishedAt: last.PublishedAt, UnpublishedAt: last.UnpublishedAt,
				}
			}
		}
		return latest, nil
	})
}

func (s publications) Walk(ctx context.Context, projectID, entryID, number int64, limit int) ([]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (found []core.Publication, err error) {
		for key, kept := range st.publications.rows {
			for _, p := range kept {
				if key.projectID == projectID && (p.EntryID > entryID || p.EntryID == entryID && p.Number > number) {
					found = append(found, p)
				}
			}
		}
		slices.SortFunc(found, func(a, b core.Publication) int {
			return cmp.Or(cmp.Compare(a.EntryID, b.EntryID), cmp.Compare(a.Number, b.Number))
		})
		return found[:min(len(found), limit)], nil
	})
}

func (s publications) PublicAt(ctx context.Context, projectID, entryID int64, at time.Time) (core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (core.Publication, error) {
		kept, _ := st.publications.get(entryKey{projectID, entryID})
		for _, p := range kept {
			if p.PublicAt(at) {
				return p, nil
			}
		}
		return core.Publication{}, core.NotFound("publication")
	})
}

func (s publications) GroupsPublicAt(ctx context.Context, projectID int64, groups []int64, at time.Time) ([]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (public []core.Publication, err error) {
		for key, kept := range st.publications.rows {
			for _, p := range kept {
				if key.projectID == projectID && slices.Contains(groups, p.Group) && p.PublicAt(at) {
					public = append(public, p)
				}
			}
		}
		return public, nil
	})
}

func (s publications) NamesMedia(ctx context.Context, projectID, mediaID int64) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) { return st.namesMedia(projectID, mediaID), nil })
}

func (st *state) namesMedia(projectID, mediaID int64) bool {
	for key, kept := range st.publications.rows {
		if key.projectID == projectID && slices.ContainsFunc(kept, func(p core.Publication) bool { return slices.Contains(p.MediaIDs(), mediaID) }) {
			return true
		}
	}
	return false
}

// namesNow reports whether the current publication of e names a media item.
func (st *state) namesNow(e *core.Entry, mediaID int64) bool {
	kept, _ := st.publications.get(entryKey{e.ProjectID, e.ID})
	if len(kept) == 0 {
		return false
	}
	last := kept[len(kept)-1]
	return last.UnpublishedAt.IsZero() && slices.Contains(last.MediaIDs(), mediaID)
}

func (s publications) DeleteExpired(ctx context.Context, now, ended time.Time, limit int) (deleted int, err error) {
	err = s.apply(ctx, func(st *state) {
		deleted = 0
		for key, kept := range maps.Clone(st.publications.rows) {
			project, _ := st.projects.get(key.projectID)
			if project.PublicationDays == 0 {
				continue
			}
			before := now.AddDate(0, 0, -int(project.PublicationDays))
			_, exists := st.entries.get(key.entryID)
			var left []core.Publication
			for i, p := range kept {
				request, _ := st.requests.get(p.RequestID)
				newest := i == len(kept)-1
				if deleted == limit || p.UnpublishedAt.IsZero() || !p.UnpublishedAt.Before(before) || !p.UnpublishedAt.Before(ended) ||
					request.Status.Open() || newest && exists || st.named(p) {
					left = append(left, p)
					continue
				}
				deleted++
			}
			if len(left) == 0 {
				st.publications.remove(key)
			} else {
				st.publications.put(key, left)
			}
		}
	})
	return deleted, err
}
