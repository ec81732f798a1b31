package reading

import (
	"context"
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// fields returns the fields that shown selects (nil: all) of the documents of rows as Managed.Fields, with at
// most five store calls. It also returns the media items that these name, and those with an id in media.
//
// A relation is shown as the member that serves the holder's locale. Where no member serves it,
// because all are in the trash or in other locales, the relation is shown as the oldest entry of
// the group, so that a client can write back what it read. A group whose entries were all destroyed
// is left out, as are deleted media and entries of collections that the relation no longer admits. Links in rich text name the same entries, but stay without a
// target.
func (p *presenter) fields(ctx context.Context, schema core.Schema, rows []core.Row, shown *projection, media ...int64) (fields []json.RawMessage, library []core.MediaItem, err error) {
	e := newEncoder(schema, view{state: core.StateWithDraft, locale: query.AllLocales, hidden: p.hidden})
	laid := e.layOut(rows, shown)
	refs := gather(laid)
	targets, err := serving(ctx, p.stores.Entries, schema.Project, core.StateWithDraft, refs, len(refs.links) > 0)
	if err != nil {
		return nil, nil, err
	}
	oldest, err := unserved(ctx, p.stores.Entries, schema.Project.ID, refs, &targets)
	if err != nil {
		return nil, nil, err
	}
	library, err = ports.MediaOf(ctx, p.stores.Media, schema.Project.ID, core.Distinct(append(refs.media, media...)))
	if err != nil {
		return nil, nil, err
	}
	if len(refs.links) > 0 { // to any collection
		if schema.Collections, err = p.stores.Collections.Collections(ctx, schema.Project.ID); err != nil {
			return nil, nil, err
		}
	}
	references := managedReferences{schema, p.files, targets, oldest, core.MediaByID(library)}
	fields = make([]json.RawMessage, len(laid))
	for i := range laid {
		b := make([]byte, 0, laid[i].size())
		b = append(laid[i].layout.append(b, &laid[i], &laid[i].located, references.id, references.link), '}')
		if b[0] == ',' {
			b[0] = '{' // replaces the comma before the first field
		} else {
			b = append(b[:0], "{}"...)
		}
		if err := e.tooLarge(b); err != nil {
			return nil, nil, err
		}
		fields[i] = b
	}
	return fields, library, nil
}

// managedReferences has the targets of references in Managed.Fields.
type managedReferences struct {
	schema  core.Schema
	files   fileurl.Base
	targets related
	oldest  map[int64]*core.Entry
	items   map[int64]*core.MediaItem
}

// id is a referenceWriter that appends the id of the target.
func (r *managedReferences) id(b []byte, holder *rowLayout, f *shownField, id int64) []byte {
	if f.Type == core.TypeMedia {
		if r.items[id] == nil {
			return b
		}
		return strconv.AppendInt(b, id, 10)
	}
	if i, of := r.targets.find(id, holder.locale, f); of != nil {
		return strconv.AppendInt(b, r.targets.rows[i].ID, 10)
	}
	if e := r.oldest[id]; e != nil && (!f.ToSeveral() || f.targetOf(e.CollectionID) != nil) {
		return strconv.AppendInt(b, e.ID, 10)
	}
	return b
}

// link is a linkEditor.
func (r *managedReferences) link(holder *rowLayout, l *core.Link) {
	if l.Target == core.ToMedia {
		showMedia(l, r.files, r.items[l.ID])
		return
	}
	if i, ok := r.targets.members[member{l.ID, holder.locale}]; ok {
		showEntry(l, r.schema, &r.targets.rows[i])
	} else if e := r.oldest[l.ID]; e != nil {
		l.PointTo(core.ToGroup, e.ID)
		if c := r.schema.ByID(e.CollectionID); c != nil {
			showCollection(l, c.Slug)
		}
	}
}

// unserved returns the groups that lack a member for some locale of the holders, each with its
// oldest entry.
func unserved(ctx context.Context, entries ports.EntryStore, projectID int64, refs references, targets *related) (map[int64]*core.Entry, error) {
	groups := slices.DeleteFunc(refs.groups, func(group int64) bool { return targets.serves(group, refs.locales) })
	if len(groups) == 0 {
		return nil, nil
	}
	members, err := entries.Translations(ctx, projectID, groups...)
	if err != nil {
		return nil, err
	}
	slices.Reverse(members) // of each group, EntriesByGroup keeps the last
	return core.EntriesByGroup(members), nil
}

// serves reports whether group has a member for each of the locales.
func (r *related) serves(group int64, locales uint64) bool {
	for ; locales != 0; locales &= locales - 1 {
		if _, ok := r.members[member{group, bits.TrailingZeros64(locales)}]; !ok {
			return false
		}
	}
	return true
}
