package fieldtype

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"imprimatur/core/canonical"
	"imprimatur/core/fileurl"
)

// Target is what a Ref points to.
type Target uint8

// The targets.
const (
	NoTarget   Target = iota
	MediaItem         // a media item, by its id
	EntryGroup        // the entries of a translation group, by its id
	File              // the media items with a blob, by its name
)

// Ref is what a value refers to.
type Ref struct {
	Target Target
	ID     int64  // of a media item or a translation group; 0 is no such id
	File   string // of Target File: the name of the blob
}

// The attributes of rich text with ids.
const (
	mediaAttribute = "data-media"
	entryAttribute = "data-entry"
)

// Link is an element of rich text that refers to something: an img, a or area with data-media,
// data-entry (not img) or, without them, with the address of a file in src or href. The host of the
// address does not matter, because the installation may have moved.
type Link struct {
	Ref
	tag     html.Token
	changed bool
	dropped bool
	added   int // by Add, after the reference
}

// IsPicture reports whether the element is an img.
func (l *Link) IsPicture() bool { return l.tag.Data == "img" }

// Attribute returns the value of an attribute, "" without one.
func (l *Link) Attribute(name string) string {
	if i := l.index(name); i >= 0 {
		return l.tag.Attr[i].Val
	}
	return ""
}

// Has reports whether the link has an attribute, perhaps an empty one.
func (l *Link) Has(name string) bool { return l.index(name) >= 0 }

// Remove removes attributes.
func (l *Link) Remove(names ...string) {
	l.tag.Attr = slices.DeleteFunc(l.tag.Attr, func(a html.Attribute) bool {
		named := slices.Contains(names, a.Key)
		l.changed = l.changed || named
		return named
	})
}

// Drop removes a picture from the text.
func (l *Link) Drop() { l.dropped = l.IsPicture() }

// Add adds an attribute, or replaces its value. A new attribute follows data-media or data-entry and
// the attributes that were added before.
func (l *Link) Add(name, value string) {
	l.changed = true
	if i := l.index(name); i >= 0 {
		l.tag.Attr[i].Val = value
		return
	}
	l.added++
	at := max(l.index(mediaAttribute), l.index(entryAttribute)) + l.added
	l.tag.Attr = slices.Insert(l.tag.Attr, at, html.Attribute{Key: name, Val: value})
}

// PointTo makes the link refer to the media item or translation group with that id. It replaces an
// address in its place, and keeps the fragment of an href.
func (l *Link) PointTo(target Target, id int64) {
	name, value := mediaAttribute, strconv.FormatInt(id, 10)
	if target == EntryGroup {
		name = entryAttribute
	}
	if l.Target == File {
		address := l.addressAttribute()
		_, fragment, _ := strings.Cut(l.Attribute(address), "#")
		i := l.index(address)
		l.tag.Attr[i] = html.Attribute{Key: name, Val: value}
		if fragment != "" && address == "href" {
			l.tag.Attr = slices.Insert(l.tag.Attr, i+1, html.Attribute{Key: "href", Val: "#" + fragment})
		}
		l.changed = true
	} else if l.Attribute(name) != value {
		l.Add(name, value)
	}
	l.Ref = Ref{Target: target, ID: id}
}

// Address returns the src or href of the link, "" without one.
func (l *Link) Address() string { return l.Attribute(l.addressAttribute()) }

func (l *Link) addressAttribute() string {
	if l.IsPicture() {
		return "src"
	}
	return "href"
}

