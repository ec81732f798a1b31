package migration

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// contentful is an export of Contentful. Its entries of the types in parts become items of components
// inside the entries that link to them; all others become entries of collections.
type contentful struct {
	Locales      []contentfulLocale `json:"locales"`
	ContentTypes []contentType      `json:"contentTypes"`
	Entries      []contentfulEntry  `json:"entries"`
	Assets       []contentfulAsset  `json:"assets"`
}

type contentfulLocale struct {
	Code    string `json:"code"`
	Name    string `json:"name"`
	Default bool   `json:"default"`
}

type contentType struct {
	Sys    sys            `json:"sys"`
	Name   string         `json:"name"`
	Fields []contentField `json:"fields"`
}

type contentField struct {
	ID          string        `json:"id"`
	Type        string        `json:"type"`
	LinkType    string        `json:"linkType,omitempty"`
	Localized   bool          `json:"localized"`
	Validations []validation  `json:"validations,omitempty"`
	Items       *contentField `json:"items,omitempty"`
}

type validation struct {
	LinkContentType []string `json:"linkContentType"`
}

// sys has the facts that Contentful keeps of its resources, and links.
type sys struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	LinkType    string `json:"linkType,omitempty"`
	CreatedAt   string `json:"createdAt,omitempty"`
	PublishedAt string `json:"publishedAt,omitempty"`
	ContentType any    `json:"contentType,omitempty"`
}

// contentfulEntry has values by field and locale.
type contentfulEntry struct {
	Sys    sys               `json:"sys"`
	Fields map[string]object `json:"fields"`
}

type contentfulAsset struct {
	Sys    sys `json:"sys"`
	Fields struct {
		Title       map[string]string    `json:"title"`
		Description map[string]string    `json:"description,omitempty"`
		File        map[string]assetFile `json:"file"`
	} `json:"fields"`
}

type assetFile struct {
	URL         string `json:"url"`
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
	Details     object `json:"details"`
}

// parts are the content types that become components, and collected those that become collections, in
// the order of the import.
var (
	parts     = []string{"cta", "hero", "quote", "seo"}
	collected = []string{"author", "page"}
)

func (c *contentful) locales() (codes []string) {
	for _, l := range c.Locales {
		codes = append(codes, l.Code)
	}
	return codes
}

func (c *contentful) contentType(id string) contentType {
	return c.ContentTypes[slices.IndexFunc(c.ContentTypes, func(t contentType) bool { return t.Sys.ID == id })]
}

// definitions returns a component or collection for each content type. It has the id of its entries as a
// field; components also have the times, which entries of collections have of themselves.
func (c *contentful) definitions() (components, collections []definition) {
	for _, id := range parts {
		times := []field{{Name: "created", Type: "datetime"}, {Name: "published", Type: "datetime"}}
		components = append(components, definition{Slug: id, Name: id, Fields: append(c.fieldsOf(id), times...)})
	}
	for _, id := range collected {
		collections = append(collections, definition{Slug: id, Name: id, Fields: c.fieldsOf(id)})
	}
	return components, collections
}

func (c *contentful) fieldsOf(id string) []field {
	fields := []field{{Name: "contentfulId", Type: "text", Unique: slices.Contains(collected, id)}}
	for _, f := range c.contentType(id).Fields {
		fields = append(fields, f.definition())
	}
	return fields
}

func (f contentField) definition() field {
	if f.Items != nil {
		made := f.Items.definition()
		made.Name, made.Multiple = f.ID, made.Type != "group"
		if made.Type == "group" {
			made.Type, made.Component, made.Components = "blocks", "", f.Items.targets()
		}
		return made
	}
	made := field{Name: f.ID, Type: map[string]string{"Symbol": "text", "Text": "longtext", "RichText": "richtext", "Integer": "number", "Boolean": "boolean"}[f.Type]}
	switch {
	case f.LinkType == "Asset":
		made.Type = "media"
	case f.part():
		made.Type, made.Component = "group", f.targets()[0]
	case f.LinkType == "Entry":
		made.Type, made.Collection = "relation", f.targets()[0]
	}
	return made
}

// targets are the content types of the entries that f may link to.
func (f contentField) targets() []string {
	if f.Items != nil {
		return f.Items.targets()
	}
	if len(f.Validations) == 0 {
		return nil
	}
	return f.Validations[0].LinkContentType
}

// part reports whether f links to entries that become items.
func (f contentField) part() bool {
	return len(f.targets()) > 0 && slices.Contains(parts, f.targets()[0])
}

// points reports whether f links to files, or to entries of a collection.
func (f contentField) points() bool {
	return !f.part() && (f.LinkType != "" || f.Items != nil && f.Items.LinkType != "")
}

func (c *contentful) files() (files []file) {
	for _, a := range c.Assets {
		files = append(files, a.file())
	}
	return files
}

