package core

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"time"

	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/slug"
)

// FieldType is the name of a type of field. Package fieldtype has the types.
type FieldType = fieldtype.Name

// The field types that code outside package fieldtype refers to.
const (
	TypeText        FieldType = "text"
	TypeLongText    FieldType = "longtext"
	TypeRichText    FieldType = "richtext"
	TypeSlug        FieldType = "slug"
	TypeEmail       FieldType = "email"
	TypeURL         FieldType = "url"
	TypePassword    FieldType = "password"
	TypeNumber      FieldType = "number"
	TypeBoolean     FieldType = "boolean"
	TypeDate        FieldType = "date"
	TypeTime        FieldType = "time"
	TypeDateTime    FieldType = "datetime"
	TypeEnumeration FieldType = "enumeration"
	TypeColor       FieldType = "color"
	TypeJSON        FieldType = "json"
	TypeMedia       FieldType = "media"    // the id of a media item
	TypeRelation    FieldType = "relation" // the id of a translation group
	TypeGroup       FieldType = "group"    // items of one component
	TypeBlocks      FieldType = "blocks"   // items of several components
)

// Field is one field of a collection. Its Name, Type and Multiple never change. A removed field
// stays in Collection.Removed: a field of that name that is added again gets its values back. While an
// entry or a past revision has one, it can be added again only with the same type.
type Field struct {
	// ID is unique within the collection and never reused.
	ID    int       `json:"id"`
	Name  string    `json:"name"`
	Label string    `json:"label"`
	Help  string    `json:"help,omitempty"` // what editors should know, shown with the control
	Type  FieldType `json:"type"`

	Required bool `json:"required,omitempty"`
	Unique   bool `json:"unique,omitempty"` // among the entries of one collection and locale
	Multiple bool `json:"multiple,omitempty"`
	Hidden   bool `json:"hidden,omitempty"` // never returned, filtered on or sorted by

	// Min and Max are the bounds of the value of a number, or of the length of a text in
	// code points. For a multiple field they are the bounds of the number of values.
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	Pattern string   `json:"pattern,omitempty"` // RE2; matches the whole value
	// PatternMessage is the fault of values that do not match Pattern. Empty: one that quotes Pattern.
	PatternMessage string     `json:"patternMessage,omitempty"`
	Choices        []string   `json:"choices,omitempty"`    // of an enumeration
	Source         string     `json:"source,omitempty"`     // of a slug: the field that it is derived from
	Style          slug.Style `json:"style,omitempty"`      // of a slug; empty: slug.ASCII
	Path           bool       `json:"path,omitempty"`       // of a slug: it can have several parts, joined by "/"
	Collection     string     `json:"collection,omitempty"` // of a relation: the slug of the target collection
	// Collections are, of a relation to several collections, the slugs of these. Collection is then empty.
	Collections []string `json:"collections,omitempty"`
	Component   string   `json:"component,omitempty"`  // of a group: the slug of the component of its items
	Components  []string `json:"components,omitempty"` // of blocks: the slugs of the components of its items
	// Former has the slugs that Components or Collections had before: entries may still have items of
	// them, or references to their entries.
	Former  []string        `json:"former,omitempty"`
	Default json.RawMessage `json:"default,omitempty"`

	// Indexed requests a typed slot; nil: the default of the type.
	Indexed *bool `json:"indexed,omitempty"`
	// Filterable, of a field of a component, makes it a leaf of the collections whose fields hold items
	// of the component directly.
	Filterable bool `json:"filterable,omitempty"`
	// Searchable, of a text, makes searches find its words, and requests a trigram index for the operator
	// "like". Both cost writes.
	Searchable bool `json:"searchable,omitempty"`

	// Slot is the typed index column that holds the field's values: "t1"…"t8" text,
	// "n1"…"n8" numbers and booleans, "d1"…"d4" times; empty when it has none.
	Slot string `json:"slot,omitempty"`
	// SlotReady is false while a back-fill writes the values of existing entries to Slot.
	// Until then queries read the field from the documents.
	SlotReady bool `json:"slotReady,omitempty"`
	// SearchReady is false while a back-fill writes the texts of existing entries to the
	// trigram index, see Collection.SearchIndexed. Until then "like" scans the documents.
	SearchReady bool `json:"searchReady,omitempty"`

	parts Components // the components of the Project, set by Components.Bind
	leaf  *leaf      // of a leaf of a collection, set by Collection.bindLeaves
}

// Kind returns how the field's values compare. Values of an unknown type are opaque.
func (f *Field) Kind() fieldtype.Kind {
	if t := fieldtype.Of(f.Type); t != nil {
		return t.Kind
	}
	return fieldtype.Opaque
}

