package core

// Written is the result of a write of an entry.
type Written struct {
	Entry

	Schema Schema
	// Submitted reports that the write asked for a publication that needs an approval request.
	Submitted bool
	// Planned reports that the entry may have an approval request or a schedule.
	Planned bool
	// Dropped has the names of the fields of a restored revision that no longer exist, without
	// those of secret fields.
	Dropped []string
	// Cleaned has what the write removed from its values.
	Cleaned []Cleaned
}

// Cleaned is what a write removed from a value, because values of its type may not contain it.
type Cleaned struct {
	Location string   // "fields.body", "fields.notes[2]"
	Removed  []string // names of elements and attributes: "style (3)", "script"
}
