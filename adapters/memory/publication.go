package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
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
	for key, kept := range st.publications.each {
		if kept[0].CollectionID == collectionID {
			kept = slices.Clone(kept)
			endLast(kept, end)
			st.publications.put(key, kept)
		}
	}
}

func (s publications) Publications(ctx context.Context, projectID, collectionID, entryID, offset, limit int64) ([]core.Publication, error) {
	kept, err := s.of(ctx, projectID, collectionID, entryID)
	kept = window(latest(kept), offset, limit)
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
	i := slices.IndexFunc(kept, func(p core.Publication) bool { return p.Number == number })
	if err != nil || i < 0 {
		return core.Publication{}, cmp.Or[error](err, core.NotFound("publication"))
	}
	return kept[i], nil
}

// of returns the publications of an entry of the collection.
func (s publications) of(ctx context.Context, projectID, collectionID, entryID int64) ([]core.Publication, error) {
	return s.where(ctx, func(p core.Publication) bool {
		return p.ProjectID == projectID && p.EntryID == entryID && p.CollectionID == collectionID
	})
}

// where returns the publications that match, by entry and number.
func (s publications) where(ctx context.Context, match func(core.Publication) bool) ([]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (found []core.Publication, _ error) {
		for _, kept := range st.publications.each {
			for _, p := range kept {
				if match(p) {
					found = append(found, p)
				}
			}
		}
		sort(found, func(a, b core.Publication) int {
			return cmp.Or(cmp.Compare(a.EntryID, b.EntryID), cmp.Compare(a.Number, b.Number))
		})
		return found, nil
	})
}

// current returns the publication of an entry that readers see.
func (st *state) current(projectID, entryID int64) (p core.Publication, public bool) {
	kept, _ := st.publications.get(entryKey{projectID, entryID})
	if len(kept) == 0 {
		return p, false
	}
	p = kept[len(kept)-1]
	return p, p.UnpublishedAt.IsZero()
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
			if p, public := st.current(projectID, id); public {
				current[id] = core.Publication{ProjectID: projectID, EntryID: id, Number: p.Number, ContentHash: p.ContentHash}
			}
		}
		return current, nil
	})
}

func (s publications) Latest(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.Publication, error) {
	return view(ctx, s.conn, func(st *state) (map[int64]core.Publication, error) {
		latest := map[int64]core.Publication{}
		for _, id := range entryIDs {
			if p, _ := st.current(projectID, id); p.Number > 0 {
				latest[id] = core.Publication{
					ProjectID: projectID, EntryID: id, Number: p.Number, ContentHash: p.ContentHash, PublishedAt: p.PublishedAt, UnpublishedAt: p.UnpublishedAt,
				}
			}
		}
		return latest, nil
	})
}

func (s publications) Walk(ctx context.Context, projectID, entryID, number int64, limit int) ([]core.Publication, error) {
	found, err := s.where(ctx, func(p core.Publication) bool {
		return p.ProjectID == projectID && (p.EntryID > entryID || p.EntryID == entryID && p.Number > number)
	})
	return first(found, limit), err
}

func (s publications) PublicAt(ctx context.Context, projectID, entryID int64, at time.Time) (core.Publication, error) {
	found, err := s.where(ctx, func(p core.Publication) bool {
		return p.ProjectID == projectID && p.EntryID == entryID && p.PublicAt(at)
	})
	if err != nil || len(found) == 0 {
		return core.Publication{}, cmp.Or[error](err, core.NotFound("publication"))
	}
	return found[0], nil
}

func (s publications) GroupsPublicAt(ctx context.Context, projectID int64, groups []int64, at time.Time) ([]core.Publication, error) {
	return s.where(ctx, func(p core.Publication) bool {
		return p.ProjectID == projectID && slices.Contains(groups, p.Group) && p.PublicAt(at)
	})
}

func (s publications) NamesMedia(ctx context.Context, projectID, mediaID int64) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) { return st.namesMedia(projectID, mediaID), nil })
}

func (st *state) namesMedia(projectID, mediaID int64) bool {
	for key, kept := range st.publications.each {
		if key.projectID == projectID && slices.ContainsFunc(kept, func(p core.Publication) bool { return slices.Contains(p.MediaIDs(), mediaID) }) {
			return true
		}
	}
	return false
}

