package importing

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
)

// Definition is a collection or component of a schema.File.
type Definition = definition.CollectionInput

// Content is what an Importer writes. Its methods may be called several times.
type Content interface {
	// Definitions returns the definitions that the lines need.
	Definitions() schema.File
	// Files calls each with the files of the content, each id once.
	Files(ctx context.Context, each func(File) error) error
	// Lines calls each with the lines. The line in the default locale comes before others of its group.
	Lines(ctx context.Context, each func(*Line) error) error
}

// Origin is where a line or a file comes from.
type Origin struct {
	Kind   string `json:"kind"`
	ID     string `json:"id"`
	Locale string `json:"locale,omitempty"`
}

// File is a file for the media library.
type File struct {
	ID     string // names it in the lines
	Origin Origin
	Name   string // its file name; empty: as its place has it
	// Open opens the bytes where they are on this machine. nil: the file is at URL.
	Open func() (io.ReadCloser, error)
	URL  string

	Alt, Caption, Folder string
	Tags                 []string
	Lost                 []Lost
}

// Missing returns the Open of a File that the source names and does not have, for this reason.
func Missing(reason string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		return nil, core.Invalid(core.FieldError{Location: "file", Message: reason})
	}
}

// FileRef is a file of the content, by its id, or one of the library, by the hash of its bytes.
type FileRef struct {
	File     string `json:"file,omitempty"`
	Hash     string `json:"hash,omitempty"`
	FileName string `json:"fileName,omitempty"`
}

// Target is an entry that a relation or a link points to: by its group, by its key, or both.
type Target struct {
	Collection string          `json:"collection,omitempty"`
	Group      string          `json:"group,omitempty"`
	Key        json.RawMessage `json:"key,omitempty"`
}

// Links says what the ids inside of values mean: those of data-media and data-entry in rich text, and of references
// in items.
type Links struct {
	Media   map[string]FileRef `json:"media,omitempty"`
	Entries map[string]Target  `json:"entries,omitempty"`
}

// Version is one version of an entry.
type Version struct {
	Fields    map[string]json.RawMessage `json:"fields,omitempty"`
	Relations map[string][]Target        `json:"relations,omitempty"`
	Media     map[string][]FileRef       `json:"media,omitempty"`
	Links     Links                      `json:"links,omitzero"`
}

// Line is one entry, or one with its translations, as package core/transfer imports it.
type Line struct {
	From         Origin                                `json:"from"`
	Collection   string                                `json:"collection"` // its key
	Group        string                                `json:"group"`
	Locale       string                                `json:"locale,omitempty"`
	Key          json.RawMessage                       `json:"key,omitempty"`
	ByKey        bool                                  `json:"byKey,omitempty"` // the key may name an entry that was not imported
	Draft        Version                               `json:"draft"`
	Public       *Version                              `json:"public,omitempty"` // nil: as the draft
	Published    bool                                  `json:"published,omitempty"`
	PublishAt    *time.Time                            `json:"publishAt,omitempty"`
	UnpublishAt  *time.Time                            `json:"unpublishAt,omitempty"`
	PublishedAt  *time.Time                            `json:"publishedAt,omitempty"`
	CreatedAt    *time.Time                            `json:"createdAt,omitempty"`
	Inherit      *bool                                 `json:"inherit,omitempty"`
	Translations map[string]map[string]json.RawMessage `json:"translations,omitempty"`
	// Paths are the addresses that the entry had: they end with its former slugs.
	Paths []string `json:"paths,omitempty"`
	// Lost is what the source has and the line has not.
	Lost []Lost `json:"lost,omitempty"`
	// Skipped is the reason why the line is not to be written; empty: it is.
	Skipped string `json:"skipped,omitempty"`
}

// What a Lost is.
const (
	LostEntry   = "entry"   // it was not written
	LostFile    = "file"    // it was not added to the library
	LostValue   = "value"   // a field was left out
	LostPart    = "part"    // a part of a value was left out
	LostMarkup  = "markup"  // elements and attributes of rich text were left out
	LostState   = "state"   // it was written, but not published, or without a date
	LostNothing = "nothing" // it was written as it is, but breaks a rule of its definition
)

// Lost is a row of the report: something that has no place here, or not the one it had.
type Lost struct {
	Origin

	Field  string          `json:"field,omitempty"`
	What   string          `json:"what"`
	Reason string          `json:"reason"`
	Value  json.RawMessage `json:"value,omitempty"`
}

// lose adds a row to the line.
func (l *Line) lose(what, field, reason string, value json.RawMessage) {
	l.Lost = append(l.Lost, Lost{Origin: l.From, Field: field, What: what, Reason: reason, Value: value})
}
