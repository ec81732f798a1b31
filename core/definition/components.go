package definition

import (
	"context"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/ports"
)

// Components manages the definitions of components. The caller has authorized the actor. It reports
// faults as Collections does. A change of a component is a change of every collection whose entries can
// have its items: their versions count it, and where a workflow governs the Project, a change that
// readers of published entries see requires the acknowledgement.
type Components struct{ of *Collections }

// Components returns the Components that share the back-fills of c.
func (c *Collections) Components() *Components { return &Components{c} }

// ComponentChange says who changes the definition of which component. Acknowledged is for
// publishing.Redefine.
type ComponentChange struct {
	Actor        core.Actor
	Project      *core.Project
	ComponentID  int64
	Acknowledged bool
}

// List returns the Project's components, ordered by slug.
func (c *Components) List(ctx context.Context, project *core.Project) ([]*core.Component, error) {
	return c.of.components.Components(ctx, project.ID)
}

// Component returns the Project's component with that id, or core.ErrNotFound.
func (c *Components) Component(ctx context.Context, project *core.Project, id int64) (*core.Component, error) {
	list, err := c.List(ctx, project)
	if err != nil {
		return nil, err
	}
	return componentIn(list, id)
}

func componentIn(list []*core.Component, id int64) (*core.Component, error) {
	at := slices.IndexFunc(list, func(c *core.Component) bool { return c.ID == id })
	if at < 0 {
		return nil, core.NotFound("component")
	}
	return list[at], nil
}

