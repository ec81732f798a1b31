package schema

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/publishing"
	"imprimatur/ports"
)

// Planner reads and changes the definitions of Projects as files. The caller has authorized the actor.
type Planner struct {
	definitions *definition.Collections
	components  ports.ComponentStore
	collections ports.CollectionStore
	entries     ports.EntryFinder
	tx          ports.Tx
}

// NewPlanner returns a Planner with these dependencies.
func NewPlanner(definitions *definition.Collections, stores ports.Stores, tx ports.Tx) *Planner {
	return &Planner{definitions: definitions, components: stores.Components, collections: stores.Collections, entries: stores.Entries, tx: tx}
}

// Schema has the definitions of a Project as a file.
type Schema struct {
	Text []byte
	Base string // identifies the state of the definitions
}

// Plan says what applying a file changes.
type Plan struct {
	Base    string // of the definitions that the file was compared with
	Changes []Change
	// Refused are the changes that are not possible: of the type, multiple or target of a field. Apply
	// refuses a file with one; the plan is about the others.
	Refused []core.FieldError
	// Acknowledge are the changes that readers of published entries see. It is empty unless a workflow
	// governs the Project.
	Acknowledge []core.FieldError
}

// Removes reports whether a change of p needs Options.AllowRemove.
func (p *Plan) Removes() bool {
	return slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Removes })
}

// Options of Apply.
type Options struct {
	Base        string // that of the plan
	Acknowledge bool   // confirms what readers of published entries see, as in publishing.Redefine
	AllowRemove bool   // allows changes with Change.Removes
}

// Pull returns the definitions of the Project.
func (p *Planner) Pull(ctx context.Context, project *core.Project) (Schema, error) {
	components, err := p.components.Components(ctx, project.ID)
	if err != nil {
		return Schema{}, err
	}
	collections, err := p.collections.Collections(ctx, project.ID)
	return Schema{Of(components, collections).Text(), fingerprint(components, collections)}, err
}

// errPlanned ends the transaction of a plan, which must not commit.
var errPlanned = errors.New("schema: planned")

// Plan returns what Apply would change, and counts the values that the changes concern. It makes the
// changes in a transaction that it rolls back, so it returns the faults that Apply would: with their lines
// in the file, as core.KindInvalid.
func (p *Planner) Plan(ctx context.Context, actor core.Actor, project *core.Project, text []byte) (Plan, error) {
	r, err := p.run(ctx, actor, project, text, func(*run) error { return errPlanned })
	if err != nil && !errors.Is(err, errPlanned) {
		return Plan{}, err
	}
	return r.plan, p.count(ctx, project, r)
}

// Apply makes the definitions of the Project those of the file, in one transaction, and returns what changed.
// Indexes are filled in the background. It returns core.KindConflict with the code
//   - schema_moved if the definitions are not those of opts.Base;
//   - cannot_change if the file changes the type, multiple or target of a field;
//   - removes if values would no longer be shown and opts.AllowRemove is false;
//   - governed if readers of published entries would see the changes and opts.Acknowledge is false.
//
// A token needs core.SchemaDestructive for the two options.
func (p *Planner) Apply(ctx context.Context, actor core.Actor, project *core.Project, text []byte, opts Options) (Plan, error) {
	if t := actor.Token; t != nil && t.AllowSchema != core.SchemaDestructive && (opts.Acknowledge || opts.AllowRemove) {
		return Plan{}, core.Forbidden("allowRemove and acknowledge need a token with allowSchema %s", core.SchemaDestructive)
	}
	r, err := p.run(ctx, actor, project, text, func(r *run) error { return r.plan.allowed(opts) })
	if err != nil {
		return Plan{}, err
	}
	p.definitions.Queue(r.after.collections)
	return r.plan, nil
}