// Options returns the options that a check of the field's values depends on.
func (f *Field) Options() fieldtype.Options {
	return fieldtype.Options{
		Multiple: f.Multiple, Min: f.Min, Max: f.Max, Pattern: f.Pattern, PatternMessage: f.PatternMessage, Choices: f.Choices, Style: f.Style, Path: f.Path,
	}
}

// Missing reports whether a value of the field counts as none for required, min and unique: it is
// nil, or all its values are Blank.
func (f *Field) Missing(value json.RawMessage) bool {
	missing := true
	canonical.Elements(value, func(element []byte) { missing = missing && f.Blank(element) })
	return missing
}

// Blank reports whether one canonical value of the field is a text that shows nothing, or an item that the
// field does not admit.
func (f *Field) Blank(element []byte) bool {
	if f.Structured() {
		return f.ComponentOf(element) == nil
	}
	t := fieldtype.Of(f.Type)
	if t == nil || t.Blank == nil {
		return false
	}
	text, ok := canonical.Text(element)
	return ok && t.Blank(text)
}

// DeriveSlug returns the slug that the field's values get from a text in a locale, without the number that
// makes it unique. It is empty if the text has none.
func (f *Field) DeriveSlug(text, locale string) string { return slug.Derive(text, locale, f.Style) }

// DerivedSlugs returns the names of the slugs in doc that are made from the values of their sources
// in it, without secret ones.
func (c *Collection) DerivedSlugs(doc Document, locale string) []string {
	var names []string
	for _, f := range c.Fields {
		if f.Source == "" || f.Secret() {
			continue
		}
		value, _ := canonical.Text(doc.Value(f.Name))
		source, _ := canonical.Text(doc.Value(f.Source))
		if value != "" && slug.MadeFrom(value, f.DeriveSlug(source, locale), f.MaxSlug()) {
			names = append(names, f.Name)
		}
	}
	return names
}

// MaxSlug is the maximum length in characters of the slugs that the field's values get.
func (f *Field) MaxSlug() int {
	if f.Max == nil {
		return math.MaxInt
	}
	return int(*f.Max)
}

// Comparable reports whether conditions can compare the field's values, so that indexes have them.
// Values of long texts are not compared: only like, null and not_null apply to them.
func (f *Field) Comparable() bool {
	return f.Kind() != fieldtype.Opaque && !fieldtype.Of(f.Type).LongText
}

// Keyed reports whether the field's values are texts with an order: indexes store their words.Key.
func (f *Field) Keyed() bool { return f.Kind() == fieldtype.Text && f.Ordered() }

// Sortable reports whether entries can be sorted by the field.
func (f *Field) Sortable() bool {
	kind := f.Kind()
	return !f.Multiple && (f.leaf == nil || f.Slot != "") && (kind == fieldtype.Number || kind == fieldtype.Time || f.Keyed())
}

// Listed reports whether the value table, not a slot, holds the field's values: for multiple
// fields, references and leaves without a slot.
func (f *Field) Listed() bool {
	return f.Comparable() && (f.Multiple || f.Kind() == fieldtype.Reference || f.leaf != nil && f.Slot == "")
}

// Secret reports whether the field is never returned, filtered on or sorted by.
func (f *Field) Secret() bool {
	t := fieldtype.Of(f.Type)
	return f.Hidden || t != nil && t.Secret
}

// Readable reports whether editors may read the field's values: not those of passwords.
func (f *Field) Readable() bool {
	t := fieldtype.Of(f.Type)
	return t != nil && !t.Secret
}

