package schema

import (
	"context"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/validation"
)

// walked is the number of entries that count reads at once.
const walked = 200

// count sets the counts of the changes of a plan.
func (p *Planner) count(ctx context.Context, project *core.Project, r *run) error {
	for _, c := range r.before.collections {
		var counted []*Change
		for i := range r.plan.Changes {
			change := &r.plan.Changes[i]
			if change.counts = r.concerns(change, c); change.counts == nil {
				continue
			}
			if change.Stored == nil {
				change.Stored, change.Public = new(int64), new(int64)
			}
			counted = append(counted, change)
		}
		if len(counted) == 0 {
			continue
		}
		for after := int64(0); ; {
			entries, err := p.entries.Walk(ctx, project.ID, c.ID, after, walked)
			if err != nil {
				return err
			}
			for _, e := range entries {
				after = e.ID
				for _, change := range counted {
					change.see(e)
				}
			}
			if len(entries) < walked {
				break
			}
		}
	}
	return nil
}

// see counts an entry.
func (c *Change) see(e core.Entry) {
	published := e.Published != nil && !e.Trashed() && c.counts(e.Published)
	if published {
		*c.Public++
	}
	if published || c.counts(e.Draft) {
		*c.Stored++
	}
}

// holds reports whether entries of c can have items of the component of that key.
func (r *run) holds(c *core.Collection, key string) bool {
	component := r.before.component(key)
	return component != nil && c.Holds(component.Slug)
}

// concerns returns a function that reports whether a change concerns a value of a version of an entry of the
// collection; nil if it concerns none.
func (r *run) concerns(change *Change, c *core.Collection) func(core.Document) bool {
	name := change.field
	switch {
	case change.kind == collectionKind && change.key != c.Key(), change.kind == componentKind && !r.holds(c, change.key):
		return nil
	case change.kind == collectionKind && name == "" && change.hides:
		return func(core.Document) bool { return true }
	case name == "" || change.Kind == core.ChangeAdded:
		return nil
	case change.hides && change.kind == componentKind:
		return func(doc core.Document) bool { return definition.HasInItems(doc, change.key, name) }
	case change.hides:
		return func(doc core.Document) bool { return definition.HasMember(doc, name) }
	case !change.ruled():
		return nil
	}
	after := byID(r.after.collections, c.ID)
	if after == nil {
		return nil
	}
	return func(doc core.Document) bool {
		if change.kind == collectionKind {
			before, now := faults(c, doc, name), faults(after, doc, name)
			return len(now) > len(before)
		}
		before, now := faultsInside(c, doc, name), faultsInside(after, doc, name)
		return len(now) > len(before)
	}
}

// faults returns the faults of the value of a field.
func faults(c *core.Collection, doc core.Document, name string) []core.FieldError {
	var found core.Faults
	if f := c.Field(name); f != nil {
		validation.Field(f, doc.Value(name), &found)
	}
	return found.List
}

// faultsInside returns the faults of fields of that name in items.
func faultsInside(c *core.Collection, doc core.Document, name string) []core.FieldError {
	var found core.Faults
	for _, f := range c.Fields {
		if f.Structured() {
			validation.Field(f, doc.Value(f.Name), &found)
		}
	}
	return slices.DeleteFunc(found.List, func(fault core.FieldError) bool {
		return !strings.Contains(fault.Location+".", "."+name+".") && !strings.Contains(fault.Location, "."+name+"[")
	})
}
