package entryindex

import "imprimatur/core"

// Shelf is the version of an entry that a row of entry_index holds.
type Shelf int64

// The shelves. An entry has one row, on Published or Draft. While a published entry has
// unpublished changes, it has a second row on Changes.
const (
	Published Shelf = iota // the published version, and the draft unless it differs
	Draft                  // the draft of an unpublished entry
	Changes                // the draft of a published entry, if it differs
)

// The columns of entry_index with the locales that a row serves, as masks; see core.Project.LocaleMask.
const (
	// Serves is the mask for readers of published entries (rows on Published) and of
	// unpublished entries (rows on Draft). It is 0 on Changes.
	Serves = "serves"
	// ServesDraft is the mask for readers of all entries with their drafts. It is 0 on
	// Published if the entry has a row on Changes.
	ServesDraft = "serves_draft"
)

// States are all states that readers can ask for.
var States = [...]core.State{core.StatePublished, core.StateOnlyDraft, core.StateWithDraft}

// View is a shelf that readers in one state see.
type View struct {
	Shelf Shelf
	// Mask is the column with the locales that a row serves.
	Mask string
	// Partly is set if rows with an empty mask are replaced by a row on another shelf.
	Partly bool
}

// Views returns the shelves that readers in state see. Together they have one row per visible
// entry.
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

// MaskOf returns the mask column for readers in state.
func MaskOf(state core.State) string {
	if state == core.StateWithDraft {
		return ServesDraft
	}
	return Serves
}

// A scope is a collection, a shelf and a locale in one number. The indexes of slots begin with
// the Project and the scope. The single number keeps index keys short.
const (
	ScopesPerCollection = 256
	ScopesPerShelf      = 64 // greater than the number of locales of a Project
)

// Scope returns the scope of a collection, a shelf and a locale number.
func Scope(collectionID int64, shelf Shelf, locale int) int64 {
	return collectionID*ScopesPerCollection + int64(shelf)*ScopesPerShelf + int64(locale)
}

// Versions is a set of versions of an entry, as stored in entry_values and entry_texts.
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
