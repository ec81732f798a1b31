package transfer

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/validation"
)

// going has the translation groups that lines publish, and when; the zero time: at once.
type going map[int64]time.Time

// add adds the groups of the lines of b that have one. A line that names its published version publishes it at
// once.
func (g going) add(ring *keyring, b bundle) {
	for _, q := range b {
		w := &q.line.write
		group, err := ring.own(q.line, localeOf(ring.schema.Project, w.Locale))
		if err != nil || group == 0 || w.Published == nil || !*w.Published { // writeLine refuses the line of an error
			continue
		}
		g[group] = time.Time{}
		if w.PublishAt != nil && q.line.public == nil {
			g[group] = *w.PublishAt
		}
	}
}

// with selects the groups that are public at the latest when l publishes its entries.
func (g going) with(l *line) func(group int64) bool {
	var at time.Time
	if l.write.PublishAt != nil && l.public == nil {
		at = *l.write.PublishAt
	}
	return func(group int64) bool {
		goes, ok := g[group]
		return ok && !goes.After(at)
	}
}

// awaitPublic has q, whose targets are not public, come after the lines of these targets, and in one bundle with
// them if they need it too.
func (r *importRun) awaitPublic(ctx context.Context, q *queued, fault *core.Error) (err error) {
	var groups []int64
	for _, f := range fault.Fields {
		groups = append(groups, f.Unpublished)
	}
	groups = sorted(groups)
	members, err := r.stores.Entries.Translations(ctx, r.project.ID, groups...)
	if err != nil {
		return err
	}
	origins, err := r.stores.Origins.OriginsOf(ctx, r.project.ID, groups)
	if err != nil {
		return err
	}
	q.needs = slices.Clone(q.needs)
	for _, o := range origins {
		q.needs = append(q.needs, need{group: groupIdentity(o.Reference)})
	}
	for i := range members {
		e := &members[i]
		if e.CollectionID != r.collectionID {
			continue
		}
		names := need{group: groupIdentity(groupReference(r.project, e.Group))}
		if r.key != nil {
			names.key = keyIdentity(e.Draft.Value(r.key.Name))
		}
		q.needs = append(q.needs, need{group: names.group}, need{key: names.key})
	}
	q.awaited = true
	if q.ids == nil { // a bundle of several lines needs them
		q.ids, err = r.stores.Entries.NewIDs(ctx, q.entries)
	}
	return err
}

// requiresTargets reports whether c has a relation that needs targets, also inside items.
func requiresTargets(c *core.Collection) bool {
	return anyRequires(c.Fields, map[*core.Component]bool{})
}

func anyRequires(fields []*core.Field, seen map[*core.Component]bool) bool {
	return slices.ContainsFunc(fields, func(f *core.Field) bool {
		if !f.Structured() {
			return f.Type == core.TypeRelation && validation.NeedsTargets(f)
		}
		return slices.ContainsFunc(f.ComponentSlugs(), func(slug string) bool {
			c := f.ComponentNamed(slug)
			if c == nil || seen[c] {
				return false
			}
			seen[c] = true
			return anyRequires(c.Fields, seen)
		})
	})
}

// found returns the translation groups of all entries that the names on lines identify.
func (ring *keyring) found() (groups []int64) {
	for _, members := range ring.known {
		for _, m := range members {
			groups = append(groups, m.group)
		}
	}
	for _, g := range ring.groups {
		groups = append(groups, g.id)
	}
	return groups
}