// namesNow reports whether the current publication of e names a media item.
func (st *state) namesNow(e *core.Entry, mediaID int64) bool {
	p, public := st.current(e.ProjectID, e.ID)
	return public && slices.Contains(p.MediaIDs(), mediaID)
}

func (s publications) DeleteExpired(ctx context.Context, now, ended time.Time, limit int) (deleted int, err error) {
	err = s.apply(ctx, func(st *state) {
		deleted = 0
		for key, kept := range st.publications.each {
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
					request.Status.Open() || newest && exists || st.inRelease(p) {
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

// formerSlug is a slug that an entry had.
type formerSlug struct {
	query.SlugIn

	collectionID int64
	fieldID      int
	endedAt      time.Time
}

// keepSlug keeps the slug of before, which after replaces in a change of publications.
func (st *state) keepSlug(schema core.Schema, before, after *core.Entry, change core.PublicationChange) {
	f := schema.Collection.SlugField()
	if f == nil || !change.Ends {
		return
	}
	old := before.PublicSlug(f)
	if old == "" || old == after.PublicSlug(f) {
		return
	}
	key := entryKey{before.ProjectID, before.ID}
	kept, _ := st.former.get(key)
	kept = slices.DeleteFunc(slices.Clone(kept), func(o formerSlug) bool { return o.Slug == old })
	kept = append(kept, formerSlug{query.SlugIn{Locale: before.Locale, Slug: old}, before.CollectionID, f.ID, change.At})
	st.former.put(key, kept[max(0, len(kept)-query.MaxFormerSlugs):])
}

func (s publications) AddFormerSlugs(ctx context.Context, projectID int64, field *core.Field, slugs []query.EntrySlug) (added int, err error) {
	err = s.apply(ctx, func(st *state) {
		added = 0
		for _, old := range slugs {
			e, exists := st.entries.get(old.EntryID)
			if !exists || e.ProjectID != projectID {
				continue
			}
			key := entryKey{projectID, e.ID}
			kept, _ := st.former.get(key)
			if len(kept) >= query.MaxFormerSlugs || slices.ContainsFunc(kept, func(o formerSlug) bool { return o.Slug == old.Slug }) {
				continue
			}
			first := formerSlug{query.SlugIn{Locale: e.Locale, Slug: old.Slug}, e.CollectionID, field.ID, time.Time{}}
			st.former.put(key, append([]formerSlug{first}, kept...))
			added++
		}
	})
	return added, err
}

func (s publications) FormerSlugs(ctx context.Context, q query.FormerQuery) ([]query.FormerSlug, error) {
	return view(ctx, s.conn, func(st *state) ([]query.FormerSlug, error) {
		type holder struct {
			query.FormerSlug

			endedAt time.Time
		}
		latest := map[query.SlugIn]holder{}
		for key, kept := range st.former.each {
			e, exists := st.entries.get(key.entryID)
			if !exists || key.projectID != q.ProjectID || e.PublicSlug(q.Field) == "" {
				continue
			}
			for _, f := range kept {
				h := holder{query.FormerSlug{SlugIn: f.SlugIn, EntryID: e.ID, Present: e.PublicSlug(q.Field)}, f.endedAt}
				other, known := latest[f.SlugIn]
				later := !known || cmp.Or(h.endedAt.Compare(other.endedAt), cmp.Compare(h.EntryID, other.EntryID)) > 0
				if selects(q, f) && f.Slug != h.Present && later {
					latest[f.SlugIn] = h
				}
			}
		}
		var found []query.FormerSlug
		for _, h := range latest {
			found = append(found, h.FormerSlug)
		}
		sort(found, func(a, b query.FormerSlug) int { return following(a.SlugIn, b.SlugIn) })
		return first(found, q.Limit), nil
	})
}

// following compares slugs in the order of a list.
func following(a, b query.SlugIn) int {
	return cmp.Or(cmp.Compare(a.Locale, b.Locale), cmp.Compare(a.Slug, b.Slug))
}

// selects reports whether q selects a former slug.
func selects(q query.FormerQuery, f formerSlug) bool {
	return f.collectionID == q.CollectionID && f.fieldID == q.Field.ID && (q.Locale == "" || f.Locale == q.Locale) && (q.Slug == "" || f.Slug == q.Slug) &&
		following(f.SlugIn, q.After) > 0
}
