package content

import (
	"context"
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/ports"
)

// manageFields writes the documents of rows as Managed.Fields, with at most three store calls.
// It also returns the media items that the documents name.
//
// A relation is shown as the member that serves the holder's locale. Where no member serves it,
// because all are in the trash or in other locales, the relation is shown as the oldest entry of
// the group, so that a client can write back what it read. A group whose entries were all destroyed
// is left out, as are deleted media.
func manageFields(ctx context.Context, entries ports.EntryStore, media ports.MediaStore, schema core.Schema, rows []core.Row) (fields []json.RawMessage, library []core.MediaItem, err error) {
	p := newEncoder(schema, view{state: core.StateWithDraft, locale: core.AllLocales})
	laid := p.layOut(rows, nil, &rowLayouts{})
	refs := gather(laid)
	targets, err := serving(ctx, entries, schema.Project, core.StateWithDraft, refs, false)
	if err != nil {
		return nil, nil, err
	}
	oldest, err := unserved(ctx, entries, schema.Project.ID, refs, &targets)
	if err != nil {
		return nil, nil, err
	}
	library, err = ports.MediaOf(ctx, media, schema.Project.ID, refs.media)
	if err != nil {
		return nil, nil, err
	}
	items := byID(library, mediaID)
	asID := func(b []byte, holder *rowLayout, f *shownField, id int64) []byte {
		if f.Type == core.TypeRelation {
			if i, ok := targets.find(id, holder.locale, f.target); ok {
				id = targets.rows[i].ID
			} else if e := oldest[id]; e != nil {
				id = e.ID
			} else {
				return b
			}
		} else if items[id] == nil {
			return b
		}
		return strconv.AppendInt(b, id, 10)
	}
	fields = make([]json.RawMessage, len(laid))
	for i := range laid {
		b := make([]byte, 0, laid[i].size())
		b = append(laid[i].layout.append(b, &laid[i], asID), '}')
		if b[0] == ',' {
			b[0] = '{' // replaces the comma before the first field
		} else {
			b = append(b[:0], "{}"...)
		}
		fields[i] = b
	}
	return fields, library, nil
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
	slices.Reverse(members) // of each group, byID keeps the last
	return byID(members, groupID), nil
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
