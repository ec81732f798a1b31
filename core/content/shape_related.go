package content

import (
	"context"
	"math/bits"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/ports"
)

// related holds the targets of relations, found by translation group and locale.
type related struct {
	rows    []core.Row
	members map[member]int // indexes of rows
	written [][]byte       // the rows as JSON, if they are shown whole
	size    int            // bytes of written
}

// member is a translation group and the number of a locale for which a row serves the group.
type member struct {
	group  int64
	locale int
}

// find returns the index of the row that serves group in the locale, if it is an entry of in.
func (r *related) find(group int64, locale int, in *core.Collection) (int, bool) {
	i, ok := r.members[member{group, locale}]
	return i, ok && in != nil && r.rows[i].CollectionID == in.ID
}

// load reads everything that the rows refer to, and writes the related entries.
func (p *encoder) load(ctx context.Context, r *Reader, laid []rowLayout) error {
	var err error
	project, state := p.schema.Project, p.view.state.Related()
	refs := gather(laid)
	if p.near, err = serving(ctx, r.entries, project, state, refs, true); err != nil {
		return err
	}
	near := p.layOut(p.near.rows, &rowLayouts{})
	deeper := gather(near)
	if p.far, err = serving(ctx, r.entries, project, state.Related(), deeper, false); err != nil {
		return err
	}
	p.files = r.files
	if p.media, err = mediaOf(ctx, r.media, r.files, project, distinct(append(refs.media, deeper.media...))); err != nil {
		return err
	}
	p.near.written = make([][]byte, len(near))
	for i := range near {
		p.near.written[i] = p.entry(make([]byte, 0, p.size(&near[i])), &near[i], p.stub)
		p.near.size += len(p.near.written[i])
	}
	return nil
}

// whole writes a reference of a row: the related entry or the media item. It writes nothing
// once the response is too large.
func (p *encoder) whole(b []byte, holder *rowLayout, f *shownField, id int64) []byte {
	if f.Type == core.TypeMedia {
		return p.item(b, holder, id)
	}
	if i, ok := p.near.find(id, holder.locale, f.target); ok && len(b) <= maxAnswer {
		return append(b, p.near.written[i]...)
	}
	return b
}

// stub writes a reference of a related row: the id and collection of the entry, or the media item.
func (p *encoder) stub(b []byte, holder *rowLayout, f *shownField, id int64) []byte {
	if f.Type == core.TypeMedia {
		return p.item(b, holder, id)
	}
	i, ok := p.far.find(id, holder.locale, f.target)
	if !ok {
		return b
	}
	b = strconv.AppendInt(append(b, `{"id":`...), p.far.rows[i].ID, 10)
	b = canonical.AppendQuote(append(b, `,"collection":`...), f.target.Slug)
	return append(b, '}')
}

// references are the ids that the rows refer to, each once.
type references struct {
	groups  []int64 // of relations
	locales uint64  // the set of locales in which they are resolved
	media   []int64
}

func gather(laid []rowLayout) references {
	var refs references
	for i := range laid {
		s := &laid[i]
		for _, n := range s.layout.references {
			f := &s.layout.fields[n]
			value := s.value(f)
			if value == nil {
				continue
			}
			ids := &refs.groups
			if f.Type == core.TypeMedia {
				ids = &refs.media
			}
			canonical.Elements(value, func(element []byte) { *ids = append(*ids, parseID(element)) })
			if s.locale >= 0 {
				refs.locales |= 1 << s.locale
			}
		}
	}
	refs.groups, refs.media = distinct(refs.groups), distinct(refs.media)
	return refs
}

func distinct(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// serving reads the targets of relations. It makes no store call without relations.
func serving(ctx context.Context, entries ports.EntryReader, project *core.Project, state core.State, refs references, documents bool) (related, error) {
	if len(refs.groups) == 0 {
		return related{}, nil
	}
	rows, err := entries.Serving(ctx, project.ID, state, refs.groups, refs.locales, documents)
	if err != nil {
		return related{}, err
	}
	found := related{rows: rows, members: make(map[member]int, len(rows))}
	for i := range rows {
		for serves := rows[i].Serves & refs.locales; serves != 0; serves &= serves - 1 {
			found.members[member{rows[i].Group, bits.TrailingZeros64(serves)}] = i
		}
	}
	return found, nil
}

// shownMedia is a media item of the library, and its JSON.
type shownMedia struct {
	item *core.MediaItem
	json []byte
}

// mediaOf reads media items by id. It makes no store call without ids.
func mediaOf(ctx context.Context, media ports.MediaReader, files core.FileBase, project *core.Project, ids []int64) (map[int64]shownMedia, error) {
	items, err := ports.MediaOf(ctx, media, project.ID, ids)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	shown := make(map[int64]shownMedia, len(items))
	for i := range items {
		shown[items[i].ID] = shownMedia{&items[i], MediaJSON(files, items[i])}
	}
	return shown, nil
}

// item writes a media item of the holder, with the file name, caption and tags of the library. A
// version with sealed media shows only its sealed items, with the sealed file name, caption and
// tags. Any other item was removed before the version, but may be kept for an earlier publication.
func (p *encoder) item(b []byte, holder *rowLayout, id int64) []byte {
	shown, ok := p.media[id]
	if !ok || holder.row.Media == nil {
		return append(b, shown.json...)
	}
	if holder.sealed == nil {
		holder.sealed = core.Unseal(holder.row.Media)
	}
	sealed, ok := holder.sealed[id]
	switch {
	case !ok:
		return b
	case sealed.SameWords(shown.item):
		return append(b, shown.json...)
	}
	item := *shown.item
	item.FileName, item.Caption, item.Tags = sealed.FileName, sealed.Caption, sealed.Tags
	return append(b, MediaJSON(p.files, item)...)
}
