package content

import (
	"context"
	"math/bits"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/ports"
)

// related holds the targets of relations, found by translation group and locale.
type related struct {
	rows    []core.Row
	members map[member]int // indexes of rows
	written [][]byte       // the rows as JSON, where they are shown whole
	size    int            // bytes of written
}

// member is the place of a row among its translations: what it is the answer for.
type member struct {
	group  int64
	locale int
}

// find returns the index of the row that group shows in that locale.
func (r *related) find(group int64, locale int, in *core.Collection) (int, bool) {
	i, ok := r.members[member{group, locale}]
	return i, ok && in != nil && r.rows[i].CollectionID == in.ID
}

// load reads everything that the sheets refer to and writes what is shown whole.
func (p *press) load(ctx context.Context, r *Reader, sheets []sheet) error {
	var err error
	state := p.view.state.Related()
	if p.near, err = serving(ctx, r.entries, p.schema.Project, state, sheets, true); err != nil {
		return err
	}
	near := p.sheets(p.near.rows)
	if p.far, err = serving(ctx, r.entries, p.schema.Project, state.Related(), near, false); err != nil {
		return err
	}
	if p.media, err = mediaOf(ctx, r.media, p.schema.Project, sheets, near); err != nil {
		return err
	}
	p.near.written = make([][]byte, len(near))
	for i := range near {
		b := make([]byte, 0, near[i].layout.size+len(near[i].row.Document))
		p.near.written[i] = p.entry(b, &near[i], p.stub)
		p.near.size += len(p.near.written[i])
	}
	return nil
}

// whole writes a reference of a row: the related entry or the media item.
func (p *press) whole(b []byte, holder *sheet, f *shownField, id int64) []byte {
	if f.Type == core.TypeMedia {
		return append(b, p.media[id]...)
	}
	if i, ok := p.near.find(id, holder.locale, f.target); ok {
		return append(b, p.near.written[i]...)
	}
	return b
}

// stub writes a reference of a related row: only where to find the entry, or the
// media item.
func (p *press) stub(b []byte, holder *sheet, f *shownField, id int64) []byte {
	if f.Type == core.TypeMedia {
		return append(b, p.media[id]...)
	}
	i, ok := p.far.find(id, holder.locale, f.target)
	if !ok {
		return b
	}
	b = strconv.AppendInt(append(b, `{"id":`...), p.far.rows[i].ID, 10)
	b = appendString(append(b, `,"collection":`...), f.target.Slug)
	return append(b, '}')
}

// serving reads, in one call, the targets of the sheets' relations in the locales
// that the sheets are looked at in; none is made when there are no relations.
func serving(ctx context.Context, entries ports.EntryReader, project *core.Project, state core.State, sheets []sheet, documents bool) (related, error) {
	groups, mask := references(sheets, core.TypeRelation)
	if len(groups) == 0 {
		return related{}, nil
	}
	rows, err := entries.Serving(ctx, project.ID, state, groups, mask, documents)
	if err != nil {
		return related{}, err
	}
	found := related{rows: rows, members: make(map[member]int, len(rows))}
	for i := range rows {
		for serves := rows[i].Serves & mask; serves != 0; serves &= serves - 1 {
			found.members[member{rows[i].Group, bits.TrailingZeros64(serves)}] = i
		}
	}
	return found, nil
}

// mediaOf reads, in one call, the media that the sheets show, as JSON by id.
func mediaOf(ctx context.Context, media ports.MediaReader, project *core.Project, sheets, near []sheet) (map[int64][]byte, error) {
	ids, _ := references(sheets, core.TypeMedia)
	more, _ := references(near, core.TypeMedia)
	ids = distinct(append(ids, more...))
	if len(ids) == 0 {
		return nil, nil
	}
	items, err := media.MediaByIDs(ctx, project.ID, ids)
	if err != nil {
		return nil, err
	}
	shown := make(map[int64][]byte, len(items))
	for _, item := range items {
		shown[item.ID] = MediaJSON(item)
	}
	return shown, nil
}

// references returns the ids in the sheets' fields of type t, each once, and the
// set of locales that those who hold them are looked at in.
func references(sheets []sheet, t core.FieldType) (ids []int64, locales uint64) {
	for i := range sheets {
		s := &sheets[i]
		for _, n := range s.layout.references {
			if s.layout.fields[n].Type != t {
				continue
			}
			core.Elements(s.values[n], func(element []byte) { ids = append(ids, parseID(element)) })
			if s.locale >= 0 {
				locales |= 1 << s.locale
			}
		}
	}
	return distinct(ids), locales
}

func distinct(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}
