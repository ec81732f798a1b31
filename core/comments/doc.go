// Package comments has the comments on requests: on the snapshot of an entry, on one of its fields, items or passages, and
// on a release or its members.
//
// A Thread has the comments of one round, the request that is being decided. Comments are no actions of the record.
// Those that are open come along into the next round of their entry or release; if their place is gone there, they are
// outdated. Package approval finds the request and holds it while a Thread changes.
//
// place.go finds the places of comments in a snapshot, mention.go the users that a text names.
package comments
