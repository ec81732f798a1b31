package reading

import (
	"strings"

	"imprimatur/core"
)

// shape is a checked core.Shape.
type shape struct {
	timestamps bool
	depth      int
	bounded    bool        // core.Shape.Bounded
	fields     *projection // of core.Shape.Fields
}

// showsDates reports whether the listed entries show when they were created or updated.
func (s *shape) showsDates() bool {
	return s.timestamps || s.fields.names(core.SystemCreatedAt) || s.fields.names(core.SystemUpdatedAt)
}

// projection selects the members of the entries of one collection. nil selects all of every
// collection.
type projection struct {
	collection *core.Collection
	all        bool // selects the members that are not in named
	// named has the selected members and, for a relation, what it shows of its targets, for a field with
	// items, what it shows of them.
	named map[*core.Field]*projection
}

// names reports whether p names f.
func (p *projection) names(f *core.Field) bool {
	if p == nil {
		return false
	}
	_, named := p.named[f]
	return named
}

// shows reports whether p selects f, and what f shows of its targets or items.
func (p *projection) shows(f *core.Field) (targets *projection, shown bool) {
	if p == nil {
		return nil, true
	}
	targets, named := p.named[f]
	if targets != nil && targets.all && len(targets.named) == 0 {
		targets = nil
	}
	return targets, named || p.all
}

// shape checks s.
func (c *checker) shape(s core.Shape) shape {
	checked := shape{timestamps: s.Timestamps, bounded: s.Bounded}
	checked.depth = int(c.within("depth", s.Depth, core.DefaultDepth, 0, core.MaxDepth))
	if s.Fields != "" {
		checked.fields = c.projection(s.Fields, checked.depth)
	}
	return checked
}

func (c *checker) projection(paths string, depth int) *projection {
	p := &projection{collection: c.schema.Collection}
	if len(paths) > core.MaxValueLength || strings.Count(paths, ",") >= core.MaxPaths {
		c.fault("fields", nil, "must have at most %d names and %d bytes", core.MaxPaths, core.MaxValueLength)
		return p
	}
	for path := range strings.SplitSeq(paths, ",") {
		c.path(p, path, depth)
	}
	return p
}

// path adds one path to p, such as "country.name", "seo.title" for a leaf of a group, or
// "body.hero.title" for a leaf of the items of one type.
func (c *checker) path(p *projection, path string, depth int) {
	names, hops := strings.Split(path, "."), 0
	find := c.schema.Collection.Queryable
	for i := 0; i < len(names); i++ {
		name, last := names[i], i == len(names)-1
		if last && name == "*" {
			p.all = true
			break
		}
		f := find(name)
		if f == nil {
			c.fault("fields", path, "unknown field %s", quoted(path))
			return
		}
		target := c.schema.Target(f)
		p = p.name(f, target)
		switch {
		case last:
			p.all = true
		case f.Structured():
			component := f.ComponentNamed(f.Component)
			if f.Type == core.TypeBlocks {
				i++
				component = f.ComponentNamed(names[i])
			}
			if component == nil {
				c.fault("fields", path, "%s admits no items of %s", quoted(name), quoted(names[i]))
				return
			}
			if f.Type == core.TypeBlocks && (i == len(names)-1 || names[i+1] == "*") {
				p.nameAll(component)
				i = len(names)
			}
			find = component.Field
		case target != nil:
			hops++
			find = target.Queryable
		default:
			c.fault("fields", path, "%s is not a relation", quoted(name))
			return
		}
	}
	if hops > max(depth, 0) {
		c.fault("fields", path, "%s needs a depth of %d; the depth is %d", quoted(path), hops, depth)
	}
}

// nameAll adds all fields of the items of a component to p.
func (p *projection) nameAll(component *core.Component) {
	for _, f := range component.Fields {
		p.name(f, nil).all = true
	}
}

// name adds f to p and returns what f shows of its target.
func (p *projection) name(f *core.Field, target *core.Collection) *projection {
	if p.named == nil {
		p.named = map[*core.Field]*projection{}
	}
	if p.named[f] == nil {
		p.named[f] = &projection{collection: target}
	}
	return p.named[f]
}
