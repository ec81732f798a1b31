// Package validation checks values by the definitions of their fields. Definitions check their
// defaults with it, writes their input, and the dashboard's reads list what a draft lacks.
//
// A value is checked in two steps. [Canonical] checks its type and returns its canonical form, which
// is stored. [Document] checks the options that a draft need not meet and a published version must:
// required, min, pattern. ports.Targets adds whether references have targets.
package validation
