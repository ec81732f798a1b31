package reading

import (
	"context"
	"errors"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fileurl"
	"imprimatur/core/query"
)

// Shaped is one entry as readers see it.
type Shaped struct {
	ID          int64
	Locale      string
	PublishedAt time.Time // zero: not published
	CreatedAt   time.Time // zero unless timestamps are shown
	UpdatedAt   time.Time // of the version shown; zero unless timestamps are shown
	// Shortened reports that relations show the id and the collection of their targets, because the
	// response would otherwise exceed a limit.
	Shortened bool
	// JSON is the entry as both content APIs return it: the body of a single entry,
	// an element of a list, Entry.data in GraphQL. The caller must not change it.
	JSON []byte

	collection string // slug
}

// view is the state, locale and options of a response.
type view struct {
	state  core.State
	locale string // the locale being served; AllLocales: each row's own
	hidden bool   // shows hidden fields
	shape
}

// shape returns rows as JSON: each one, and all of them joined by commas. For rows with references
// it makes one store call for each level of relations and one for media, and one more if rich text
// links to entries that readers do not see.
func (r *Reader) shape(ctx context.Context, schema core.Schema, v view, rows []core.Row) (shaped []Shaped, joined []byte, err error) {
	p := newEncoder(schema, v)
	laid := p.layOut(rows, v.fields)
	p.depend(laid)
	if err := p.load(ctx, r, laid); err != nil {
		return nil, nil, err
	}
	if err := p.loadAlternates(ctx, r, laid); err != nil {
		return nil, nil, err
	}
	if err := p.loadReferrers(ctx, r, laid); err != nil {
		return nil, nil, err
	}
	shaped = make([]Shaped, len(laid))
	b := make([]byte, 0, p.estimate(laid))
	for i := range laid {
		if i > 0 {
			b = append(b, ',')
		}
		start, row := len(b), laid[i].row
		b = p.whole(b, 0, &laid[i])
		if p.view.alternates {
			b = append(p.appendAlternates(b[:len(b)-1], row), '}')
		}
		if len(p.view.referrers) > 0 {
			b = append(p.appendReferrers(b[:len(b)-1], &laid[i]), '}')
		}
		if err := p.tooLarge(b); err != nil {
			return nil, nil, err
		}
		shaped[i] = Shaped{
			ID: row.ID, Locale: row.Locale,
			PublishedAt: row.PublishedAt, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
			JSON: b[start:len(b):len(b)], collection: laid[i].layout.collection.Slug,
		}
	}
	return shaped, b, nil
}

// exceeds reports whether err is that of a response that exceeds a limit, which less depth can avoid.
func exceeds(err error) bool {
	return errors.Is(err, errTooDeep) || errors.Is(err, errTooManyItems) || errors.Is(err, errAnswerTooLarge)
}

// maxAnswer is the largest response in bytes. Many relations to one large entry can make a
// response far larger than its entries.
const maxAnswer = 64 << 20

// tooLarge returns the error of a response that is too large so far.
func (p *encoder) tooLarge(b []byte) error {
	switch {
	case p.view.bounded && p.entries > query.MaxEntries:
		return errTooDeep
	case p.items > maxItems:
		return errTooManyItems
	case len(b) > maxAnswer:
		return errAnswerTooLarge
	}
	return nil
}

var errAnswerTooLarge = core.BadRequest("answer_too_large", "the response is larger than %d MB: request fewer entries", maxAnswer>>20)

var errTooDeep = core.BadRequest("too_deep", "the response has more than %d entries: request fewer entries or less depth", query.MaxEntries)

// encoder writes the entries of one response as JSON.
type encoder struct {
	schema  core.Schema
	view    view
	locale  int       // number of the locale being served; -1: each row's own
	layouts []*layout // of the collections seen so far, usually one
	// itemLayouts are the layouts of the components seen so far.
	itemLayouts []*layout

	levels  [query.MaxDepth + 1]level // the targets of the relations of the rows, of those targets, and so on
	entries int                       // written whole so far, with those of relations
	items   int                       // of components, written so far
	media   map[int64]shownMedia
	// alternates are the public translations of the rows, by group, if the view shows them.
	alternates []query.Alternate
	// referrers are those of the rows for each of view.referrers, and referring the entries.
	referrers []map[query.GroupIn]query.Referrers
	referring referringEntries
	files     fileurl.Base
	// collections has the slugs of the collections of the targets of links that no row serves, by
	// translation group.
	collections map[int64]string
	mediaIDs    bool // as Reader.mediaIDs
}