// Collection is a user-defined type of content.
type Collection struct {
	ID          int64
	ProjectID   int64
	Slug        string // unique in the Project; only a file of definitions changes it
	OwnKey      string // Key, if it is not Slug
	Name        string
	Description string
	Icon        Icon
	// PreviewURL is the address at which a site draws a preview of an entry, with the placeholders {id}, {group},
	// {locale} and {<field>}. Its origin is one of Project.PreviewOrigins. "": none.
	PreviewURL string
	// Singleton limits the entries outside the trash to one translation group.
	Singleton   bool
	Fields      []*Field // in the order they are shown
	Removed     []*Field // removed fields
	Leaves      []*Field // what queries may use inside of items, see leaf.go
	NextFieldID int
	Version     int64 // counts the changes of this definition
	// Forms is the words.Version by which the entries are indexed; empty: several or unknown ones.
	// FormsReady is false while a back-fill indexes the existing entries by it.
	Forms      string
	FormsReady bool
	// WordsEpoch counts the changes after which searches must not find words that entries still have in
	// the index. Searches find only entries that were indexed after the last one.
	WordsEpoch int
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Key returns what identifies c in files of definitions and in sealed contents. It never changes.
func (c *Collection) Key() string { return cmp.Or(c.OwnKey, c.Slug) }

// Field returns the field of that name, secret ones included, or nil.
func (c *Collection) Field(name string) *Field {
	return first(c.Fields, func(f *Field) bool { return f.Name == name })
}

// first returns the first element that matches, or nil.
func first[T any](list []*T, match func(*T) bool) *T {
	i := slices.IndexFunc(list, match)
	if i < 0 {
		return nil
	}
	return list[i]
}

// maxTitle is the maximum length of a title in characters.
const maxTitle = 200

// TitleField returns the field whose value names an entry of c in lists. Among the text fields
// with a single value that are not hidden it is the first one named "title" or "name", or else
// the first. It returns nil when c has none.
func (c *Collection) TitleField() *Field {
	var first *Field
	for _, f := range c.Fields {
		switch {
		case f.Type != TypeText || f.Multiple || f.Hidden:
		case f.Name == "title" || f.Name == "name":
			return f
		case first == nil:
			first = f
		}
	}
	return first
}

// SlugField returns the field whose value names an entry of c in addresses: the first slug field with a
// single value that is not hidden. It returns nil when c has none.
func (c *Collection) SlugField() *Field {
	for _, f := range c.Fields {
		if f.Type == TypeSlug && !f.Multiple && !f.Secret() {
			return f
		}
	}
	return nil
}

// SearchIndexed reports whether the texts of f, a field of c, are in the trigram index: those of
// Searchable fields, and titles, by which ports.TitleFinder.Titled finds entries.
func (c *Collection) SearchIndexed(f *Field) bool { return f.Searchable || f == c.TitleField() }

// Title returns the first 200 characters of the value of c.TitleField in doc, or "" without such
// a value.
func (c *Collection) Title(doc Document) string {
	f := c.TitleField()
	if f == nil {
		return ""
	}
	value, _ := DecodeValue(f.Type, doc.Value(f.Name))
	title := []rune(value.Text)
	return string(title[:min(len(title), maxTitle)])
}

// Slugged returns the value of the first slug field of c in doc, or "" without one.
func (c *Collection) Slugged(doc Document) string {
	for _, f := range c.Fields {
		if f.Type == TypeSlug && !f.Hidden {
			value, _ := DecodeValue(f.Type, doc.Value(f.Name))
			return value.Text
		}
	}
	return ""
}

// Hides reports whether the field of that id is secret, or was secret when it was removed.
func (c *Collection) Hides(fieldID int) bool {
	hidden := func(f *Field) bool { return f.ID == fieldID && f.Secret() }
	return slices.ContainsFunc(c.Fields, hidden) || slices.ContainsFunc(c.Removed, hidden)
}

// SameContent reports whether a and b have the same values of c's fields. Values of removed
// fields do not count.
func (c *Collection) SameContent(a, b Document) bool {
	return string(a) == string(b) || (len(c.Removed) > 0 || c.Structured()) && string(c.Present(a)) == string(c.Present(b))
}

// Present returns doc without the values of removed fields, and without the items that their fields
// do not admit.
func (c *Collection) Present(doc Document) Document {
	doc = c.without(doc, func(f *Field) bool { return slices.Contains(c.Removed, f) })
	if !c.Structured() {
		return doc
	}
	return doc.Edit(func(name string, value json.RawMessage) json.RawMessage {
		if f := c.Field(name); f != nil {
			return f.Present(value)
		}
		return value
	})
}

// without returns doc without the values of the fields of c that match, removed fields included.
func (c *Collection) without(doc Document, match func(*Field) bool) Document {
	var names []string
	for _, f := range slices.Concat(c.Fields, c.Removed) {
		if match(f) && doc.Value(f.Name) != nil {
			names = append(names, f.Name)
		}
	}
	if names == nil && doc != nil {
		return doc
	}
	values := doc.Values()
	for _, name := range names {
		delete(values, name)
	}
	return NewDocument(values)
}

// UniqueValues returns the values of doc that no other entry of the collection and
// locale may hold. Blank values are not among them.
func (c *Collection) UniqueValues(doc Document) []UniqueValue {
	var values []UniqueValue
	doc.Each(func(name, raw []byte) {
		f := c.Field(string(name))
		if f == nil || !f.Unique || f.Blank(raw) {
			return
		}
		if value, ok := DecodeValue(f.Type, raw); ok {
			values = append(values, UniqueValue{f.Name, value})
		}
	})
	return values
}

// The system fields. Queries may use them like fields of the collection. Their names are
// reserved.
var (
	SystemID          = &Field{Name: "id", Type: TypeNumber}
	SystemLocale      = &Field{Name: "locale", Type: TypeText}
	SystemPublishedAt = &Field{Name: "publishedAt", Type: TypeDateTime}
	SystemCreatedAt   = &Field{Name: "createdAt", Type: TypeDateTime}
	SystemUpdatedAt   = &Field{Name: "updatedAt", Type: TypeDateTime}
)

var systemFields = []*Field{SystemID, SystemLocale, SystemPublishedAt, SystemCreatedAt, SystemUpdatedAt}

// SystemField returns the system field of that name, or nil.
func SystemField(name string) *Field {
	return first(systemFields, func(f *Field) bool { return f.Name == name })
}

// System reports whether f is a system field.
func (f *Field) System() bool { return slices.Contains(systemFields, f) }

// Queryable returns the field of that name if queries may use it: a system field, or a field
// of the collection that is not secret. It returns nil for any other name.
func (c *Collection) Queryable(name string) *Field {
	if f := SystemField(name); f != nil {
		return f
	}
	if f := c.Field(name); f != nil && !f.Secret() {
		return f
	}
	return c.Leaf(name)
}

// Schema is a collection with the definitions that reads and writes of it need: its Project
// and the collections that its relations point to.
type Schema struct {
	Project     *Project
	Collection  *Collection
	Collections []*Collection // of the Project: all, or at least those that Collection points to
}

// Targets returns the slugs of the collections that c's relations point to, those in items included,
// sorted and without duplicates.
func (c *Collection) Targets() []string {
	var slugs []string
	eachInside(c.Fields, func(f *Field) {
		if f.Type == TypeRelation {
			slugs = append(slugs, f.TargetSlugs()...)
		}
	})
	slices.Sort(slugs)
	return slices.Compact(slugs)
}

// TargetSlugs returns the slugs of the collections that relation field f admits.
func (f *Field) TargetSlugs() []string {
	if f.ToSeveral() {
		return f.Collections
	}
	return []string{f.Collection}
}

// ToSeveral reports whether f is a relation whose definition lists collections. Its values are shown
// with the member RelatedCollection, also if the list has one element.
func (f *Field) ToSeveral() bool { return len(f.Collections) > 0 }

// RelatedCollection is the member of an entry that names its collection, where a relation to several
// collections shows the entry.
const RelatedCollection = "_collection"

// Target returns the collection that f, a relation to one collection, points to, or nil.
func (s Schema) Target(f *Field) *Collection { return s.BySlug(f.Collection) }

// Targets returns the collections that relation field f admits and that exist, in the order of its
// definition.
func (s Schema) Targets(f *Field) (targets []*Collection) {
	for _, slug := range f.TargetSlugs() {
		if c := s.BySlug(slug); c != nil {
			targets = append(targets, c)
		}
	}
	return targets
}

// Admits reports whether relation field f admits entries of the collection with that id.
func (s Schema) Admits(f *Field, collectionID int64) bool {
	c := s.ByID(collectionID)
	return c != nil && (c.Slug == f.Collection || slices.Contains(f.Collections, c.Slug))
}

// BySlug returns the Project's collection with that slug, or nil.
func (s Schema) BySlug(slug string) *Collection {
	return first(s.Collections, func(c *Collection) bool { return c.Slug == slug })
}

// ByKey returns the Project's collection with that key, or nil.
func (s Schema) ByKey(key string) *Collection {
	return first(s.Collections, func(c *Collection) bool { return c.Key() == key })
}

// ByID returns the Project's collection with that id, or nil.
func (s Schema) ByID(id int64) *Collection {
	return first(s.Collections, func(c *Collection) bool { return c.ID == id })
}

// Of returns s with c as its collection. KindNotFound: c is nil.
func (s Schema) Of(c *Collection) (Schema, error) {
	if c == nil {
		return Schema{}, NotFound("collection")
	}
	s.Collection = c
	return s, nil
}

// Visible returns doc without the fields that are secret in c, or were secret when they were
// removed from it.
func (c *Collection) Visible(doc Document) Document { return c.without(doc, (*Field).Secret) }

// Ordered reports whether lt, gt and between apply to f.
func (f *Field) Ordered() bool { return f.Comparable() && !fieldtype.Of(f.Type).Unordered }

// Refers reports whether readers see references to entries of a collection in f: it is a relation that admits them, or
// has rich text or items.
func (s Schema) Refers(f *Field, collectionID int64) bool {
	if f.Secret() || f.IsLeaf() && !f.SlotReady {
		return false
	}
	return f.Type == TypeRelation && s.Admits(f, collectionID) || f.RefersInside()
}

// Tallied reports whether entries can be counted by the field: an index has its values.
func (f *Field) Tallied() bool {
	switch {
	case f.System():
		return f.Kind() == fieldtype.Time
	case f.Type == TypeMedia || !f.Comparable():
		return false
	case f.Listed():
		return f.Kind() != fieldtype.Time
	default:
		return f.Slot != "" && f.SlotReady
	}
}
