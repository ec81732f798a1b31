package importing

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	xhtml "golang.org/x/net/html"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/definition/schema"
	"imprimatur/core/fieldtype"
)

// Mapped is a source as a mapping says: a Content.
type Mapped struct {
	source  Source
	mapping Mapping
	schema  core.Schema
}

var _ Content = (*Mapped)(nil)

// NewMapped returns the Content of a source by a mapping. known are the definitions of the project.
func NewMapped(source Source, mapping Mapping, project *core.Project, known schema.File) *Mapped {
	return &Mapped{source, mapping, known.With(mapping.File).Schema(project)}
}

// Definitions implements Content.
func (m *Mapped) Definitions() schema.File { return m.mapping.File }

// Files implements Content.
func (m *Mapped) Files(ctx context.Context, each func(File) error) error {
	return m.source.Files(ctx, each)
}

// Lines implements Content.
func (m *Mapped) Lines(ctx context.Context, each func(*Line) error) error {
	return m.source.Entries(ctx, func(e *Entry) error { return each(m.line(e)) })
}

// slug returns the slug of the collection that a kind becomes: its key, if there is none.
func (m *Mapped) slug(kind mapped) string {
	if c := m.schema.ByKey(kind.key); c != nil {
		return c.Slug
	}
	return kind.key
}

// line returns the line of an entry.
func (m *Mapped) line(e *Entry) *Line {
	l := &Line{From: Origin{Kind: e.Kind, ID: e.ID, Locale: e.Locale}, Group: m.group(e.Ref), Published: e.Published, Paths: e.Paths, Skipped: e.Skipped}
	for _, row := range e.Lost {
		row.Origin = l.From
		l.Lost = append(l.Lost, row)
	}
	kind, mapped := m.mapping.collections[e.Kind]
	switch {
	case l.Skipped != "":
	case !mapped:
		l.Skipped = "the mapping leaves out " + core.Clip(e.Kind)
	case e.Locale != "" && m.mapping.Locales[e.Locale] == "":
		l.Skipped = "the mapping leaves out the locale " + core.Clip(e.Locale)
	}
	l.Collection, l.Locale = m.slug(kind), m.mapping.Locales[e.Locale]
	collection := m.schema.ByKey(kind.key)
	if collection == nil {
		if l.Skipped == "" {
			l.Skipped = "no collection " + core.Clip(kind.key)
		}
		return l
	}
	l.PublishAt, l.PublishedAt, l.CreatedAt = given(e.PublishAt), given(e.PublishedAt), given(e.CreatedAt)
	c := converter{Mapped: m, line: l}
	l.Draft = c.version(collection.Fields, kind, e.Draft)
	if e.Public != nil {
		public := c.version(collection.Fields, kind, e.Public)
		l.Public = &public
	}
	return l
}

