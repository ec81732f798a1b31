package importing

import (
	"context"
	"encoding/json"
	"time"
)

// Source is the export of another system. Its methods may be called several times.
type Source interface {
	// System is its name: "wordpress". It is a part of the groups of entries.
	System() string
	// Site identifies the installation of the system that the export is from, so that the ids of two do not meet.
	Site() string
	// Survey returns what is in the export, and what it should become.
	Survey() Survey
	// Files calls each with the files, each id once.
	Files(ctx context.Context, each func(File) error) error
	// Entries calls each with the entries. Those in the default locale come before their translations.
	Entries(ctx context.Context, each func(*Entry) error) error
}

// Survey is what a Source has.
type Survey struct {
	Components  []Suggestion
	Collections []Suggestion
	Locales     []string          // of the source, the default one first; none: it has no locales
	People      map[string]string // names by logins
	Addresses   map[string]string // e-mail addresses by logins, to find users by; they are not imported
}

// Suggestion is a kind of entries or items of a source, and the definition that it should become.
type Suggestion struct {
	From string
	Definition
	Fields []string // of the source, one for each field of the Definition
}

// Ref names an entry of the source.
type Ref struct{ Kind, ID string }

// Entry is one entry of the source, in one locale.
type Entry struct {
	Ref
	Locale      string
	Draft       map[string]Value // by the names of fields in the source
	Public      map[string]Value // nil: as the draft
	Published   bool
	PublishAt   time.Time // zero: none
	PublishedAt time.Time
	CreatedAt   time.Time
	Paths       []string // old addresses
	Lost        []Lost   // what is not in the values; their Origin is that of the entry
	Skipped     string   // why the entry is not imported; empty: it is
}

// Value is a value of a source. One of its members is set.
type Value struct {
	JSON   json.RawMessage
	Refs   []Ref    // of a relation
	Files  []string // ids of files
	Markup *Markup
	Items  []Item
	Person string // a login of Survey.People
}

// Markup is rich text. In elements a and img, data-entry="1" is the first of Refs, and data-media="1" the first of
// Files. An address beside it is kept if the target does not come along.
type Markup struct {
	Text  string
	Refs  []Ref
	Files []string
}

// Item is an item of a component of the source.
type Item struct {
	Kind   string
	Key    string // identifies it in its list
	Fields map[string]Value
}

// Lose adds a row to the entry.
func (e *Entry) Lose(what, field, reason string, value json.RawMessage) {
	e.Lost = append(e.Lost, Lost{Field: field, What: what, Reason: reason, Value: value})
}

// Text returns the value of a text.
func Text(text string) Value {
	raw, _ := json.Marshal(text) // a text
	return Value{JSON: raw}
}
