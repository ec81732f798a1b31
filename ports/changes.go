package ports

// ChangeKind is what a committed change was about.
type ChangeKind string

// The kinds of Change, with what ID means.
const (
	ChangeContent ChangeKind = "content" // entries or media of Project ID
	ChangeSchema  ChangeKind = "schema"  // Project ID, or a collection of it
	ChangeToken   ChangeKind = "token"   // tokens; ID is 0
	ChangeAccount ChangeKind = "account" // accounts, roles or sessions; ID is 0
	ChangeAll     ChangeKind = "all"     // anything: a change may have been missed; ID is 0
)

// Change names something that a committed transaction changed.
type Change struct {
	Kind ChangeKind
	ID   int64
}

// Changes tells caches what was changed. It follows the events that every transaction
// records; see EventStore.
type Changes interface {
	// Subscribe calls fn for every change from now on, until stop is called. Changes of
	// this process arrive before the Tx.Do that made them returns, those of other
	// processes within a second while Live. Subscribers are called in the order in which
	// they subscribed. fn must be quick and must not call back into Changes.
	Subscribe(fn func(Change)) (stop func())
	// Live reports whether the changes of other processes arrive within a second. It is
	// false at first and whenever the database could not be read for a moment. Before it
	// becomes true, subscribers receive ChangeAll. It is cheap.
	Live() bool
}
