package release

import (
	"slices"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// State is the state of a Release.
type State string

// The states. A release is submitted while it is pending or approved.
const (
	Open      State = "open"      // its members may change
	Pending   State = "pending"   // its request waits for a decision
	Approved  State = "approved"  // waits for its time
	Published State = "published" // for ever
	Closed    State = "closed"    // given up after a submission, for ever
)

// States returns all states.
func States() []State {
	return []State{Open, Pending, Approved, Published, Closed}
}

// Valid reports whether s is one of States.
func (s State) Valid() bool { return slices.Contains(States(), s) }

// Submitted reports whether what the release publishes is decided: it does not change any more.
func (s State) Submitted() bool { return s == Pending || s == Approved }

// The limits of releases.
const (
	MaxName        = 120  // code points
	MaxDescription = 2000 // code points
	MaxMembers     = 1000
	MaxCall        = 500 // members of one call
	MaxBytes       = 32 << 20
	MaxOpen        = 200 // of a Project
)

// Release is a set of entries of a Project that are published and unpublished together, after one review if a
// workflow governs the Project. An open release holds no content: what it publishes is read when it is submitted.
type Release struct {
	ProjectID   int64
	ID          int64
	Name        string // 1 to MaxName code points
	Description string // at most MaxDescription code points
	State       State
	PublishAt   time.Time // zero: on approval
	// Version counts the changes of the release and of its members.
	Version   int64
	CreatedBy core.ActorRef
	CreatedAt time.Time
	UpdatedAt time.Time
	// Contributors are the creator and everyone who changed the members, the name or the times, each once.
	Contributors []core.ActorRef
	RequestID    int64 // the request of the latest round; 0: never submitted
	Rounds       int   // number of submissions
	// Fault says why a submitted release was not published and is open again; empty: none.
	Fault       string
	PublishedAt time.Time // zero: not published
	RevertOf    int64     // the release that it takes back; 0: none

	// Set by reads.

	Counts Counts
	Latest review.ApprovalSummary // of RequestID
	// Failing says why the last attempt to publish the release at its time failed, which is made again; empty: none did.
	Failing    string
	RevertedBy int64 // the latest published release that takes it back; 0: none
}

// Counts has the numbers of members of a release.
type Counts struct{ Members, Publish, Unpublish int }

// Contribute adds by to the contributors of r, unless it is one of them or belongs to no person.
func (r *Release) Contribute(by core.ActorRef) {
	if by.Person() == 0 {
		return
	}
	for _, c := range r.Contributors {
		if c.Same(by) {
			return
		}
	}
	r.Contributors = append(r.Contributors[:len(r.Contributors):len(r.Contributors)], by)
}

// Member is an entry in a Release.
type Member struct {
	EntryID      int64
	CollectionID int64
	Collection   string // slug
	Locale       string // of the entry when it was added or sealed
	Action       schedule.Action
	// From is the number of the publication of the entry that is published again; 0: its draft is published.
	From int64
	// BaseNumber and BaseHash are the Number and the ContentHash of the publication that readers saw when the member
	// was sealed or, of a present member, see now; zero: none.
	BaseNumber int64
	BaseHash   string
	Gone       bool // of a present member: its entry was deleted or is in the trash

	// The rest is as sealed at the last submission.

	Title string // core.Collection.Title; empty: none
	// TitleFieldID is that of review.RequestItem.
	TitleFieldID int
	ContentHash  string   // of the snapshot; empty: the member is unpublished
	Changed      []string // the paths that the member changes for readers, at most MaxChangedPaths
}

// CollectionsOf returns the ids of the collections of members.
func CollectionsOf(members []Member) []int64 {
	ids := make([]int64, len(members))
	for i := range members {
		ids[i] = members[i].CollectionID
	}
	return ids
}

// Kind returns what m changes for readers.
func (m *Member) Kind() Kind {
	switch {
	case m.Action == schedule.Unpublish:
		return KindUnpublish
	case m.BaseNumber != 0:
		return KindChanged
	default:
		return KindNew
	}
}

// MaxChangedPaths is the largest number of Member.Changed.
const MaxChangedPaths = 50

// MemberLocation returns the core.FieldError.Location of a fault of a member, or of a location in its entry.
func MemberLocation(entryID int64, location string) string {
	at := "members." + strconv.FormatInt(entryID, 10)
	if location != "" {
		at += "." + location
	}
	return at
}

// Query selects releases of a Project, newest first.
type Query struct {
	ProjectID int64
	States    []State // nil: all
	Search    string  // part of the name or of the description, in any case; empty: all
	// CustomRoles, unless nil, selects only releases whose latest request has a step for one of these roles.
	CustomRoles []int64
	ID          int64 // 0: all
	EntryID     int64 // only releases with this member; 0: all
	Offset      int64
	Limit       int64
}

// Kind says what a member of a release changes for readers.
type Kind string

// The kinds.
const (
	KindNew       Kind = "new"       // readers do not see the entry before
	KindChanged   Kind = "changed"   // readers see another version
	KindUnpublish Kind = "unpublish" // readers do not see the entry afterwards
)

// Summary is the part of a Release that responses with its entries contain.
type Summary struct {
	ID            int64
	Name          string
	State         State
	ReleaseNumber string // of its latest request; empty: none
}

// Mark says that a user has seen the content of a member.
type Mark struct {
	EntryID     int64
	ContentHash string // of the content then; empty: the member is unpublished
}

// StateEvents returns the events of a change of the state of r, which is in its new state. That of a publication is
// recorded with it.
func StateEvents(r *Release) []event.Event {
	switch {
	case r.State == Published:
		return nil
	case r.State == Closed:
		return []event.Event{OfRelease(event.ReleaseClosed, r)}
	case r.Fault != "":
		return []event.Event{OfRelease(event.ReleaseFailed, r)}
	default:
		return []event.Event{OfRelease(event.ReleaseUpdated, r)}
	}
}

// OfRelease returns the event of a change of r.
func OfRelease(kind event.Type, r *Release) event.Event {
	return event.Event{Type: kind, ProjectID: r.ProjectID, ReleaseID: r.ID}
}
