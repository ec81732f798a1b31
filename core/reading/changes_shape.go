package reading

import (
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/query"
)

// alone returns versions as JSON by id, without anything that depends on other entries or, unless they
// are sealed, on the library: relations are {"group","collection"}, media {"id"}. When there are too many
// items for the page, the versions from there on are missing, but never the first. It makes at most two
// store calls.
func (p *changesPage) alone(ids []int64, versions map[int64]core.PublicVersion) (map[int64][]byte, error) {
	rows := make([]core.Row, 0, len(ids))
	for _, id := range ids {
		if v, public := versions[id]; public {
			rows = append(rows, v.Row)
		}
	}
	e := newEncoder(p.schema, view{state: core.StatePublished, locale: query.AllLocales})
	e.files, e.mediaIDs = p.files, true
	laid := e.layOut(rows, nil)
	if err := p.loadAlone(e, laid); err != nil {
		return nil, err
	}
	e.levels[0].write, e.levels[0].link = e.stubAlone, e.linkAlone
	shaped := make(map[int64][]byte, len(rows))
	for i := range laid {
		b := e.whole(make([]byte, 0, e.size(&laid[i])), 0, &laid[i])
		if i > 0 && e.items > maxItems {
			break
		}
		shaped[laid[i].row.ID] = b
	}
	return shaped, nil
}

// loadAlone reads the sealed media, and the collections of the targets where the definition does not
// say them.
func (p *changesPage) loadAlone(e *encoder, laid []rowLayout) (err error) {
	refs := gather(laid)
	var media []int64
	for i := range laid {
		laid[i].row.Media.Each(func(name, _ []byte) { media = append(media, parseID(name)) })
	}
	if e.media, err = mediaOf(p.ctx, p.media, p.files, p.schema.Project, core.Distinct(media)); err != nil {
		return err
	}
	unnamed := refs.linked
	for _, l := range append(e.layouts, e.itemLayouts...) {
		for _, n := range l.references {
			unnamed = unnamed || l.fields[n].ToSeveral()
		}
	}
	if unnamed && len(refs.groups) > 0 {
		e.collections, err = p.entries.GroupCollections(p.ctx, p.schema.Project.ID, refs.groups)
	}
	return err
}

// stubAlone writes a reference. The collection is null if the group has never had an entry and the
// definition does not say it.
func (p *encoder) stubAlone(b []byte, holder *rowLayout, f *shownField, id int64) []byte {
	if f.Type == core.TypeMedia {
		return p.item(b, holder, f, id)
	}
	slug := f.Collection
	if f.ToSeveral() {
		if slug = p.collections[id]; slug != "" && !slices.Contains(f.Collections, slug) {
			return b
		}
	}
	b = strconv.AppendInt(append(b, `{"group":`...), id, 10)
	if b = append(b, `,"collection":`...); slug == "" {
		return append(b, "null}"...)
	}
	return append(canonical.AppendQuote(b, slug), '}')
}

// linkAlone adds to a link the file of a sealed item, or the collection of the translation group.
func (p *encoder) linkAlone(holder *rowLayout, link *core.Link) {
	switch {
	case link.Target == core.ToMedia && holder.row.Media != nil:
		showMedia(link, p.files, p.shownItem(holder, link.ID))
	case link.Target == core.ToGroup:
		showCollection(link, p.collections[link.ID])
	}
}