// allowed returns an error unless opts allow everything in the plan.
func (p *Plan) allowed(opts Options) error {
	switch {
	case opts.Base != p.Base:
		return core.Conflict("schema_moved", "the definitions of the project are not those that the plan was made for: plan again")
	case len(p.Refused) > 0:
		err := core.Conflict("cannot_change", "the type, multiple and target of a field never change")
		err.Fields = p.Refused
		return err
	case p.Removes() && !opts.AllowRemove:
		err := core.Conflict("removes", "values would no longer be shown; allow removals to apply the file")
		for _, c := range p.Changes {
			if c.Removes && len(err.Fields) < core.MaxFaults {
				err.Fields = append(err.Fields, core.FieldError{Location: c.Path, Message: "is removed"})
			}
		}
		return err
	case len(p.Acknowledge) > 0 && !opts.Acknowledge:
		err := core.Conflict("governed", "a workflow governs the project, and this changes what readers see of published entries without a review; "+
			"acknowledge it to apply the file")
		err.Fields = p.Acknowledge
		return err
	default:
		return nil
	}
}

// state has the definitions of a Project.
type state struct {
	components  []*core.Component
	collections []*core.Collection
}

func load(ctx context.Context, stores ports.Stores, projectID int64) (s state, err error) {
	if s.components, err = stores.Components.Components(ctx, projectID); err != nil {
		return s, err
	}
	s.collections, err = stores.Collections.Collections(ctx, projectID)
	return s, err
}

// component returns the component of that key, or nil.
func (s state) component(key string) *core.Component {
	at := slices.IndexFunc(s.components, func(c *core.Component) bool { return c.Key() == key })
	if at < 0 {
		return nil
	}
	return s.components[at]
}

// collection returns the collection of that key, or nil.
func (s state) collection(key string) *core.Collection {
	return core.Schema{Collections: s.collections}.ByKey(key)
}

func (s state) file() File { return Of(s.components, s.collections) }

// run is one attempt to make the definitions of a Project those of a file.
type run struct {
	actor         core.Actor
	project       *core.Project
	stores        ports.Stores
	definitions   *definition.Collections
	file          File
	slugs         names // of the definitions, by their keys
	before, after state
	plan          Plan
}

// run makes the definitions those of the file in a transaction, which commits unless decide returns an error.
func (p *Planner) run(ctx context.Context, actor core.Actor, project *core.Project, text []byte, decide func(*run) error) (r *run, err error) {
	file, err := Parse(text)
	if err != nil {
		return nil, err
	}
	err = ports.Transact(ctx, p.tx.DoAlone, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		current, err := stores.Projects.Project(ctx, project.ID)
		if err != nil {
			return err
		}
		r = &run{actor: actor, project: current, stores: stores, definitions: p.definitions.Within(stores), file: file}
		if err := r.do(ctx); err != nil {
			return file.place(err)
		}
		return decide(r)
	})
	return r, err
}

func (r *run) do(ctx context.Context) (err error) {
	if r.before, err = load(ctx, r.stores, r.project.ID); err != nil {
		return err
	}
	r.plan.Base = fingerprint(r.before.components, r.before.collections)
	r.plan.Refused = r.keepShapes()
	readers, err := r.readers(ctx)
	if err != nil {
		return err
	}
	if err := r.rename(ctx); err != nil {
		return err
	}
	renamed, err := load(ctx, r.stores, r.project.ID)
	if err != nil {
		return err
	}
	if err := r.define(ctx); err != nil {
		return err
	}
	if r.after, err = load(ctx, r.stores, r.project.ID); err != nil {
		return err
	}
	r.plan.Changes = compare(r.before.file(), r.after.file())
	r.restored()
	for _, c := range r.before.collections {
		if readers[c.ID] {
			was := *byID(renamed.collections, c.ID)
			was.Slug = c.Slug
			next := core.Schema{Project: r.project, Collection: byID(r.after.collections, c.ID), Collections: r.after.collections}
			for _, change := range core.PublicChanges(core.Schema{Project: r.project, Collection: &was, Collections: renamed.collections}, next) {
				change.Location = collectionKind + "." + c.Key() + "." + change.Location
				r.plan.Acknowledge = append(r.plan.Acknowledge, change)
			}
			r.types(c)
		}
	}
	return nil
}

