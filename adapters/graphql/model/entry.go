package model

import "context"

// EntryConnection is a window of a list of entries.
type EntryConnection interface {
	// The entries of the window.
	Items(ctx context.Context) ([]Entry, error)
	// Total number of matching entries. They are counted only when this field is
	// selected.
	TotalCount(ctx context.Context) (*int32, error)
}

// Entry is one piece of content in one locale.
type Entry struct {
	ID ID
	// The locale the entry is written in.
	Locale *string
	// Null unless timestamps is true.
	CreatedAt *DateTime
	// Null unless timestamps is true.
	UpdatedAt *DateTime
	// Null for an entry that is not published.
	PublishedAt *DateTime
	// The entry as in the REST API: its system members and its fields.
	Data JSONObject
}
