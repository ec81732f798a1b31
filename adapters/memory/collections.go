package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

type collections struct{ conn }

func (s collections) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	return view(ctx, s.conn, func(st *state) ([]*core.Collection, error) {
		ofProject := func(c *core.Collection) bool { return c.ProjectID == projectID }
		return st.bound(projectID, st.collections.sorted(ofProject, bySlug, unshared)...), nil
	})
}

func (s collections) Related(ctx context.Context, projectID, id int64) ([]*core.Collection, error) {
	own, err := s.Collection(ctx, projectID, id)
	if err != nil {
		return nil, err
	}
	all, err := s.Collections(ctx, projectID)
	if err != nil {
		return nil, err
	}
	targets, related := own.Targets(), []*core.Collection{own}
	for _, c := range all {
		if c.ID != id && slices.Contains(targets, c.Slug) {
			related = append(related, c)
		}
	}
	return related, nil
}

func (s collections) Hold(ctx context.Context, projectID, id int64) (core.Schema, error) {
	project, err := projects(s).Hold(ctx, projectID)
	if err != nil {
		return core.Schema{}, err
	}
	return ports.SchemaOf(ctx, s, project, id)
}

func (s collections) Collection(ctx context.Context, projectID, id int64) (*core.Collection, error) {
	return view(ctx, s.conn, func(st *state) (*core.Collection, error) {
		c, err := st.collection(projectID, id)
		if err != nil {
			return nil, err
		}
		return st.bound(projectID, c)[0], nil
	})
}

func (s collections) Insert(ctx context.Context, c *core.Collection) error {
	return s.change(ctx, func(st *state) error {
		if st.collections.any(func(o *core.Collection) bool { return o.ProjectID == c.ProjectID && o.Slug == c.Slug }) {
			return core.Conflict("slug_taken", "the project has a collection of that slug")
		}
		c.ID = st.collections.next()
		st.collections.put(c.ID, copyCollection(c))
		st.record(event.Event{Type: event.CollectionCreated, ProjectID: c.ProjectID, Collection: c.Slug})
		return nil
	})
}

func (s collections) Update(ctx context.Context, c *core.Collection) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.collection(c.ProjectID, c.ID)
		if err != nil {
			return err
		}
		if old.Version != c.Version-1 {
			return core.Conflict("changed_meanwhile", "the collection was changed meanwhile")
		}
		next := copyCollection(c)
		next.Slug, next.OwnKey, next.CreatedAt = old.Slug, old.OwnKey, old.CreatedAt
		st.collections.put(next.ID, next)
		st.record(event.Event{Type: event.CollectionUpdated, ProjectID: c.ProjectID, Collection: next.Slug})
		return nil
	})
}

func (s collections) Rename(ctx context.Context, projectID int64, renamed []*core.Collection) error {
	return s.change(ctx, func(st *state) error {
		slugs := map[string]string{} // new ones by the former
		for _, c := range renamed {
			old, err := st.collection(projectID, c.ID)
			if err != nil {
				return err
			}
			next := copyCollection(old)
			next.Slug, next.OwnKey, slugs[old.Slug] = c.Slug, c.OwnKey, c.Slug
			st.collections.put(next.ID, next)
		}
		for at, slug := range maps.Clone(st.pastGroups.rows) {
			if next, found := slugs[slug]; found && at.projectID == projectID {
				st.pastGroups.put(at, next)
			}
		}
		for id, members := range maps.Clone(st.members.rows) {
			members = slices.Clone(members)
			for i, m := range members {
				if at := slices.IndexFunc(renamed, func(c *core.Collection) bool { return c.ID == m.CollectionID }); at >= 0 {
					members[i].Collection = renamed[at].Slug
				}
			}
			st.members.put(id, members)
		}
		return nil
	})
}

func (s collections) Delete(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		c, err := st.collection(projectID, id)
		if err != nil {
			return err
		}
		for _, e := range st.entries.rows {
			if e.CollectionID == id {
				st.pastGroups.put(pastGroup{projectID, e.Group}, c.Slug)
			}
		}
		st.entries.removeIf(func(_ int64, e core.Entry) bool { return e.CollectionID == id })
		st.schedules.removeIf(func(_ scheduleKey, p schedule.Schedule) bool { return p.CollectionID == id })
		st.revisions.removeIf(func(_ revisionKey, r core.Revision) bool { return r.CollectionID == id })
		st.endPublications(id, s.now())
		st.former.removeIf(func(_ entryKey, former []formerSlug) bool { return former[0].collectionID == id })
		st.origins.removeIf(func(_ originKey, o core.Origin) bool { return o.CollectionID == id })
		st.collections.remove(id)
		st.record(event.Event{Type: event.CollectionDeleted, ProjectID: projectID, Collection: c.Slug})
		return nil
	})
}

func (st *state) collection(projectID, id int64) (*core.Collection, error) {
	c, ok := st.collections.get(id)
	return found(c, ok && c.ProjectID == projectID, "collection")
}

func bySlug(a, b *core.Collection) int { return strings.Compare(a.Slug, b.Slug) }

func copyCollection(c *core.Collection) *core.Collection {
	next := *c
	next.Fields = copyFields(c.Fields)
	next.Removed = copyFields(c.Removed)
	next.Leaves = copyFields(c.Leaves)
	return &next
}

func copyFields(fields []*core.Field) []*core.Field {
	next := slices.Clone(fields)
	for i, f := range next {
		c := *f
		c.Min, c.Max, c.Indexed = copyOf(f.Min), copyOf(f.Max), copyOf(f.Indexed)
		c.Choices, c.Components, c.Collections, c.Default = slices.Clone(f.Choices), slices.Clone(f.Components), slices.Clone(f.Collections), bytes.Clone(f.Default)
		next[i] = &c
	}
	return next
}