func (a contentfulAsset) file() file {
	return file{Tag: a.Sys.ID, Name: a.Fields.File["en"].FileName, Caption: a.Fields.Title["en"], Alt: a.Fields.Description["en"]}
}

func (c *contentful) entry(id string) contentfulEntry {
	return c.Entries[slices.IndexFunc(c.Entries, func(e contentfulEntry) bool { return e.Sys.ID == id })]
}

func (e contentfulEntry) contentType() string {
	return e.Sys.ContentType.(object)["sys"].(object)["id"].(string)
}

func (c *contentful) batches(t *testing.T) (batches []batch) {
	t.Helper()
	for _, id := range collected {
		b := batch{collection: id}
		for _, e := range c.Entries {
			if e.contentType() == id {
				b.lines = append(b.lines, contentfulLine{contentful: c, t: t, links: newLinks()}.of(e))
			}
		}
		batches = append(batches, b)
	}
	return batches
}

// contentfulLine makes the line of an entry.
type contentfulLine struct {
	*contentful
	t     *testing.T
	links *links
}

func (m contentfulLine) of(e contentfulEntry) line {
	l := line{Key: e.Sys.ID, CreatedAt: e.Sys.CreatedAt, Relations: object{}, Media: object{}, Links: m.links, Translations: map[string]object{}}
	if e.Sys.PublishedAt != "" {
		l.Published, l.PublishedAt = true, e.Sys.PublishedAt
	}
	fields := m.contentType(e.contentType()).Fields
	l.Fields = m.values(e, "en")
	for _, f := range fields {
		if f.points() {
			delete(l.Fields, f.ID)
			place := l.Relations
			if f.definition().Type == "media" {
				place = l.Media
			}
			place[f.ID] = m.targets(e.Fields[f.ID]["en"])
		}
	}
	if slices.ContainsFunc(fields, func(f contentField) bool { return f.Localized && e.Fields[f.ID]["de"] != nil }) {
		l.Translations["de"] = m.values(e, "de")
		for _, f := range fields {
			if f.points() {
				delete(l.Translations["de"], f.ID)
			}
		}
	}
	return l
}

// targets returns what relations and media of a line contain for links.
func (m contentfulLine) targets(value any) any {
	if list, multiple := value.([]any); multiple {
		all := []any{}
		for _, one := range list {
			all = append(all, m.targets(one))
		}
		return all
	}
	if value == nil {
		return nil
	}
	to := linkOf(value)
	if to["linkType"] == "Asset" {
		return m.asset(to["id"].(string))
	}
	return to["id"]
}

func linkOf(value any) object { return value.(object)["sys"].(object) }

func (m contentfulLine) asset(id string) object {
	i := slices.IndexFunc(m.Assets, func(a contentfulAsset) bool { return a.Sys.ID == id })
	return m.Assets[i].file().named(m.t)
}

// values returns the values of an entry in a locale. A field without translations has those of the
// default locale.
func (m contentfulLine) values(e contentfulEntry, locale string) object {
	values := object{"contentfulId": e.Sys.ID}
	for _, f := range m.contentType(e.contentType()).Fields {
		value := e.Fields[f.ID]["en"]
		if f.Localized {
			value = e.Fields[f.ID][locale]
		}
		values[f.ID] = m.value(f, value, locale)
	}
	return values
}

func (m contentfulLine) value(f contentField, value any, locale string) any {
	if list, multiple := value.([]any); multiple {
		all := []any{}
		for _, one := range list {
			all = append(all, m.value(*f.Items, one, locale))
		}
		return all
	}
	switch {
	case value == nil:
		return nil
	case f.Type == "RichText":
		return richText(value.(object), m.number)
	case f.part():
		return m.item(m.entry(linkOf(value)["id"].(string)), f, locale)
	case f.Type == "Link":
		return m.number(linkOf(value)["linkType"].(string), linkOf(value)["id"].(string))
	}
	return value
}

// item returns the item for an entry. Only one of blocks has a type and a key.
func (m contentfulLine) item(e contentfulEntry, f contentField, locale string) object {
	item := m.values(e, locale)
	item["created"], item["published"] = e.Sys.CreatedAt, e.Sys.PublishedAt
	if f.ID == "" {
		item["_type"], item["_key"] = e.contentType(), e.Sys.ID
		delete(item, "contentfulId")
	}
	return item
}

// number returns the number of an asset or entry in the links of the line.
func (m contentfulLine) number(kind, id string) int {
	if kind == "Asset" {
		return m.links.file(id, m.asset(id))
	}
	return m.links.entry(id, object{"collection": m.entry(id).contentType(), "key": id})
}

