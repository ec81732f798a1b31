package reading

import (
	"context"
	"math/bits"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fileurl"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// related holds the targets of relations, found by translation group and locale.
type related struct {
	rows    []core.Row
	members map[member]int // indexes of rows
}

// member is a translation group and the bit of a locale for which a row serves the group.
type member struct {
	group  int64
	locale int
}

// find returns the index of the row that serves group in the locale, and its collection, which is nil
// if f does not admit it.
func (r *related) find(group int64, locale int, f *shownField) (int, *core.Collection) {
	i, ok := r.members[member{group, locale}]
	if !ok {
		return 0, nil
	}
	return i, f.targetOf(r.rows[i].CollectionID)
}

// level holds the targets of the relations of one level of entries.
type level struct {
	related
	targets []targets // if they are shown whole: one for each projection of relations
	write   referenceWriter
	link    linkEditor
}

// targets are the rows of a level that relations with one projection show.
type targets struct {
	fields  *projection
	laid    []rowLayout
	written []written   // in the order of laid; an entry is written when it is first shown
	places  map[int]int // indexes in laid by index in level.rows; nil: equal indexes
}

// written is an entry as JSON, and the number of whole entries in it.
type written struct {
	json    []byte
	entries int
}

// load reads everything that the rows refer to.
func (p *encoder) load(ctx context.Context, r *Reader, laid []rowLayout) (err error) {
	project, state := p.schema.Project, p.view.state
	holders := [][]rowLayout{laid}
	var media, unserved []int64
	for n := range p.view.depth + 1 {
		l, whole := &p.levels[n], n < p.view.depth
		refs := gather(holders...)
		media = append(media, refs.media...)
		state = state.Related()
		if l.related, err = serving(ctx, r.entries, project, state, refs, whole || len(refs.links) > 0); err != nil {
			return err
		}
		if refs.linked {
			l.link = p.linkEditor(l)
		}
		unserved = append(unserved, l.unserved(&refs)...)
		p.dependOn(&refs, l)
		// Each row is shown at least once, but perhaps not in each of several locales.
		if whole && p.view.bounded && l.whole(&refs) > query.MaxEntries*max(1, bits.OnesCount64(refs.locales)) {
			return errTooDeep
		}
		if !whole {
			l.write = p.stub(l)
			break
		}
		l.write, holders = p.target(n), holders[:0]
		for _, relations := range refs.relations {
			rows, places := l.rows, map[int]int(nil)
			if len(refs.relations) > 1 || len(refs.links) > 0 {
				rows, places = l.among(relations.groups)
			}
			t := targets{relations.fields, p.layOut(rows, relations.fields), make([]written, len(rows)), places}
			p.depend(t.laid)
			l.targets, holders = append(l.targets, t), append(holders, t.laid)
		}
	}
	p.files, p.mediaIDs = r.files, r.mediaIDs
	if len(unserved) > 0 {
		if p.collections, err = r.entries.GroupCollections(ctx, project.ID, core.Distinct(unserved)); err != nil {
			return err
		}
		for _, slug := range p.collections {
			p.view.depends.Of(slug)
		}
	}
	p.media, err = mediaOf(ctx, r.media, r.files, project, core.Distinct(media))
	return err
}

// whole returns the number of rows that relations show.
func (l *level) whole(refs *references) int {
	if len(refs.links) == 0 {
		return len(l.rows)
	}
	n := 0
	for i := range l.rows {
		if slices.ContainsFunc(refs.relations, func(r relations) bool { _, found := slices.BinarySearch(r.groups, l.rows[i].Group); return found }) {
			n++
		}
	}
	return n
}

// among returns the rows of the groups, and their indexes in the result by index in l.rows. groups
// are sorted.
func (l *level) among(groups []int64) (rows []core.Row, places map[int]int) {
	places = map[int]int{}
	for i := range l.rows {
		if _, found := slices.BinarySearch(groups, l.rows[i].Group); found {
			places[i] = len(rows)
			rows = append(rows, l.rows[i])
		}
	}
	return rows, places
}

// target returns the writer of the relations of level n. It writes nothing once the response is too
// large.
func (p *encoder) target(n int) referenceWriter {
	l := &p.levels[n]
	return func(b []byte, holder *rowLayout, f *shownField, id int64) []byte {
		if f.Type == core.TypeMedia {
			return p.item(b, holder, f, id)
		}
		i, of := l.find(id, holder.locale, f)
		if of == nil || p.tooLarge(b) != nil {
			return b
		}
		t := &l.targets[slices.IndexFunc(l.targets, func(t targets) bool { return t.fields == f.targets })]
		if t.places != nil {
			i = t.places[i]
		}
		entry := &t.written[i]
		if entry.json != nil {
			p.entries += entry.entries
			return appendTarget(b, f, of, entry.json)
		}
		before, laid := p.entries, &t.laid[i]
		entry.json = p.whole(make([]byte, 0, p.size(laid)), n+1, laid)
		entry.entries = p.entries - before
		return appendTarget(b, f, of, entry.json)
	}
}

// appendTarget appends a target of f, an entry of the collection of, whose JSON without the name of its
// collection is entry.
func appendTarget(b []byte, f *shownField, of *core.Collection, entry []byte) []byte {
	if !f.ToSeveral() {
		return append(b, entry...)
	}
	b = canonical.AppendQuote(append(b, `{"`+core.RelatedCollection+`":`...), of.Slug)
	return append(append(b, ','), entry[1:]...)
}

// stub returns the writer of the relations of the last level: the id and the collection of the
// target.
func (p *encoder) stub(l *level) referenceWriter {
	return func(b []byte, holder *rowLayout, f *shownField, id int64) []byte {
		if f.Type == core.TypeMedia {
			return p.item(b, holder, f, id)
		}
		i, of := l.find(id, holder.locale, f)
		if of == nil {
			return b
		}
		b = strconv.AppendInt(append(b, `{"id":`...), l.rows[i].ID, 10)
		b = canonical.AppendQuote(append(b, `,"collection":`...), of.Slug)
		return append(b, '}')
	}
}

// references are the ids that entries refer to, each once.
type references struct {
	relations []relations // one for each projection of relations
	links     []int64     // translation groups that rich text links to
	groups    []int64     // of all relations and links
	locales   uint64      // the set of locales in which they are resolved
	linked    bool        // whether rich text links to media or entries
	media     []int64
}

// relations are the references of relations that show the same of their targets.
type relations struct {
	fields *projection
	groups []int64
}

func gather(holders ...[]rowLayout) references {
	var refs references
	for _, laid := range holders {
		for i := range laid {
			refs.add(&laid[i])
		}
	}
	for i := range refs.relations {
		r := &refs.relations[i]
		r.groups = core.Distinct(r.groups)
		refs.groups = append(refs.groups, r.groups...)
	}
	refs.links = core.Distinct(refs.links)
	refs.groups, refs.media = core.Distinct(append(refs.groups, refs.links...)), core.Distinct(refs.media)
	return refs
}

// add adds what an entry refers to.
func (r *references) add(s *rowLayout) { r.addFrom(s, &s.located) }

// addFrom adds what doc refers to, which is the document of s or an item in it.
func (r *references) addFrom(s *rowLayout, doc *located) {
	for _, n := range doc.layout.references {
		f := &doc.layout.fields[n]
		value := doc.value(f)
		if value == nil {
			continue
		}
		ids := &r.media
		if f.Type == core.TypeRelation {
			ids = r.groupsOf(f.targets)
			s.encoder.dependOfTargets(f)
		}
		canonical.Elements(value, func(element []byte) { *ids = append(*ids, parseID(element)) })
		r.addLocale(s.locale)
	}
	for _, n := range doc.layout.links {
		f := &doc.layout.fields[n]
		value := doc.value(f)
		if value == nil || !f.HasIDs(value) {
			continue
		}
		s.linked, r.linked = true, true
		f.EachReference(value, func(to core.Reference) {
			switch to.Target {
			case core.ToMedia:
				r.media = append(r.media, to.ID)
			case core.ToGroup:
				r.links = append(r.links, to.ID)
			}
		})
		r.addLocale(s.locale)
	}
	for _, n := range doc.layout.structured {
		f := &doc.layout.fields[n]
		s.encoder.eachItem(f, doc.value(f), func(item *located) { r.addFrom(s, item) })
	}
}

func (r *references) addLocale(number int) {
	if number >= 0 {
		r.locales |= 1 << number
	}
}

// groupsOf returns the groups of the relations with a projection.
func (r *references) groupsOf(fields *projection) *[]int64 {
	at := slices.IndexFunc(r.relations, func(r relations) bool { return r.fields == fields })
	if at < 0 {
		at = len(r.relations)
		r.relations = append(r.relations, relations{fields: fields})
	}
	return &r.relations[at].groups
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
func mediaOf(ctx context.Context, media ports.MediaReader, files fileurl.Base, project *core.Project, ids []int64) (map[int64]shownMedia, error) {
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

// item writes what f shows of a media item of the holder.
func (p *encoder) item(b []byte, holder *rowLayout, f *shownField, id int64) []byte {
	if p.mediaIDs && holder.row.Media == nil {
		return append(strconv.AppendInt(append(b, `{"id":`...), id, 10), '}')
	}
	item, whole := p.shownItem(holder, id), p.media[id].json
	switch {
	case item == nil:
		return b
	case item != p.media[id].item:
		whole = MediaJSON(p.files, *item)
	}
	if f.targets == nil {
		return append(b, whole...)
	}
	return appendMembers(b, whole, f.targets.members)
}

// appendMembers appends the id and the named members of a media item as JSON.
func appendMembers(b, item []byte, names []string) []byte {
	first := true
	core.Document(item).Each(func(name, value []byte) {
		if !first && !slices.Contains(names, string(name)) {
			return
		}
		separator := byte(',')
		if first { // the id
			separator, first = '{', false
		}
		b = append(append(append(b, separator, '"'), name...), `":`...)
		b = append(b, value...)
	})
	return append(b, '}')
}

// shownItem returns a media item as the holder shows it, or nil. It has the words of the
// library (see core.SealedItem). A version with sealed media shows only its sealed items, with the
// sealed words. Any other item was removed before the version, but may be kept for an
// earlier publication.
func (p *encoder) shownItem(holder *rowLayout, id int64) *core.MediaItem {
	shown, ok := p.media[id]
	if !ok || holder.row.Media == nil {
		return shown.item
	}
	if holder.sealed == nil {
		holder.sealed = core.Unseal(holder.row.Media)
	}
	sealed, ok := holder.sealed[id]
	switch {
	case !ok:
		return nil
	case sealed.SameWords(shown.item):
		return shown.item
	}
	item := sealed.WithWords(*shown.item)
	return &item
}
