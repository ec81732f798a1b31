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
}
