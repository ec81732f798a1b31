package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
)

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
		for key, kept := range st.former.rows {
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
		slices.SortFunc(found, func(a, b query.FormerSlug) int { return following(a.SlugIn, b.SlugIn) })
		return found[:min(len(found), q.Limit)], nil
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
