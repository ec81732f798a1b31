// Package entrystatus has the statuses of entries in the lists of the dashboard, and the facts from which they follow.
//
// An entry has the Status of the first of Rules whose facts it has.
package entrystatus