// Create adds a component to the Project.
func (c *Components) Create(ctx context.Context, actor core.Actor, project *core.Project, in CollectionInput) (*core.Component, error) {
	var created *core.Component
	err := c.of.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		w, err := c.hold(ctx, stores, project.ID)
		if err != nil {
			return err
		}
		created = &core.Component{ProjectID: project.ID, Slug: in.Slug, NextFieldID: 1, Version: 1, CreatedAt: c.of.clock.Now()}
		created.UpdatedAt = created.CreatedAt
		created.OwnKey = newKey(in, func(key string) bool {
			return slices.ContainsFunc(w.components, func(o *core.Component) bool { return o.Key() == key })
		})
		d := w.definition(created)
		taken := w.bySlug()[in.Slug] != nil
		d.begin(in, taken, "is taken by another component")
		for _, name := range slices.Compact([]string{created.Slug, created.Key(), forgotten + created.Key()}) {
			if place := w.holding(name); place != "" && w.bySlug()[name] == nil {
				name = strings.TrimPrefix(name, forgotten)
				d.faults.Add("slug", name, "was that of a component whose items entries can still have in "+place+": choose another one")
			}
		}
		if err := d.faults.Err(); err != nil {
			return err
		}
		d.applyTo(created)
		return stores.Components.Insert(ctx, created)
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// Update calls change with the present name and description, and stores what differs. order is as in Collections.Update.
func (c *Components) Update(ctx context.Context, by ComponentChange, change func(*CollectionInput), order []string) (*core.Component, error) {
	return c.change(ctx, by, func(_ context.Context, _ ports.Stores, d *definition) error {
		in := d.input()
		change(&in)
		d.describe(in.Name, in.Description)
		if order != nil {
			d.order(order)
		}
		return nil
	})
}

// AddField is Collections.AddField for a component.
func (c *Components) AddField(ctx context.Context, by ComponentChange, in FieldInput) (*core.Component, error) {
	return c.change(ctx, by, func(ctx context.Context, stores ports.Stores, d *definition) error {
		if err := d.freeName(ctx, stores, in); err != nil {
			return err
		}
		d.add(in)
		d.check(len(d.Fields) - 1)
		return nil
	})
}

// ReviseField is Collections.ReviseField for a component.
func (c *Components) ReviseField(ctx context.Context, by ComponentChange, name string, revise func(FieldInput) FieldInput) (*core.Component, error) {
	return c.change(ctx, by, func(_ context.Context, _ ports.Stores, d *definition) error {
		at := slices.IndexFunc(d.Fields, func(f *core.Field) bool { return f.Name == name })
		if at < 0 {
			return core.NotFound("field")
		}
		d.Fields[at] = d.revised(d.Fields[at], revise(optionsOf(d.Fields[at])))
		d.check(at)
		return nil
	})
}

// RemoveField is Collections.RemoveField for a component.
func (c *Components) RemoveField(ctx context.Context, by ComponentChange, name string) (*core.Component, error) {
	return c.change(ctx, by, func(_ context.Context, _ ports.Stores, d *definition) error { return d.remove(name) })
}

// maxPlaces is the maximum number of places in an error with the code in_use.
const maxPlaces = 20

// Delete removes a component. It returns core.ErrConflict of code in_use, with the places in Fields,
// while a field names it.
func (c *Components) Delete(ctx context.Context, by ComponentChange) error {
	return ports.Transact(ctx, c.of.tx.DoAlone, by.Actor, func(ctx context.Context, stores ports.Stores) error {
		w, err := c.hold(ctx, stores, by.Project.ID)
		if err != nil {
			return err
		}
		component, err := componentIn(w.components, by.ComponentID)
		if err != nil {
			return err
		}
		if err := w.unused(component.Slug); err != nil {
			return err
		}
		if err := c.forget(ctx, stores, &w, component, by.Actor); err != nil {
			return err
		}
		return stores.Components.Delete(ctx, by.Project.ID, component.ID)
	})
}

// workspace has the definitions of a Project, in a transaction that has locked it.
type workspace struct {
	project     *core.Project
	collections []*core.Collection
	components  []*core.Component
}

func (c *Components) hold(ctx context.Context, stores ports.Stores, projectID int64) (w workspace, err error) {
	if err = stores.Projects.Lock(ctx, projectID); err != nil {
		return w, err
	}
	if w.project, err = stores.Projects.Project(ctx, projectID); err != nil {
		return w, err
	}
	if w.collections, err = stores.Collections.Collections(ctx, projectID); err != nil {
		return w, err
	}
	w.components, err = stores.Components.Components(ctx, projectID)
	return w, err
}

func (w *workspace) bySlug() core.Components { return core.ComponentsBySlug(w.components) }

// definition returns the definition of a component of w, or of a new one.
func (w *workspace) definition(c *core.Component) *definition {
	return &definition{
		Collection: &core.Collection{
			ProjectID: c.ProjectID, Slug: c.Slug, OwnKey: c.OwnKey, Name: c.Name, Description: c.Description,
			Fields: slices.Clone(c.Fields), Removed: slices.Clone(c.Removed), NextFieldID: c.NextFieldID,
		},
		component: true, project: w.project, others: w.collections, components: w.bySlug(), only: -1,
	}
}

// applyTo makes d the definition of c.
func (d *definition) applyTo(c *core.Component) {
	c.Name, c.Description, c.Fields, c.Removed, c.NextFieldID = d.Name, d.Description, d.Fields, d.Removed, d.NextFieldID
}

// holding returns the place of a field whose values can have items of a deleted component with this slug:
// a removed field, or one that admitted the component. Another component of this slug would show them as
// its own, whatever its fields are. It returns "" if there is none.
func (w *workspace) holding(slug string) string {
	in := func(kind, of string, fields, removed []*core.Field) string {
		for _, f := range slices.Concat(fields, removed) {
			if f.Structured() && (slices.Contains(f.ComponentSlugs(), slug) || slices.Contains(f.Former, slug)) {
				return kind + "." + of + ".fields." + f.Name
			}
		}
		return ""
	}
	for _, c := range w.collections {
		if place := in("collections", c.Slug, c.Fields, c.Removed); place != "" {
			return place
		}
	}
	for _, c := range w.components {
		if place := in("components", c.Slug, c.Fields, c.Removed); place != "" && c.Slug != slug {
			return place
		}
	}
	return ""
}

// unused returns a conflict with the places of the fields that name a component.
func (w *workspace) unused(slug string) error {
	err := core.Conflict("in_use", "fields name the component")
	add := func(kind, of string, fields []*core.Field) {
		for _, f := range fields {
			if f.Structured() && slices.Contains(f.ComponentSlugs(), slug) && len(err.Fields) < maxPlaces {
				err.Fields = append(err.Fields, core.FieldError{Location: kind + "." + of + ".fields." + f.Name, Message: "names the component"})
			}
		}
	}
	for _, c := range w.collections {
		add("collections", c.Slug, c.Fields)
	}
	for _, c := range w.components {
		if c.Slug != slug {
			add("components", c.Slug, c.Fields)
		}
	}
	if len(err.Fields) == 0 {
		return nil
	}
	return err
}

// change runs do on the definition of one component in a transaction, and stores the result if
// publishing.Redefine allows it.
func (c *Components) change(
	ctx context.Context, by ComponentChange, do func(ctx context.Context, stores ports.Stores, d *definition) error,
) (*core.Component, error) {
	var changed *core.Component
	var using []*core.Collection
	err := ports.Transact(ctx, c.of.tx.DoAlone, by.Actor, func(ctx context.Context, stores ports.Stores) error {
		w, err := c.hold(ctx, stores, by.Project.ID)
		if err != nil {
			return err
		}
		component, err := componentIn(w.components, by.ComponentID)
		if err != nil {
			return err
		}
		d := w.definition(component)
		if err := do(ctx, stores, d); err != nil {
			return err
		}
		if err := d.faults.Err(); err != nil {
			return err
		}
		next := *component
		d.applyTo(&next)
		changed, using = &next, nil
		if same, err := sameDefinition(component, changed); err != nil || same {
			return err
		}
		changed.Version++
		changed.UpdatedAt = c.of.clock.Now()
		using, err = c.redefine(ctx, stores, &w, component, changed, by)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, collection := range using {
		c.of.fills.add(collection)
	}
	return changed, nil
}

// redefine stores the next state of a component, and counts the change in the collections whose entries
// can have its items, which it returns.
func (c *Components) redefine(
	ctx context.Context, stores ports.Stores, w *workspace, component, next *core.Component, by ComponentChange,
) (using []*core.Collection, err error) {
	after := slices.Clone(w.components)
	after[slices.Index(after, component)] = next
	rebound := core.ComponentsBySlug(copies(after))
	hides, restores := hidesValues(component, next), restoresValues(component, next)
	for _, before := range w.collections {
		if !before.Holds(component.Slug) {
			continue
		}
		changed := *before
		changed.Fields, changed.Removed, changed.Leaves = copiesOf(before.Fields), copiesOf(before.Removed), copiesOf(before.Leaves)
		rebound.Bind(&changed)
		schema := core.Schema{Project: w.project, Collection: &changed, Collections: w.collections}
		if err := publishing.Rename(ctx, stores, by.Actor, w.project, before, &changed); err != nil {
			return nil, err
		}
		if err := publishing.Redefine(ctx, stores, core.Schema{Project: w.project, Collection: before}, schema, by.Acknowledged); err != nil {
			return nil, err
		}
		changed.FormsReady = changed.FormsReady && !hides
		d := &definition{Collection: &changed, project: w.project, others: w.collections, components: rebound}
		d.searches(searchedTexts(before))
		if err := settleLeaves(ctx, stores, d); err != nil {
			return nil, err
		}
		changed.Version++
		changed.UpdatedAt = next.UpdatedAt
		if err := stores.Collections.Update(ctx, &changed); err != nil {
			return nil, core.ChangedMeanwhile(err)
		}
		if restores {
			if err := reindex(ctx, stores.Entries, schema); err != nil {
				return nil, err
			}
		}
		using = append(using, &changed)
	}
	if err := stores.Components.Update(ctx, next); err != nil {
		return nil, core.ChangedMeanwhile(err)
	}
	if !restores {
		return using, nil
	}
	return using, publishing.Seal(ctx, stores, w.project.ID)
}

// hidesValues reports whether items have values that the next state of their component does not show: a
// field was removed, or does not admit items any more.
func hidesValues(component, next *core.Component) bool {
	return hidesItems(next.Fields, component.Fields) || slices.ContainsFunc(component.Fields, func(f *core.Field) bool {
		return next.Field(f.Name) == nil
	})
}

// restoresValues reports whether the next state of a component shows values again that items still have.
func restoresValues(component, next *core.Component) bool {
	return slices.ContainsFunc(next.Fields, func(f *core.Field) bool {
		old := component.Field(f.Name)
		return old == nil && f.ID < component.NextFieldID || old != nil && f.Structured() && !subset(old.Former, f.Former)
	})
}

// copies returns copies of components that can be bound to each other.
func copies(components []*core.Component) []*core.Component {
	next := make([]*core.Component, len(components))
	for i, c := range components {
		copied := *c
		copied.Fields, copied.Removed = copiesOf(c.Fields), copiesOf(c.Removed)
		next[i] = &copied
	}
	return next
}

func copiesOf(fields []*core.Field) []*core.Field {
	next := make([]*core.Field, len(fields))
	for i, f := range fields {
		copied := *f
		next[i] = &copied
	}
	return next
}

// notInComponents returns a conflict if a relation of a component points to the collection of that
// slug.
func notInComponents(ctx context.Context, stores ports.Stores, projectID int64, slug string) error {
	components, err := stores.Components.Components(ctx, projectID)
	if err != nil {
		return err
	}
	for _, c := range components {
		for _, f := range c.Fields {
			if f.Type == core.TypeRelation && slices.Contains(f.TargetSlugs(), slug) {
				return core.Conflict("collection_in_use", "%s.%s points to the collection", c.Slug, f.Name)
			}
		}
	}
	return nil
}

// relationTo returns the name of a field of c through which its entries point to the collection of that
// slug.
func relationTo(c *core.Collection, slug string) string {
	for _, f := range c.Fields {
		one := core.Collection{Fields: []*core.Field{f}}
		if slices.Contains(one.Targets(), slug) {
			return c.Slug + "." + f.Name
		}
	}
	return c.Slug
}
