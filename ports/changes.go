package ports

// ChangeKind is the kind of thing that a Change names.
type ChangeKind string

// The kinds of Change, with the meaning of ID.
const (
	ChangeContent ChangeKind = "content" // entries or media of Project ID
	ChangeSchema  ChangeKind = "schema"  // Project ID, or a collection of it
	ChangeToken   ChangeKind = "token"   // tokens; ID is 0
	ChangeAccount ChangeKind = "account" // accounts, roles or sessions; ID is 0
	ChangeAll     ChangeKind = "all"     // anything, because a change may have been missed; ID is 0
)

// Change names a thing that a committed transaction changed.
type Change struct {
	Kind ChangeKind
	ID   int64
}

// Changes notifies caches of committed changes. It derives them from the events that every
// transaction records; see EventStore.
type Changes interface {
	// Subscribe calls fn for every change from now on, until stop is called. Changes of
	// this process arrive before the Tx.Do that made them returns, changes of other
	// processes within a second while Live. Subscribers are called in the order in which
	// they subscribed. fn must be quick and must not call back into Changes.
	Subscribe(fn func(Change)) (stop func())
	// Live reports whether the changes of other processes arrive within a second. It is
	// false at the start, and after a failed read of the database until the next successful
	// one. Subscribers receive ChangeAll before it becomes true. It is cheap to call.
	Live() bool
}