// types adds the components whose slugs readers of a collection see change.
func (r *run) types(of *core.Collection) {
	for _, c := range r.before.components {
		location := componentKind + "." + c.Key() + ".slug"
		now := r.after.component(c.Key())
		known := slices.ContainsFunc(r.plan.Acknowledge, func(change core.FieldError) bool { return change.Location == location })
		if now != nil && now.Slug != c.Slug && !known && of.ShowsType(c.Slug) {
			r.plan.Acknowledge = append(r.plan.Acknowledge, core.FieldError{Location: location, Value: now.Slug, Message: "readers see this _type in its items"})
		}
	}
}

func byID(collections []*core.Collection, id int64) *core.Collection {
	return core.Schema{Collections: collections}.ByID(id)
}

// readers returns the collections with readers of published entries that a workflow governs.
func (r *run) readers(ctx context.Context) (map[int64]bool, error) {
	readers := map[int64]bool{}
	workflow, err := publishing.Workflow(ctx, r.stores.Workflows, r.project.ID)
	if err != nil || workflow == nil {
		return nil, err
	}
	for _, c := range r.before.collections {
		if readers[c.ID], err = publishing.AnyPublished(ctx, r.stores, core.Schema{Project: r.project, Collection: c}, workflow); err != nil {
			return nil, err
		}
	}
	return readers, nil
}

// keepShapes gives the fields of the file whose type, multiple or target differs their stored definition, and
// returns these differences.
func (r *run) keepShapes() (refused []core.FieldError) {
	stored := r.before.file()
	keep := func(kind string, from, to []definition.CollectionInput) []definition.CollectionInput {
		to = slices.Clone(to)
		for i := range to {
			old := byKey(from, KeyOf(to[i]))
			if old == nil {
				continue
			}
			to[i].Fields = slices.Clone(to[i].Fields)
			for j, now := range to[i].Fields {
				before := field(old, now.Name)
				if before == nil || definition.Shaped(*before, now) {
					continue
				}
				to[i].Fields[j] = *before
				if len(refused) < core.MaxFaults {
					refused = append(refused, core.FieldError{Location: kind + "." + KeyOf(*old) + ".fields." + now.Name, Message: fmt.Sprintf(
						"line %d: cannot be changed from %s to %s: add a field with another name, fill it from this one, then remove this one",
						r.file.lines[fmt.Sprintf("%s[%d].fields[%d]", kind, i, j)], shape(*before), shape(now))})
				}
			}
		}
		return to
	}
	r.file.Components = keep(componentKind, stored.Components, r.file.Components)
	r.file.Collections = keep(collectionKind, stored.Collections, r.file.Collections)
	return refused
}

// shape describes what never changes of a field.
func shape(in definition.FieldInput) string {
	words := []string{core.Clip(string(in.Type))}
	if in.Multiple && in.Type != core.TypeBlocks {
		words = append(words, "multiple")
	}
	switch {
	case len(in.Collections) > 0:
		words = append(words, "to several collections")
	case in.Collection != "":
		words = append(words, "to "+core.Clip(in.Collection))
	case in.Component != "":
		words = append(words, "of "+core.Clip(in.Component))
	}
	return strings.Join(words, " ")
}

// restored marks the added fields that get back the values of removed ones.
func (r *run) restored() {
	for i := range r.plan.Changes {
		c := &r.plan.Changes[i]
		if c.Kind != core.ChangeAdded || c.field == "" {
			continue
		}
		var next int
		var f *core.Field
		if c.kind == componentKind {
			old, now := r.before.component(c.key), r.after.component(c.key)
			next, f = old.NextFieldID, now.Field(c.field)
		} else {
			old, now := r.before.collection(c.key), r.after.collection(c.key)
			next, f = old.NextFieldID, now.Field(c.field)
		}
		c.Restores = f.ID < next
	}
}
