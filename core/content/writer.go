package content

import (
	"encoding/json"
	"time"

	"imprimatur/ports"
)

// Writer changes entries. All its methods, Destroy aside, answer the entry as
// Managed. They share these errors:
//
//   - core.ErrNotFound: the collection is not the Project's, or has no such entry.
//     An entry in the trash is found by Restore and Destroy alone.
//   - core.KindInvalid: all that is wrong with the values at once, by location:
//     "fields.title", "fields.tags[2]", "locale", "translationOf", "publishAt".
//   - core.ErrPrecondition: ifMatch is given and is not the entry's Version. Without
//     it the last write wins.
//   - core.ErrConflict: the entry is not in a state for this.
type Writer struct {
	tx      ports.Tx
	stores  ports.Stores
	gate    ports.PublishGate
	hasher  ports.PasswordHasher
	clock   ports.Clock
	changes ports.Changes
}

// NewWriter returns a Writer over these parts.
func NewWriter(tx ports.Tx, stores ports.Stores, gate ports.PublishGate, hasher ports.PasswordHasher, clock ports.Clock, changes ports.Changes) *Writer {
	return &Writer{tx: tx, stores: stores, gate: gate, hasher: hasher, clock: clock, changes: changes}
}

// Write is what a caller wants of an entry. Absent members leave things as they are.
type Write struct {
	// Locale is one of the Project's locales, in any case. On create it defaults to
	// the Project's; afterwards it can only repeat what the entry has.
	Locale *string
	// TranslationOf is the id of an entry of the same collection whose translation
	// group the new entry joins; afterwards it can only repeat the group.
	TranslationOf *int64
	// Published is the box: true wants the draft public, false takes the entry back,
	// nil leaves the entry as it is, so that a Published one follows its draft where
	// no workflow governs the Project.
	Published *bool
	// PublishAt goes with Published true.
	PublishAt *time.Time
	// Fields holds raw JSON by field name; null clears a field.
	Fields map[string]json.RawMessage
}
