package memory

import (
	"context"
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
)

type components struct{ conn }

func (s components) Components(ctx context.Context, projectID int64) ([]*core.Component, error) {
	return view(ctx, s.conn, func(st *state) ([]*core.Component, error) {
		list := st.componentsOf(projectID)
		core.ComponentsBySlug(list)
		return list, nil
	})
}

// componentsOf returns copies of the components of a Project, ordered by slug.
func (st *state) componentsOf(projectID int64) []*core.Component {
	ofProject := func(c *core.Component) bool { return c.ProjectID == projectID }
	bySlug := func(a, b *core.Component) int { return strings.Compare(a.Slug, b.Slug) }
	return st.components.sorted(ofProject, bySlug, copyComponent)
}

// bound returns copies of collections of a Project whose fields are bound to its components.
func (st *state) bound(projectID int64, collections ...*core.Collection) []*core.Collection {
	copies := make([]*core.Collection, len(collections))
	for i, c := range collections {
		copies[i] = copyCollection(c)
	}
	core.ComponentsBySlug(st.componentsOf(projectID)).Bind(copies...)
	return copies
}

// definition returns the collection of that id, bound to the components of its Project.
func (st *state) definition(id int64) (*core.Collection, bool) {
	c, ok := st.collections.get(id)
	if ok && c.Structured() {
		c = st.bound(c.ProjectID, c)[0]
	}
	return c, ok
}

func (s components) Insert(ctx context.Context, c *core.Component) error {
	return s.change(ctx, func(st *state) error {
		if st.components.any(func(o *core.Component) bool { return o.ProjectID == c.ProjectID && o.Slug == c.Slug }) {
			return core.Conflict("slug_taken", "the project has a component of that slug")
		}
		c.ID = st.components.next()
		st.components.put(c.ID, copyComponent(c))
		st.record(componentEvent(event.ComponentCreated, c))
		return nil
	})
}

func (s components) Update(ctx context.Context, c *core.Component) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.component(c.ProjectID, c.ID)
		if err != nil {
			return err
		}
		if old.Version != c.Version-1 {
			return core.Conflict("changed_meanwhile", "the component was changed meanwhile")
		}
		next := copyComponent(c)
		next.Slug, next.OwnKey, next.CreatedAt = old.Slug, old.OwnKey, old.CreatedAt
		st.components.put(next.ID, next)
		st.record(componentEvent(event.ComponentUpdated, next))
		return nil
	})
}

func (s components) Rename(ctx context.Context, projectID int64, renamed []*core.Component) error {
	return s.change(ctx, func(st *state) error {
		for _, c := range renamed {
			old, err := st.component(projectID, c.ID)
			if err != nil {
				return err
			}
			next := copyComponent(old)
			next.Slug, next.OwnKey = c.Slug, c.OwnKey
			st.components.put(next.ID, next)
		}
		return nil
	})
}

func (s components) Delete(ctx context.Context, projectID, id int64) error {
	return s.change(ctx, func(st *state) error {
		c, err := st.component(projectID, id)
		if err != nil {
			return err
		}
		st.components.remove(id)
		st.record(componentEvent(event.ComponentDeleted, c))
		return nil
	})
}

func (st *state) component(projectID, id int64) (*core.Component, error) {
	c, ok := st.components.get(id)
	return found(c, ok && c.ProjectID == projectID, "component")
}

func componentEvent(kind event.Type, c *core.Component) event.Event {
	return event.Event{Type: kind, ProjectID: c.ProjectID, SubjectID: c.ID, Slug: c.Slug}
}

func copyComponent(c *core.Component) *core.Component {
	next := *c
	next.Fields = copyFields(c.Fields)
	next.Removed = copyFields(c.Removed)
	return &next
}