func given(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// group returns the group of an entry of the source.
func (m *Mapped) group(ref Ref) string {
	return Group(m.source.System(), m.source.Site(), ref.Kind, ref.ID)
}

// converter makes the values of one version.
type converter struct {
	*Mapped

	line   *Line
	made   Version
	linked int // ids given to links
}

// version converts the values of an entry.
func (c *converter) version(fields []*core.Field, kind mapped, values map[string]Value) Version {
	c.linked = 0
	c.made = Version{
		Fields: map[string]json.RawMessage{}, Relations: map[string][]Target{}, Media: map[string][]FileRef{},
		Links: Links{Media: map[string]FileRef{}, Entries: map[string]Target{}},
	}
	for _, from := range sortedKeys(values) {
		value := values[from]
		name, mapped := kind.fields[from]
		f := fieldNamed(fields, name)
		switch {
		case !mapped || f == nil:
			c.line.lose(LostValue, from, "the mapping leaves it out", value.shown())
		case f.Type == core.TypeRelation && value.Refs != nil:
			c.made.Relations[name] = append(c.made.Relations[name], c.targets(f, value.Refs)...)
		case f.Type == core.TypeMedia && value.Files != nil:
			for _, id := range value.Files {
				c.made.Media[name] = append(c.made.Media[name], FileRef{File: id})
			}
		default:
			if raw, reason := c.raw(f, value); reason != "" {
				c.line.lose(LostValue, from, reason, value.shown())
			} else {
				c.made.Fields[name] = raw
			}
		}
	}
	return c.made
}

func fieldNamed(fields []*core.Field, name string) *core.Field {
	if at := slices.IndexFunc(fields, func(f *core.Field) bool { return f.Name == name }); at >= 0 {
		return fields[at]
	}
	return nil
}

// targets returns the targets of a relation. What the mapping leaves out is listed.
func (c *converter) targets(f *core.Field, refs []Ref) []Target {
	targets := []Target{}
	for _, ref := range refs {
		kind, mapped := c.mapping.collections[ref.Kind]
		if !mapped {
			c.line.lose(LostPart, f.Name, "the mapping leaves out "+core.Clip(ref.Kind), canonical.Quote(ref.ID))
			continue
		}
		targets = append(targets, Target{Collection: c.slug(kind), Group: c.group(ref)})
	}
	return targets
}

// raw returns a value as JSON, or why the field cannot have it.
func (c *converter) raw(f *core.Field, value Value) (raw json.RawMessage, reason string) {
	switch {
	case value.JSON != nil:
		return c.coerced(f, value.JSON), ""
	case value.Markup != nil:
		return c.markup(f, value.Markup), ""
	case value.Items != nil:
		return c.items(f, value.Items)
	case value.Person != "":
		name := c.mapping.People[value.Person]
		if name == "" {
			name = value.Person
		}
		return c.coerced(f, canonical.Quote(name)), ""
	case value.Refs != nil && f.Type == core.TypeRelation: // inside of an item
		var ids []int64
		for _, t := range c.targets(f, value.Refs) {
			ids = append(ids, c.entry(t))
		}
		return c.ids(f, ids), ""
	case value.Files != nil && f.Type == core.TypeMedia:
		var ids []int64
		for _, id := range value.Files {
			ids = append(ids, c.file(id))
		}
		return c.ids(f, ids), ""
	}
	return nil, "is not a value of the type " + string(f.Type)
}

// ids returns the value of a reference inside of an item. What does not fit is listed.
func (c *converter) ids(f *core.Field, ids []int64) json.RawMessage {
	if !f.Multiple && len(ids) > 1 {
		c.line.lose(LostPart, f.Name, "has one target", nil)
	}
	return core.ReferenceValue(f, ids)
}

// entry and file return the id of a link, which is made on first use.
func (c *converter) entry(t Target) int64 {
	for id, known := range c.made.Links.Entries {
		if known.Group == t.Group && known.Collection == t.Collection {
			return number(id)
		}
	}
	c.linked++
	c.made.Links.Entries[strconv.Itoa(c.linked)] = t
	return int64(c.linked)
}

func (c *converter) file(file string) int64 {
	for id, known := range c.made.Links.Media {
		if known.File == file {
			return number(id)
		}
	}
	c.linked++
	c.made.Links.Media[strconv.Itoa(c.linked)] = FileRef{File: file}
	return int64(c.linked)
}

func number(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64) // made by Itoa
	return n
}

// coerced returns a value in the form of the type of f, as far as that loses nothing.
func (c *converter) coerced(f *core.Field, raw json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	isList := json.Unmarshal(raw, &list) == nil && list != nil
	switch {
	case f.Type == core.TypeJSON && (!f.Multiple || isList):
		return raw
	case f.Multiple && !isList:
		if string(raw) == "null" {
			return raw
		}
		list = []json.RawMessage{raw}
	case !f.Multiple && isList:
		if len(list) == 0 {
			return json.RawMessage("null")
		}
		for _, more := range list[1:] {
			c.line.lose(LostPart, f.Name, "has one value", more)
		}
		return coercedOne(f, list[0])
	case !f.Multiple:
		return coercedOne(f, raw)
	}
	for i := range list {
		list[i] = coercedOne(f, list[i])
	}
	all, _ := json.Marshal(list) // of JSON
	return all
}

func coercedOne(f *core.Field, raw json.RawMessage) json.RawMessage {
	var text string
	isText := json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"'
	switch f.Type {
	case core.TypeText, core.TypeLongText, core.TypeEnumeration:
		if !isText && len(raw) > 0 && raw[0] != '{' && raw[0] != '[' && string(raw) != "null" {
			return canonical.Quote(string(raw))
		}
	case core.TypeRichText:
		if isText && !strings.ContainsAny(text, "<>") {
			return canonical.Quote(fieldtype.Paragraphs(text))
		}
	case core.TypeNumber:
		if isText && json.Valid([]byte(strings.TrimSpace(text))) {
			return json.RawMessage(strings.TrimSpace(text))
		}
	case core.TypeDate:
		if isText && len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == 'T' && strings.HasSuffix(strings.TrimRight(text, "Z+-:0."), "T") {
			return canonical.Quote(text[:len(time.DateOnly)]) // midnight
		}
	}
	return raw
}