func newEncoder(schema core.Schema, v view) *encoder {
	return &encoder{schema: schema, view: v, locale: schema.Project.LocaleBit(v.locale)}
}

// rowLayout is a row with the positions of its values.
type rowLayout struct {
	located
	encoder *encoder
	row     *core.Row
	locale  int                       // bit of the locale in which its relations are resolved
	sealed  map[int64]core.SealedItem // row.Media, decoded when the first item is written
	linked  bool                      // whether a value has links with ids
}

// layOut finds the values of rows of which fields are shown. The result has the order of rows.
func (p *encoder) layOut(rows []core.Row, fields *projection) []rowLayout {
	laid, count := make([]rowLayout, len(rows)), 0
	for i := range rows {
		s := rowLayout{encoder: p, row: &rows[i], locale: p.locale}
		s.document, s.layout = rows[i].Document, p.layout(rows[i].CollectionID, fields)
		count += len(s.layout.fields)
		if p.locale < 0 {
			s.locale = p.schema.Project.LocaleBit(rows[i].Locale)
		}
		laid[i] = s
	}
	values := make([]core.Span, count)
	for i := range laid {
		s := &laid[i]
		n := len(s.layout.fields)
		s.values, values = values[:n:n], values[n:]
		s.document.Locate(s.layout.names, s.values)
	}
	return laid
}

// layout returns the layout of a collection. It has no fields for a collection that was created
// after the schema was read or that fields does not select from: its entries are not shown.
func (p *encoder) layout(collectionID int64, fields *projection) *layout {
	for _, l := range p.layouts {
		if l.collection.ID == collectionID && l.shown == fields {
			return l
		}
	}
	c, own := p.schema.ByID(collectionID), fields
	if c != nil && fields != nil && fields.each != nil {
		own = fields.of(c)
	}
	if c == nil || own != nil && own.collection != c {
		c = &core.Collection{ID: collectionID}
	}
	l := newLayout(p.schema, c, own, p.view)
	l.shown = fields
	p.layouts = append(p.layouts, l)
	return l
}

// The maximum sizes in bytes of the system members of an entry, without its locale.
const (
	timeSize    = len(`"2006-01-02T15:04:05.000Z"`)
	systemSize  = len(`{"id":,"locale":"","publishedAt":`) + 19 + timeSize
	stampedSize = len(`,"createdAt":,"updatedAt":`) + 2*timeSize
)

// estimate returns the approximate size of the rows in bytes. It is too small only if several rows
// show the same relation or media, or if relations show the collections of their targets.
func (p *encoder) estimate(laid []rowLayout) int {
	size := len(laid) // the commas
	for _, t := range p.levels[0].targets {
		for i := range t.laid {
			size += p.size(&t.laid[i])
		}
	}
	for _, media := range p.media {
		size += len(media.json)
	}
	for i := range laid {
		size += p.size(&laid[i])
	}
	return size
}

// size returns the maximum size of the entry in bytes, without its references.
func (p *encoder) size(s *rowLayout) int {
	size := systemSize + len(s.row.Locale) + s.size()
	if s.layout.createdAt || s.layout.updatedAt {
		size += stampedSize
	}
	return size
}

// size returns the maximum size of the fields in bytes, without the references.
func (s *rowLayout) size() int {
	size := s.layout.size + len("}")
	for _, at := range s.values {
		size += max(int(at.End-at.Start), len("null"))
	}
	return size
}

// whole appends one entry: the system members, then its fields. Its relations point to the targets
// of the level.
func (p *encoder) whole(b []byte, level int, s *rowLayout) []byte {
	p.entries++
	b = strconv.AppendInt(append(b, `{"id":`...), s.row.ID, 10)
	b = canonical.AppendQuote(append(b, `,"locale":`...), s.row.Locale)
	if s.layout.publishedAt {
		b = appendTime(append(b, `,"publishedAt":`...), s.row.PublishedAt)
	}
	if s.layout.createdAt {
		b = appendTime(append(b, `,"createdAt":`...), s.row.CreatedAt)
	}
	if s.layout.updatedAt {
		b = appendTime(append(b, `,"updatedAt":`...), s.row.UpdatedAt)
	}
	return append(s.layout.append(b, s, &s.located, p.levels[level].write, p.levels[level].link), '}')
}
