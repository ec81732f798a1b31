package ports

import (
	"context"

	"imprimatur/core/release"
	"imprimatur/core/review"
)

// ReleaseStore stores releases with their members. They are deleted with their Project. Members of open
// releases are deleted with their collection; other members outlive it.
type ReleaseStore interface {
	ReleaseReader
	ReleaseMembers

	// Lock returns a release, which no other transaction changes until this one ends.
	Lock(ctx context.Context, projectID, id int64) (release.Release, error)
	// Insert adds r and sets its ID.
	Insert(ctx context.Context, r *release.Release) error
	// Update replaces Name, Description, PublishAt, Version, UpdatedAt and Contributors.
	Update(ctx context.Context, r release.Release) error
	// SetState replaces State, RequestID, Rounds, Fault, PublishAt, PublishedAt, Version, UpdatedAt and
	// Contributors. It records release.StateEvents.
	SetState(ctx context.Context, r release.Release) error
	// Delete removes a release with its members.
	Delete(ctx context.Context, projectID, id int64) error
}

// ReleaseMembers changes the members of releases.
type ReleaseMembers interface {
	// PutMembers adds members to a release. Each replaces the member with its entry. It records no event.
	PutMembers(ctx context.Context, projectID, id int64, members []release.Member) error
	// Seal stores how the members of a release are sealed: an item for each. content says whether to keep Snapshot
	// and Withheld.
	Seal(ctx context.Context, projectID, id int64, items []review.RequestItem, content bool) error
	// RemoveMembers removes the members with these entries and returns how many there were. It records no event.
	RemoveMembers(ctx context.Context, projectID, id int64, entryIDs []int64) (int, error)
	// RemoveCollection removes the entries of a collection from all open releases of the Project, and adds 1 to
	// the Version of each that had some. It records an event of each.
	RemoveCollection(ctx context.Context, projectID, collectionID int64) error
	// Mark keeps the marks of a user, each in the place of an earlier one of its entry.
	Mark(ctx context.Context, projectID, id, userID int64, marks []release.Mark) error
}

// ReleaseReader reads releases. They have their Counts.
type ReleaseReader interface {
	ReleaseMemberReader

	Release(ctx context.Context, projectID, id int64) (release.Release, error)
	// Releases returns the window of q. It returns q.Limit+1 releases when more releases follow the window.
	// One SQL statement.
	Releases(ctx context.Context, q release.Query) ([]release.Release, error)
	// Count returns how many releases match q, without Offset and Limit.
	Count(ctx context.Context, q release.Query) (int64, error)
	// Summaries returns, by entry id, the release that responses with the entry show: the submitted one, or
	// else the latest open one, or else the latest published one. One SQL statement.
	Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]release.Summary, error)
}

// ReleaseMemberReader reads the members of releases.
type ReleaseMemberReader interface {
	// Members returns the members of a release with these entries (none: all), by entry id. With present, their
	// Locale, BaseNumber, BaseHash and Gone are those of their entries now. One SQL statement.
	Members(ctx context.Context, projectID, id int64, present bool, entryIDs ...int64) ([]release.Member, error)
	// Items returns the members that Seal stored with their content, by entry id.
	Items(ctx context.Context, projectID, id int64) ([]review.RequestItem, error)
	// Submitted returns the item of a member as it was submitted last, without Withheld.
	Submitted(ctx context.Context, projectID, id, entryID int64) (review.RequestItem, error)
	// Marks returns the marks of a user in a release.
	Marks(ctx context.Context, projectID, id, userID int64) ([]release.Mark, error)
}