// markup returns rich text with the ids of links, or its words for a field of another type.
func (c *converter) markup(f *core.Field, m *Markup) json.RawMessage {
	if f.Type != core.TypeRichText {
		plain := words(m.Text)
		if len(m.Refs)+len(m.Files) > 0 || plain != m.Text {
			c.line.lose(LostPart, f.Name, "the field is not rich text: only its words are kept", canonical.Quote(m.Text))
		}
		return canonical.Quote(plain)
	}
	return canonical.Quote(EditTags(m.Text, func(tag *xhtml.Token) bool {
		changed := false
		tag.Attr = slices.DeleteFunc(tag.Attr, func(a xhtml.Attribute) bool {
			i := int(number(a.Val)) - 1
			drop := a.Key == "data-entry" && (i < 0 || i >= len(m.Refs) || len(c.known(m.Refs[i])) == 0) || a.Key == "data-media" && (i < 0 || i >= len(m.Files))
			changed = changed || drop
			return drop
		})
		target := slices.ContainsFunc(tag.Attr, func(a xhtml.Attribute) bool { return a.Key == "data-entry" })
		tag.Attr = slices.DeleteFunc(tag.Attr, func(a xhtml.Attribute) bool { // its address there has no meaning here
			return target && a.Key == "href" && !strings.Contains(a.Val, "#")
		})
		for i := range tag.Attr {
			if a := &tag.Attr[i]; target && a.Key == "href" {
				_, fragment, _ := strings.Cut(a.Val, "#")
				a.Val = "#" + fragment
			}
			switch a := &tag.Attr[i]; a.Key {
			case "data-entry":
				a.Val, changed = strconv.FormatInt(c.entry(c.known(m.Refs[number(a.Val)-1])[0]), 10), true
			case "data-media":
				a.Val, changed = strconv.FormatInt(c.file(m.Files[number(a.Val)-1]), 10), true
			}
		}
		return changed
	}))
}

// known returns the target of a link, none if the mapping leaves it out.
func (c *converter) known(ref Ref) []Target {
	kind, mapped := c.mapping.collections[ref.Kind]
	if !mapped {
		return nil
	}
	return []Target{{Collection: c.slug(kind), Group: c.group(ref)}}
}

// EditTags calls edit with each start tag of HTML, and returns the HTML with the tags that edit changed. A tag that edit
// leaves without a name is removed.
func EditTags(text string, edit func(tag *xhtml.Token) (changed bool)) string {
	var out strings.Builder
	for tokens := xhtml.NewTokenizer(strings.NewReader(text)); ; {
		kind := tokens.Next()
		if kind == xhtml.ErrorToken {
			return out.String()
		}
		raw := string(tokens.Raw()) // Token changes it
		if kind == xhtml.StartTagToken || kind == xhtml.SelfClosingTagToken {
			if tag := tokens.Token(); edit(&tag) {
				raw = tag.String()
				if tag.Data == "" {
					raw = ""
				}
			}
		}
		out.WriteString(raw)
	}
}

// words returns the text of HTML.
func words(text string) string {
	var out strings.Builder
	for tokens := xhtml.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case xhtml.ErrorToken:
			return strings.TrimSpace(out.String())
		case xhtml.TextToken:
			out.WriteString(tokens.Token().Data)
		case xhtml.EndTagToken, xhtml.SelfClosingTagToken:
			switch name, _ := tokens.TagName(); string(name) {
			case "p", "br", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6":
				out.WriteByte('\n')
			}
		}
	}
}

// items returns the items of a field.
func (c *converter) items(f *core.Field, items []Item) (json.RawMessage, string) {
	if !f.Structured() {
		return nil, "is not a value of the type " + string(f.Type)
	}
	list := []json.RawMessage{}
	for i, item := range items {
		kind := c.mapping.components[item.Kind]
		component := f.ComponentKeyed(kind.key)
		if component == nil {
			c.line.lose(LostPart, f.Name, "has no items of "+core.Clip(item.Kind), nil)
			continue
		}
		object := map[string]json.RawMessage{}
		if f.Type == core.TypeBlocks {
			object[core.ItemType] = canonical.Quote(component.Slug)
		}
		if f.Multiple {
			if object[core.ItemKey] = canonical.Quote(item.Key); item.Key == "" {
				object[core.ItemKey] = canonical.Quote("k" + strconv.Itoa(i+1))
			}
		}
		for _, from := range sortedKeys(item.Fields) {
			inner := component.Field(kind.fields[from])
			if inner == nil {
				c.line.lose(LostPart, f.Name, from+": the mapping leaves it out", item.Fields[from].shown())
				continue
			}
			raw, reason := c.raw(inner, item.Fields[from])
			if reason != "" {
				c.line.lose(LostPart, f.Name, from+": "+reason, item.Fields[from].shown())
				continue
			}
			object[inner.Name] = raw
		}
		text, _ := json.Marshal(object) // of JSON
		list = append(list, text)
	}
	if f.Multiple {
		text, _ := json.Marshal(list) // of JSON
		return text, ""
	}
	if len(list) == 0 {
		return json.RawMessage("null"), ""
	}
	for _, more := range list[1:] {
		c.line.lose(LostPart, f.Name, "has one item", more)
	}
	return list[0], ""
}

// shown returns the value for the report.
func (v Value) shown() json.RawMessage {
	switch {
	case v.JSON != nil:
		return v.JSON
	case v.Markup != nil:
		return canonical.Quote(v.Markup.Text)
	case v.Person != "":
		return canonical.Quote(v.Person)
	}
	var of any = v.Files
	if v.Refs != nil {
		of = v.Refs
	} else if v.Items != nil {
		of = v.Items
	}
	raw, _ := json.Marshal(of) // of texts
	return raw
}

func sortedKeys[T any](of map[string]T) []string {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
