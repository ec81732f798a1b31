package memory

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/ports"
)

type collections struct{ scoped }

func (s collections) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	return view(ctx, s.conn, func(st *state) ([]*core.Collection, error) {
		return st.bound(projectID, st.collections.of(projectID)...), nil
	})
}

func (s collections) Related(ctx context.Context, projectID, id int64) ([]*core.Collection, error) {
	own, err := s.Collection(ctx, projectID, id)
	if err != nil {
		return nil, err
	}
	all, err := s.Collections(ctx, projectID)
	targets := own.Targets()
	all = slices.DeleteFunc(all, func(c *core.Collection) bool { return c.ID == id || !slices.Contains(targets, c.Slug) })
	return append([]*core.Collection{own}, all...), err
}

func (s collections) Hold(ctx context.Context, projectID, id int64) (core.Schema, error) {
	project, err := open[projects](s.conn, "project").Hold(ctx, projectID)
	if err != nil {
		return core.Schema{}, err
	}
	return ports.SchemaOf(ctx, s, project, id)
}

func (s collections) Collection(ctx context.Context, projectID, id int64) (*core.Collection, error) {
	return view(ctx, s.conn, func(st *state) (*core.Collection, error) {
		c, err := st.collections.in(projectID, id)
		if err != nil {
			return nil, err
		}
		return st.bound(projectID, c)[0], nil
	})
}

func (s collections) Insert(ctx context.Context, c *core.Collection) error { return s.insert(ctx, &c) }

func (s collections) Update(ctx context.Context, c *core.Collection) error {
	return edit(ctx, s.store, in{c.ProjectID, c.ID}, func(st *state, row **core.Collection) error {
		old, next := *row, *c
		if old.Version != c.Version-1 {
			return core.Conflict("changed_meanwhile", "the collection was changed meanwhile")
		}
		next.Slug, next.OwnKey, next.CreatedAt = old.Slug, old.OwnKey, old.CreatedAt
		*row = &next
		st.record(collectionEvent(event.CollectionUpdated, &next))
		st.needLock("project", c.ProjectID)
		return nil
	})
}

func (s collections) Rename(ctx context.Context, projectID int64, renamed []*core.Collection) error {
	return s.change(ctx, func(st *state) error {
		slugs, rows := map[string]string{}, []row{} // new slugs by the former
		for _, c := range renamed {
			old, err := st.collections.in(projectID, c.ID)
			if err != nil {
				return err
			}
			next := *old
			next.Slug, next.OwnKey, slugs[old.Slug] = c.Slug, c.OwnKey, c.Slug
			rows = append(rows, row{c.ID, &next})
		}
		st.collections.data.exchange(rows)
		for at, slug := range st.pastGroups.each {
			if next, found := slugs[slug]; found && at.projectID == projectID {
				st.pastGroups.put(at, next)
			}
		}
		for id, members := range st.members.each {
			members = slices.Clone(members)
			for i, m := range members {
				if at := slices.IndexFunc(renamed, func(c *core.Collection) bool { return c.ID == m.CollectionID }); at >= 0 {
					members[i].Collection = renamed[at].Slug
				}
			}
			st.members.put(id, members)
		}
		st.needLock("project", projectID)
		return nil
	})
}

func (s collections) Delete(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		c, err := st.collections.in(projectID, id)
		if err != nil {
			return err
		}
		st.needLock("project", projectID)
		for _, e := range st.entries.each {
			if e.CollectionID == id {
				st.pastGroups.put(pastGroup{projectID, e.Group}, c.Slug)
			}
		}
		st.endPublications(id, s.now())
		removeIf(&st.former, func(_ entryKey, former []formerSlug) bool { return former[0].collectionID == id })
		st.collections.remove(id)
		st.record(collectionEvent(event.CollectionDeleted, c))
		return nil
	})
}

func collectionEvent(kind event.Type, c *core.Collection) event.Event {
	return event.Event{Type: kind, ProjectID: c.ProjectID, Collection: c.Slug}
}

// bound returns copies of collections of a Project whose fields are bound to its components.
func (st *state) bound(projectID int64, collections ...*core.Collection) []*core.Collection {
	copies := clone(collections)
	core.ComponentsBySlug(clone(st.components.of(projectID))).Bind(copies...)
	return copies
}

// slugOf returns the slug of the collection of that id.
func (st *state) slugOf(id int64) string {
	if c, ok := st.collections.get(id); ok {
		return c.Slug
	}
	return ""
}

// definition returns the collection of that id, bound to the components of its Project.
func (st *state) definition(id int64) (*core.Collection, bool) {
	c, ok := st.collections.get(id)
	if ok && c.Structured() {
		c = st.bound(c.ProjectID, c)[0]
	}
	return c, ok
}

type components struct{ scoped }

func (s components) Components(ctx context.Context, projectID int64) ([]*core.Component, error) {
	list, err := rowsOf[*core.Component](ctx, s.store, projectID)
	core.ComponentsBySlug(list)
	return list, err
}

func (s components) Insert(ctx context.Context, c *core.Component) error { return s.insert(ctx, &c) }

func (s components) Update(ctx context.Context, c *core.Component) error {
	return edit(ctx, s.store, in{c.ProjectID, c.ID}, func(st *state, row **core.Component) error {
		old, next := *row, *c
		if old.Version != c.Version-1 {
			return core.Conflict("changed_meanwhile", "the component was changed meanwhile")
		}
		next.Slug, next.OwnKey, next.CreatedAt = old.Slug, old.OwnKey, old.CreatedAt
		*row = &next
		st.record(componentEvent(event.ComponentUpdated, &next))
		st.needLock("project", c.ProjectID)
		return nil
	})
}

func (s components) Rename(ctx context.Context, projectID int64, renamed []*core.Component) error {
	return s.change(ctx, func(st *state) error {
		var rows []row
		for _, c := range renamed {
			old, err := st.components.in(projectID, c.ID)
			if err != nil {
				return err
			}
			next := *old
			next.Slug, next.OwnKey = c.Slug, c.OwnKey
			rows = append(rows, row{c.ID, &next})
		}
		st.components.data.exchange(rows)
		st.needLock("project", projectID)
		return nil
	})
}

func componentEvent(kind event.Type, c *core.Component) event.Event {
	return event.Event{Type: kind, ProjectID: c.ProjectID, SubjectID: c.ID, Slug: c.Slug}
}
