package migration

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// strapi is an export of Strapi: its schemas, the populated documents of each content type in each locale,
// and its files. Dynamic zones and components become blocks and groups.
type strapi struct {
	Locales      []string              `json:"locales"`
	ContentTypes map[string]strapiType `json:"contentTypes"`
	Components   map[string]strapiType `json:"components"`
	Documents    map[string][]object   `json:"documents"`
	Files        []strapiFile          `json:"files"`
}

type strapiType struct {
	Kind       string               `json:"kind,omitempty"`
	Attributes map[string]attribute `json:"attributes"`
}

type attribute struct {
	Type       string   `json:"type"`
	Multiple   bool     `json:"multiple,omitempty"`
	Repeatable bool     `json:"repeatable,omitempty"`
	Component  string   `json:"component,omitempty"`
	Components []string `json:"components,omitempty"`
	Relation   string   `json:"relation,omitempty"`
	Target     string   `json:"target,omitempty"`
	Enum       []string `json:"enum,omitempty"`
}

type strapiFile struct {
	ID              int     `json:"id"`
	DocumentID      string  `json:"documentId"`
	Name            string  `json:"name"`
	AlternativeText any     `json:"alternativeText"`
	Caption         any     `json:"caption"`
	Width           any     `json:"width"`
	Height          any     `json:"height"`
	Ext             string  `json:"ext"`
	Mime            string  `json:"mime"`
	Size            float64 `json:"size"` // in kB
	URL             string  `json:"url"`
}

// strapiFieldTypes are the types of fields for those of attributes with plain values.
var strapiFieldTypes = map[string]string{
	"string": "text", "text": "longtext", "richtext": "longtext", "integer": "number", "decimal": "number", "boolean": "boolean",
	"date": "date", "email": "email", "enumeration": "enumeration", "json": "json", "uid": "slug", "media": "media", "relation": "relation",
	"component": "group", "dynamiczone": "blocks",
}

func (s *strapi) locales() []string { return s.Locales }

// order has the content types in the order of the import: single types link to the others.
func (s *strapi) order() []string {
	return slices.SortedFunc(maps.Keys(s.ContentTypes), func(a, b string) int {
		return cmp.Or(strings.Compare(s.ContentTypes[a].Kind, s.ContentTypes[b].Kind), strings.Compare(a, b))
	})
}

// definitions returns the components, those inside of others first, and the collections.
func (s *strapi) definitions() (components, collections []definition) {
	made := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if made[name] {
			return
		}
		made[name] = true
		for _, a := range s.Components[name].Attributes {
			if a.Component != "" {
				add(a.Component)
			}
		}
		components = append(components, s.Components[name].definition(strings.ReplaceAll(name, ".", "-")))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Components)) {
		add(name)
	}
	for _, name := range s.order() {
		d := s.ContentTypes[name].definition(name)
		d.Fields = append([]field{{Name: "documentId", Type: "text", Unique: true}}, d.Fields...)
		collections = append(collections, d)
	}
	return components, collections
}

func (s strapiType) definition(slug string) definition {
	d := definition{Slug: slug, Name: slug, Singleton: s.Kind == "singleType", Fields: []field{{Name: "strapiId", Type: "number"}}}
	for _, name := range slices.Sorted(maps.Keys(s.Attributes)) {
		a := s.Attributes[name]
		f := field{Name: name, Type: strapiFieldTypes[a.Type], Multiple: a.many() && a.Type != "dynamiczone", Collection: a.target(), Choices: a.Enum}
		f.Component = strings.ReplaceAll(a.Component, ".", "-")
		for _, component := range a.Components {
			f.Components = append(f.Components, strings.ReplaceAll(component, ".", "-"))
		}
		d.Fields = append(d.Fields, f)
	}
	return d
}

// many reports whether the value of a is a list.
func (a attribute) many() bool {
	return a.Multiple || a.Repeatable || a.Type == "dynamiczone" || strings.HasSuffix(a.Relation, "ToMany")
}

// target returns the content type to which a relation leads: "page" for "api::page.page".
func (a attribute) target() string {
	_, name, _ := strings.Cut(a.Target, ".")
	return name
}

func (s *strapi) files() (files []file) {
	for _, f := range s.Files {
		files = append(files, f.file())
	}
	return files
}

func (f strapiFile) file() file {
	made := file{Tag: fmt.Sprintf("%d %s", f.ID, f.DocumentID), Name: f.Name}
	made.Caption, _ = f.Caption.(string)
	made.Alt, _ = f.AlternativeText.(string)
	return made
}

// batches returns a line for each document in each locale. The group of a line is the document.
func (s *strapi) batches(t *testing.T) (batches []batch) {
	t.Helper()
	for _, name := range s.order() {
		b := batch{collection: name}
		for _, document := range s.Documents[name] {
			b.lines = append(b.lines, strapiLine{s, t, newLinks()}.of(name, document))
		}
		batches = append(batches, b)
	}
	return batches
}

func groupOf(target string, document any) string {
	return target + "/" + document.(object)["documentId"].(string)
}

// strapiLine makes the line of a document.
type strapiLine struct {
	*strapi
	t     *testing.T
	links *links
}

