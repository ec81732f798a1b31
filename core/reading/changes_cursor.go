package reading

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/fileurl"
)

// changesCursor is the position of a copy: it has what was public at a mark. Like other cursors its
// checksum covers the Project and the parameters.
type changesCursor struct {
	since       event.Mark
	definitions definitions
	walk        *walk // nil: everything was read
	// until is the end of the events that several pages show, and transaction and event the last one
	// that was shown.
	until              *event.Mark
	transaction, event int64
}

// walk is the position in everything that is public.
type walk struct {
	media bool             // the library, after the entries
	after core.PublicPlace // of an entry; of a media item the ID
}

const (
	changesCursorVersion = 1
	maxChangesCursor     = 12 << 10
)

func (c *changesCursor) encode(projectID int64, q ChangesQuery) string {
	b := make(cursorBytes, cursorHeader, 256).mark(&c.since)
	b = c.definitions.encode(b)
	b = b.flag(c.walk != nil)
	if c.walk != nil {
		b = b.flag(c.walk.media).number(c.walk.after.CollectionID).number(int64(c.walk.after.Locale)).number(c.walk.after.ID)
	}
	b = b.flag(c.until != nil)
	if c.until != nil {
		b = b.mark(c.until).number(c.transaction).number(c.event)
	}
	sum := sha256.Sum256(append(cursorBytes("changes").number(projectID).text(q.Collection).text(q.Locale), b[cursorHeader:]...))
	b[0] = changesCursorVersion
	copy(b[1:cursorHeader], sum[:])
	return base64.RawURLEncoding.EncodeToString(b)
}

// readChangesCursor returns the cursor of q, or nil if it is not one of these changes.
func readChangesCursor(projectID int64, q ChangesQuery) *changesCursor {
	if len(q.Since) > maxChangesCursor {
		return nil
	}
	b, err := base64.RawURLEncoding.DecodeString(q.Since)
	if err != nil || len(b) < cursorHeader {
		return nil
	}
	r := cursorReader{rest: b[cursorHeader:]}
	c := &changesCursor{since: r.mark(), definitions: readDefinitions(&r)}
	if r.flag() {
		c.walk = &walk{media: r.flag(), after: core.PublicPlace{CollectionID: r.number(), Locale: int(r.number()), ID: r.number()}}
	}
	if r.flag() {
		until := r.mark()
		c.until, c.transaction, c.event = &until, r.number(), r.number()
	}
	if r.short || len(r.rest) > 0 || c.encode(projectID, q) != q.Since {
		return nil
	}
	return c
}

// mark appends a mark.
func (b cursorBytes) mark(m *event.Mark) cursorBytes {
	b = b.number(m.At.UnixMilli()).number(m.Next).number(m.Next - m.Oldest).number(int64(len(m.Running)))
	for _, n := range m.Running {
		b = b.number(m.Next - n)
	}
	return b.text(m.Epoch).number(m.Event).number(m.EventAt.UnixMilli()).text(m.Digest)
}

// cursorReader reads what cursorBytes appends. It returns zeros after the end.
type cursorReader struct {
	rest  []byte
	short bool
}

func (r *cursorReader) number() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.short, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *cursorReader) flag() bool { return r.bytes(1)[0] == 1 }

func (r *cursorReader) bytes(n int) []byte {
	if len(r.rest) < n {
		r.short, r.rest = true, nil
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *cursorReader) mark() event.Mark {
	m := event.Mark{At: time.UnixMilli(r.number()).UTC(), Next: r.number()}
	m.Oldest = m.Next - r.number()
	for range min(r.number(), maxChangesCursor) {
		m.Running = append(m.Running, m.Next-r.number())
	}
	m.Epoch, m.Event, m.EventAt, m.Digest = r.text(), r.number(), time.UnixMilli(r.number()).UTC(), r.text()
	return m
}

// text reads what cursorBytes.text appends.
func (r *cursorReader) text() string {
	n := r.number()
	if n < 0 || n > int64(len(r.rest)) {
		r.short, r.rest = true, nil
		return ""
	}
	return string(r.bytes(int(n)))
}

// definitions identify what readers see of the definitions of a Project: after a change of it, copies
// have to be read again.
type definitions struct {
	project     digest
	collections map[int64]digest // by id; of large Projects one digest of all under 0
}

// digest is the beginning of a SHA-256.
type digest [4]byte

// maxDigests is the number of collections up to which each has a digest of its own in a cursor.
const maxDigests = 256

// definitionsOf returns the definitions of a Project or, if the slug is not empty, of one collection.
func definitionsOf(schema core.Schema, files fileurl.Base, slug string) definitions {
	p := schema.Project
	chains := make([][]string, len(p.Locales))
	for n, locale := range p.Locales {
		chains[n] = p.FallbackChain(locale)
	}
	d := definitions{digestOf(files, p.DefaultLocale, chains), map[int64]digest{}}
	for _, c := range schema.Collections {
		if slug == "" || c.Slug == slug {
			d.collections[c.ID] = digestOf(describeFields(c.Fields, map[string]bool{}))
		}
	}
	if len(d.collections) > maxDigests {
		d.collections = map[int64]digest{0: digestOf(d.encode(nil))}
	}
	return d
}

func digestOf(values ...any) (d digest) {
	text, err := json.Marshal(values)
	if err != nil {
		panic("reading: " + err.Error()) // only texts, lists and maps
	}
	sum := sha256.Sum256(text)
	copy(d[:], sum[:])
	return d
}

// describeFields returns what the JSON of entries depends on. seen has the components that were
// described.
func describeFields(fields []*core.Field, seen map[string]bool) (described []any) {
	for _, f := range fields {
		if f.Secret() {
			continue
		}
		described = append(described, f.Name, f.Type, f.Multiple, f.Collection, f.Collections)
		for _, slug := range append(slices.Clone(f.Components), f.Component) {
			described = append(described, slug)
			if c := f.ComponentNamed(slug); c != nil && !seen[slug] {
				seen[slug] = true
				described = append(described, describeFields(c.Fields, seen))
			}
		}
	}
	return described
}

// encode appends the definitions to b.
func (d *definitions) encode(b cursorBytes) cursorBytes {
	b = append(b, d.project[:]...).number(int64(len(d.collections)))
	ids := make([]int64, 0, len(d.collections))
	for id := range d.collections {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		sum := d.collections[id]
		b = append(b.number(id), sum[:]...)
	}
	return b
}

func readDefinitions(r *cursorReader) definitions {
	d := definitions{collections: map[int64]digest{}}
	copy(d.project[:], r.bytes(len(d.project)))
	for range min(r.number(), maxChangesCursor) {
		id := r.number()
		var sum digest
		copy(sum[:], r.bytes(len(sum)))
		d.collections[id] = sum
	}
	return d
}

// altered returns the slugs of the collections that differ in now, whose schema is given; an empty one
// means everything. Deleted collections do not count: events name them.
func (d *definitions) altered(now definitions, schema core.Schema) (slugs []string) {
	if !bytes.Equal(d.project[:], now.project[:]) || d.collections[0] != now.collections[0] {
		return []string{""}
	}
	for id, sum := range d.collections {
		if present, ok := now.collections[id]; ok && present != sum {
			slugs = append(slugs, schema.ByID(id).Slug)
		}
	}
	slices.Sort(slugs)
	return slugs
}
