package ports

import "context"

// ChangeKind is what a committed change was about.
type ChangeKind string

// The kinds of Change, with what ID means.
const (
	ChangeContent ChangeKind = "content" // entries or media of Project ID
	ChangeSchema  ChangeKind = "schema"  // Project ID, or a collection of it
	ChangeToken   ChangeKind = "token"   // token ID
	ChangeUser    ChangeKind = "user"    // user ID: account, roles or sessions
	ChangeRoles   ChangeKind = "roles"   // roles of many users at once; ID is 0
	ChangeAll     ChangeKind = "all"     // anything: what was changed may have been missed; ID is 0
)

// Change names something that a committed transaction changed.
type Change struct {
	Kind ChangeKind
	ID   int64
}

// Changes tells those who cache about what was changed.
type Changes interface {
	// Announce is called after commit. When it returns, every subscriber of this
	// process has been told, so that a writer sees its own write.
	Announce(ctx context.Context, changes ...Change)
	// Subscribe has told called with each change from now on, until stop is called.
	// Of several subscribers, who came first is told first. told must be quick and
	// must not call back into Changes.
	Subscribe(told func(Change)) (stop func())
	// Live reports whether changes that other processes make are told here too, within
	// a second. While it is false, and at first it is, they may go unheard; before it
	// is true again, subscribers are told ChangeAll. It is cheap enough to be asked
	// at every look into a cache.
	Live() bool
}