func (m strapiLine) of(name string, document object) line {
	l := line{
		Group: groupOf(name, document), Locale: document["locale"].(string), CreatedAt: document["createdAt"],
		Published: document["publishedAt"] != nil, PublishedAt: document["publishedAt"],
		Fields: object{"documentId": document["documentId"], "strapiId": document["id"]}, Relations: object{}, Media: object{}, Links: m.links,
	}
	for name, a := range m.ContentTypes[name].Attributes {
		switch value := document[name]; a.Type {
		case "relation":
			l.Relations[name] = each(value, func(one any) any { return object{"group": groupOf(a.target(), one)} })
		case "media":
			l.Media[name] = each(value, func(one any) any { return m.file(one).named(m.t) })
		default:
			l.Fields[name] = m.value(a, value)
		}
	}
	return l
}

// each returns change of a value, or of each element of a list. null stays null.
func each(value any, change func(one any) any) any {
	switch value := value.(type) {
	case nil:
		return nil
	case []any:
		all := []any{}
		for _, one := range value {
			all = append(all, change(one))
		}
		return all
	}
	return change(value)
}

func (m strapiLine) file(shown any) file {
	id := int(shown.(object)["id"].(float64))
	return m.Files[slices.IndexFunc(m.Files, func(f strapiFile) bool { return f.ID == id })].file()
}

// value returns the value of an attribute in a document or item.
func (m strapiLine) value(a attribute, value any) any {
	switch a.Type {
	case "component", "dynamiczone":
		return each(value, func(one any) any { return m.item(a, one.(object)) })
	case "relation":
		return each(value, func(one any) any {
			group := groupOf(a.target(), one)
			return m.links.entry(group, object{"collection": a.target(), "group": group})
		})
	case "media":
		return each(value, func(one any) any { return m.links.file(m.file(one).Tag, m.file(one).named(m.t)) })
	}
	return value
}

// item returns the item of a component. Ids are unique among the items of one component only, so that
// the key has the component too.
func (m strapiLine) item(a attribute, shown object) object {
	item, component := object{}, a.Component
	if component == "" {
		component = shown["__component"].(string)
		item["_type"] = strings.ReplaceAll(component, ".", "-")
	}
	if a.many() {
		item["_key"] = fmt.Sprintf("%s-%v", strings.ReplaceAll(component, ".", "_"), shown["id"])
	} else {
		item["strapiId"] = shown["id"]
	}
	for name, inner := range m.Components[component].Attributes {
		item[name] = m.value(inner, shown[name])
	}
	return item
}

// read returns the export of a project. The schemas are those of s.
func (s *strapi) read(t *testing.T, p *project) any {
	t.Helper()
	r := strapiReader{s, t, p.library(t)}
	read := strapi{Locales: s.Locales, ContentTypes: s.ContentTypes, Components: s.Components, Documents: map[string][]object{}}
	for _, item := range r.library {
		read.Files = append(read.Files, r.file(item))
	}
	slices.SortFunc(read.Files, func(a, b strapiFile) int { return a.ID - b.ID })
	for _, name := range s.order() {
		for _, locale := range s.Locales {
			for _, e := range s.entriesOf(t, p, name, locale) {
				document := r.attributes(s.ContentTypes[name], e)
				for _, same := range []string{"documentId", "locale", "createdAt", "publishedAt"} {
					document[same] = e[same]
				}
				document["id"] = e["strapiId"]
				read.Documents[name] = append(read.Documents[name], document)
			}
		}
	}
	return read
}

// entriesOf returns the entries of a content type in a locale.
func (s *strapi) entriesOf(t *testing.T, p *project, name, locale string) []object {
	t.Helper()
	if s.ContentTypes[name].Kind != "singleType" {
		return p.entries(t, name, locale)
	}
	var single object
	p.request(t, "GET", "/public/v2/projects/"+p.uuid+"/collections/"+name+"/entry?timestamps=true&locale="+locale, nil, p.token, &single)
	return []object{single}
}

// strapiReader makes documents of Strapi from entries of a project.
type strapiReader struct {
	*strapi
	t       *testing.T
	library map[float64]object
}

func (r strapiReader) attributes(of strapiType, values object) object {
	shown := object{}
	for name, a := range of.Attributes {
		shown[name] = r.value(a, values[name])
	}
	return shown
}

func (r strapiReader) value(a attribute, value any) any {
	switch a.Type {
	case "component", "dynamiczone":
		return each(value, func(one any) any { return r.item(a, one.(object)) })
	case "relation":
		return each(value, func(one any) any { return object{"documentId": one.(object)["documentId"]} })
	case "media":
		return each(value, func(one any) any { return r.file(r.library[one.(object)["id"].(float64)]) })
	}
	return value
}

func (r strapiReader) item(a attribute, item object) object {
	component := a.Component
	if component == "" {
		component = strings.Replace(item["_type"].(string), "-", ".", 1)
	}
	shown := r.attributes(r.Components[component], item)
	shown["id"] = item["strapiId"]
	if key, listed := item["_key"].(string); listed {
		id, err := strconv.Atoi(key[strings.LastIndex(key, "-")+1:])
		ok(r.t, err)
		shown["id"] = id
	}
	if a.Type == "dynamiczone" {
		shown["__component"] = component
	}
	return shown
}

func (r strapiReader) file(item object) strapiFile {
	tag := item["tags"].([]any)[0].(string)
	f := strapiFile{Name: item["fileName"].(string), AlternativeText: item["alt"], Caption: item["caption"], Width: item["width"], Height: item["height"], Mime: item["mimeType"].(string)}
	_, err := fmt.Sscanf(tag, "%d %s", &f.ID, &f.DocumentID)
	ok(r.t, err)
	f.Ext, f.URL, f.Size = path.Ext(f.Name), "/uploads/"+f.Name, math.Round(item["size"].(float64)/10)/100
	return f
}
