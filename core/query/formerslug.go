package query

import "imprimatur/core"

// MaxFormerSlugs is the number of former slugs that are kept of an entry, the latest ones.
const MaxFormerSlugs = 20

// FormerSlug is a value that the slug field of a public entry had in an earlier public version.
type FormerSlug struct {
	SlugIn

	EntryID int64  // the latest holder
	Present string // the slug of its public version
}

// EntrySlug is a slug that an entry had.
type EntrySlug struct {
	EntryID int64
	Slug    string
}

// SlugIn is a slug in a locale.
type SlugIn struct{ Locale, Slug string }

// FormerQuery selects former slugs of the entries of a collection.
type FormerQuery struct {
	ProjectID    int64
	CollectionID int64
	Field        *core.Field // of the slugs: core.Collection.SlugField
	Locale       string      // empty: of every locale
	Slug         string      // empty: every slug
	After        SlugIn      // only those that follow it
	Limit        int
}