// read returns the export of a project. The content types are those of c.
func (c *contentful) read(t *testing.T, p *project) any {
	t.Helper()
	r := contentfulReader{contentful: c, t: t, library: p.library(t), ids: map[float64]string{}, read: map[string]contentfulEntry{}}
	found := map[string][]object{}
	for _, collection := range collected {
		for _, locale := range c.locales() {
			entries := p.entries(t, collection, locale)
			for _, e := range entries {
				r.ids[e["id"].(float64)] = e["contentfulId"].(string)
			}
			found[collection+" "+locale] = entries
		}
	}
	for _, collection := range collected {
		for _, locale := range c.locales() {
			for _, e := range found[collection+" "+locale] {
				r.keep(collection, e["contentfulId"].(string), locale, e, e["createdAt"], e["publishedAt"])
			}
		}
	}
	return contentful{Locales: c.Locales, ContentTypes: c.ContentTypes, Entries: r.entries(), Assets: r.assets()}
}

// contentfulReader makes entries of Contentful from entries of a project.
type contentfulReader struct {
	*contentful
	t       *testing.T
	library map[float64]object
	ids     map[float64]string // of entries in Contentful, by those in the project
	read    map[string]contentfulEntry
}

// keep adds the values of an entry or item in a locale to those read before.
func (r contentfulReader) keep(contentType, id, locale string, values object, created, published any) {
	e, there := r.read[id]
	if !there {
		e = contentfulEntry{Fields: map[string]object{}, Sys: sys{ID: id, Type: "Entry", CreatedAt: created.(string)}}
		e.Sys.PublishedAt, _ = published.(string)
		e.Sys.ContentType = object{"sys": object{"type": "Link", "linkType": "ContentType", "id": contentType}}
		r.read[id] = e
	}
	for _, f := range r.contentType(contentType).Fields {
		value := r.value(f, values[f.ID], locale)
		switch {
		case value == nil:
		case f.Localized || locale == "en":
			if e.Fields[f.ID] == nil {
				e.Fields[f.ID] = object{}
			}
			e.Fields[f.ID][locale] = value
		case !reflect.DeepEqual(e.Fields[f.ID]["en"], value):
			r.t.Errorf("%s: the %s translation has %s = %v", id, locale, f.ID, value)
		}
	}
}

// value returns the value of f in Contentful, nil for null and empty lists.
func (r contentfulReader) value(f contentField, value any, locale string) any {
	switch shown := value.(type) {
	case nil:
		return nil
	case []any:
		var all []any
		for _, one := range shown {
			all = append(all, r.value(*f.Items, one, locale))
		}
		if all == nil {
			return nil
		}
		return all
	case object:
		return r.linked(f, shown, locale)
	case string:
		if f.Type == "RichText" {
			return richTextReader{link: r.target}.document(r.t, shown)
		}
	}
	return value
}

// linked returns the link to an item, file or entry.
func (r contentfulReader) linked(f contentField, shown object, locale string) any {
	if !f.part() {
		return r.target(map[string]string{"Asset": "data-media", "Entry": "data-entry"}[f.LinkType], shown["id"].(float64))
	}
	contentType, id := f.targets()[0], shown["contentfulId"]
	if shown["_type"] != nil {
		contentType, id = shown["_type"].(string), shown["_key"]
	}
	r.keep(contentType, id.(string), locale, shown, shown["created"], shown["published"])
	return contentfulLink("Entry", id.(string))
}

func (r contentfulReader) target(attribute string, id float64) object {
	if attribute == "data-media" {
		return contentfulLink("Asset", r.library[id]["tags"].([]any)[0].(string))
	}
	return contentfulLink("Entry", r.ids[id])
}

func contentfulLink(kind, id string) object {
	return object{"sys": object{"type": "Link", "linkType": kind, "id": id}}
}

func (r contentfulReader) entries() (all []contentfulEntry) {
	for _, e := range r.read {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b contentfulEntry) int { return strings.Compare(a.Sys.ID, b.Sys.ID) })
	return all
}

func (r contentfulReader) assets() (all []contentfulAsset) {
	for _, item := range r.library {
		a := contentfulAsset{Sys: sys{ID: item["tags"].([]any)[0].(string), Type: "Asset"}}
		a.Fields.Title = map[string]string{"en": item["caption"].(string)}
		if alt, described := item["alt"].(string); described {
			a.Fields.Description = map[string]string{"en": alt}
		}
		name, details := item["fileName"].(string), object{"size": item["size"]}
		if item["width"] != nil {
			details["image"] = object{"width": item["width"], "height": item["height"]}
		}
		a.Fields.File = map[string]assetFile{"en": {
			URL: fmt.Sprintf("//images.ctfassets.net/hb4rspace/%s/%s", a.Sys.ID, name), FileName: name, ContentType: item["mimeType"].(string), Details: details,
		}}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b contentfulAsset) int { return strings.Compare(a.Sys.ID, b.Sys.ID) })
	return all
}
