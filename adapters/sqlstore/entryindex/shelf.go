package entryindex

import "imprimatur/core"

// Shelf says which version of an entry a row of entry_index holds.
type Shelf int64

// The shelves. An entry has a row on Published or on Draft, and on Changes beside Published
// while its draft differs from what readers see.
const (
	Published Shelf = iota // the published version, and the draft as well unless it differs
	Draft                  // the draft of an entry that is not published
	Changes                // the draft of a published entry, where it differs
)

// The columns of entry_index that say which locales a row answers for, as masks: bit n is
// locale number n of the Project.
const (
	// Serves is for readers of the row's own version alone: of published entries on
	// Published, of unpublished entries on Draft. It is 0 on Changes.
	Serves = "serves"
	// ServesDraft is for readers of all drafts. It is 0 on Published where a row on Changes
	// takes its place.
	ServesDraft = "serves_draft"
)

// View is one shelf as readers in one state see it.
type View struct {
	Shelf Shelf
	// Mask is the column that says which locales a row answers for.
	Mask string
	// Partly says that rows with an empty mask belong to another shelf's row.
	Partly bool
}

// Views returns the shelves that readers in state see. Together they have one row per entry.
func Views(state core.State) []View {
	switch state {
	case core.StatePublished:
		return []View{{Shelf: Published, Mask: Serves}}
	case core.StateOnlyDraft:
		return []View{{Shelf: Draft, Mask: Serves}}
	default:
		return []View{{Shelf: Draft, Mask: ServesDraft}, {Shelf: Changes, Mask: ServesDraft}, {Shelf: Published, Mask: ServesDraft, Partly: true}}
	}
}

// MaskOf returns the mask column that readers in state go by.
func MaskOf(state core.State) string {
	if state == core.StateWithDraft {
		return ServesDraft
	}
	return Serves
}

// Scopes are collections, shelves and locales in one number: every index of a slot begins
// with it, after the Project. A narrow key makes for short scans.
const (
	ScopesPerCollection = 256
	ScopesPerShelf      = 64 // more than a Project can have locales
)

// Scope returns the scope of the rows of a collection on one shelf and in one locale, given
// by its number.
func Scope(collectionID int64, shelf Shelf, locale int) int64 {
	return collectionID*ScopesPerCollection + int64(shelf)*ScopesPerShelf + int64(locale)
}

// Versions is a set of versions of an entry, as entry_values and entry_texts keep it.
type Versions int64

// The versions.
const (
	InPublished Versions = 1
	InDraft     Versions = 2
)

// VersionOf returns the version that readers in state see.
func VersionOf(state core.State) Versions {
	if state == core.StatePublished {
		return InPublished
	}
	return InDraft
}
