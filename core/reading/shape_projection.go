package reading

import (
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/cachetag"
	"imprimatur/core/query"
)

// shape is a checked query.Shape.
type shape struct {
	timestamps bool
	depth      int
	bounded    bool // query.Shape.Bounded
	shortens   bool // query.Shape.Depth is not given
	alternates bool // query.Shape.Alternates
	referrers  []referrersOf
	fields     *projection // of query.Shape.Fields
	depends    *cachetag.Dependencies
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
	// each has, for a relation to several collections, what it shows of the entries of each; nil for any
	// other projection. Of entries of collections that are not in it the relation shows the system
	// members, or everything if all is set.
	each map[*core.Collection]*projection
	// members are, for a media field, the members that it shows of its items besides the id, unless all is set.
	members []string
}

// of returns what p, of a relation to several collections, shows of the entries of c.
func (p *projection) of(c *core.Collection) *projection {
	own := p.each[c]
	switch {
	case own == nil:
		return &projection{collection: c, all: p.all}
	case p.all && !own.all:
		return &projection{collection: c, all: true, named: own.named}
	}
	return own
}

// in returns what p, of a relation to several collections, shows of the entries of c, to add to it.
func (p *projection) in(c *core.Collection) *projection {
	if p.each[c] == nil {
		p.each[c] = &projection{collection: c}
	}
	return p.each[c]
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
	if targets != nil && targets.all && len(targets.named) == 0 && len(targets.each) == 0 {
		targets = nil
	}
	return targets, named || p.all
}

// shape checks s.
func (c *checker) shape(s query.Shape) shape {
	checked := shape{timestamps: s.Timestamps, bounded: s.Bounded, shortens: s.Depth == nil, alternates: s.Alternates, depends: s.Depends}
	checked.referrers = c.referrers(s.Referrers)
	checked.depth = int(c.within("depth", s.Depth, query.DefaultDepth, 0, query.MaxDepth))
	switch {
	case s.Bare:
		checked.fields = &projection{collection: c.schema.Collection}
	case s.Fields != "":
		checked.fields = c.projection(s.Fields, checked.depth)
	}
	return checked
}

func (c *checker) projection(paths string, depth int) *projection {
	p := &projection{collection: c.schema.Collection}
	if len(paths) > query.MaxValueLength || strings.Count(paths, ",") >= query.MaxPaths {
		c.fault("fields", nil, "must have at most %d names and %d bytes", query.MaxPaths, query.MaxValueLength)
		return p
	}
	for path := range strings.SplitSeq(paths, ",") {
		c.path(p, path, depth)
	}
	return p
}

// path adds one path to p, such as "country.name", "related.articles.title" for a relation to several
// collections, "seo.title" for a leaf of a group, "body.hero.title" for a leaf of the items of one type, or
// "cover.alt" for a member of a media field.
func (c *checker) path(p *projection, path string, depth int) {
	names, hops := strings.Split(path, "."), 0
	find := c.selectable
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
		case f.ToSeveral():
			hops++
			if i == len(names)-2 && names[i+1] == "*" {
				continue
			}
			i++
			target := c.admitted(f, names[i])
			if target == nil {
				c.fault("fields", path, "%s admits no entries of %s: name one of its collections first", quoted(name), quoted(names[i]))
				return
			}
			p = p.in(target)
			p.all = p.all || i == len(names)-1
			find = target.Queryable
		case target != nil:
			hops++
			find = target.Queryable
		case f.Type == core.TypeMedia && !c.ids:
			i++
			p.all = p.all || names[i] == "*"
			if i < len(names)-1 || names[i] != "*" && !slices.Contains(mediaMembers, names[i]) {
				c.fault("fields", path, "unknown member %s of a media field: one of %s", quoted(strings.Join(names[i:], ".")), strings.Join(mediaMembers, ", "))
				return
			}
			p.members = append(p.members, names[i])
		default:
			c.fault("fields", path, "%s is not a relation", quoted(name))
			return
		}
	}
	if hops > max(depth, 0) {
		c.fault("fields", path, "%s needs a depth of %d; the depth is %d", quoted(path), hops, depth)
	}
}

// mediaMembers are the names of the members of MediaJSON.
var mediaMembers = func() (names []string) {
	core.Document(MediaJSON("", core.MediaItem{})).Each(func(name, _ []byte) { names = append(names, string(name)) })
	return names
}()

// selectable returns the field of the collection that a path can begin with, or nil.
func (c *checker) selectable(name string) *core.Field {
	if f := c.schema.Collection.Field(name); c.hidden && f != nil && f.Readable() {
		return f
	}
	return c.schema.Collection.Queryable(name)
}

// listed returns the projection of a list for the dashboard: of paths or, without any, of the fields without
// items, because the items of a page can be more than one response holds.
func (c *checker) listed(paths string) *projection {
	if paths != "" {
		return c.projection(paths, 0)
	}
	p := &projection{collection: c.schema.Collection, named: map[*core.Field]*projection{}}
	for _, f := range c.schema.Collection.Fields {
		if !f.Structured() {
			p.named[f] = nil
		}
	}
	return p
}

// admitted returns the collection of that slug if f, a relation to several, admits it; otherwise nil.
func (c *checker) admitted(f *core.Field, slug string) *core.Collection {
	if !slices.Contains(f.Collections, slug) {
		return nil
	}
	return c.schema.BySlug(slug)
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
		if f.ToSeveral() {
			p.named[f].each = map[*core.Collection]*projection{}
		}
	}
	return p.named[f]
}