func (l *Link) index(name string) int {
	return slices.IndexFunc(l.tag.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// read sets the Ref of the link, and reports whether it has one.
func (l *Link) read() bool {
	switch l.tag.Data {
	case "img", "a", "area":
	default:
		return false
	}
	if l.index(mediaAttribute) >= 0 {
		l.Ref = Ref{Target: MediaItem, ID: idOf(l.Attribute(mediaAttribute))}
		return true
	}
	if l.index(entryAttribute) >= 0 {
		l.Ref = Ref{Target: EntryGroup, ID: idOf(l.Attribute(entryAttribute))}
		return true
	}
	file, ok := fileurl.Find(l.Address())
	if ok {
		l.Ref = Ref{Target: File, File: file.Blob}
	}
	return ok
}

// idOf parses an id. It returns 0 for any other text.
func idOf(text string) int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 || id > 1<<53 {
		return 0
	}
	return id
}

// editLinks calls edit with each link of rich text, in order, and returns the edited text.
func editLinks(text string, edit func(l *Link)) string {
	return editTags(text, func(tag *html.Token) (changed, kept bool) {
		l := Link{tag: *tag}
		if l.read() {
			edit(&l)
		}
		*tag = l.tag
		return l.changed, !l.dropped
	})
}

// settleLinks removes from the links of sanitised rich text what is not stored: the address of a
// link with data-media, except the fragment of an href, and repeated references.
func settleLinks(text string) (settled, fault string) {
	if !hasIDs([]byte(text)) {
		return text, ""
	}
	settled = editLinks(text, func(l *Link) {
		if l.index(mediaAttribute) >= 0 && l.index(entryAttribute) >= 0 {
			fault = "must not have data-media and data-entry in one element"
			return
		}
		for _, name := range []string{mediaAttribute, entryAttribute} {
			if value := l.Attribute(name); value != "" {
				l.settle(name, value)
			}
		}
		if l.Target == MediaItem {
			l.settleAddress()
		}
	})
	return settled, fault
}

// settle keeps the first attribute of that name, as browsers do, without leading zeros.
func (l *Link) settle(name, value string) {
	canonical := strings.TrimLeft(value, "0")
	if canonical == "" {
		canonical = "0"
	}
	first := l.index(name)
	repeated := slices.ContainsFunc(l.tag.Attr[first+1:], func(a html.Attribute) bool { return a.Key == name })
	if value == canonical && !repeated {
		return
	}
	l.tag.Attr[first].Val, l.changed = canonical, true
	rest := slices.DeleteFunc(l.tag.Attr[first+1:], func(a html.Attribute) bool { return a.Key == name })
	l.tag.Attr = l.tag.Attr[:first+1+len(rest)]
}

func (l *Link) settleAddress() {
	name := l.addressAttribute()
	address := l.Attribute(name)
	_, fragment, _ := strings.Cut(address, "#")
	switch {
	case l.index(name) < 0, name == "href" && fragment != "" && address == "#"+fragment:
	case name == "href" && fragment != "":
		l.Add(name, "#"+fragment)
	default:
		l.Remove(name)
	}
}

// hasIDs reports whether sanitised rich text, or its canonical JSON, can have a link with an id. It
// only scans the bytes, for parts that begin with a byte that is rare in texts.
func hasIDs(text []byte) bool {
	return bytes.Contains(text, []byte("-media=")) || bytes.Contains(text, []byte("-entry="))
}

// richTextReferences is Type.References of rich text.
func richTextReferences(raw []byte, visit func(Ref)) {
	if !hasIDs(raw) && !fileurl.Mentions(raw) {
		return
	}
	if text, ok := canonical.Text(raw); ok {
		editLinks(text, func(l *Link) { visit(l.Ref) })
	}
}

// editRichText is Type.EditLinks of rich text.
func editRichText(raw []byte, edit func(l *Link)) []byte {
	text, ok := canonical.Text(raw)
	if !ok {
		return raw
	}
	edited := editLinks(text, edit)
	if edited == text {
		return raw
	}
	return canonical.Quote(edited)
}

// idReferences returns Type.References of a type whose values are ids of that target.
func idReferences(target Target) func(raw []byte, visit func(Ref)) {
	return func(raw []byte, visit func(Ref)) {
		if id := idOf(string(raw)); id != 0 {
			visit(Ref{Target: target, ID: id})
		}
	}
}
