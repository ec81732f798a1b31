package core

import (
	"slices"
	"strconv"
	"time"
)

// ReleaseState is the state of a Release.
type ReleaseState string

// The states. A release is submitted while it is pending or approved.
const (
	ReleaseOpen      ReleaseState = "open"      // its members may change
	ReleasePending   ReleaseState = "pending"   // its request waits for a decision
	ReleaseApproved  ReleaseState = "approved"  // waits for its time
	ReleasePublished ReleaseState = "published" // for ever
	ReleaseClosed    ReleaseState = "closed"    // given up after a submission, for ever
)

// ReleaseStates returns all states.
func ReleaseStates() []ReleaseState {
	return []ReleaseState{ReleaseOpen, ReleasePending, ReleaseApproved, ReleasePublished, ReleaseClosed}
}

// Valid reports whether s is one of ReleaseStates.
func (s ReleaseState) Valid() bool { return slices.Contains(ReleaseStates(), s) }

// Submitted reports whether what the release publishes is decided: it does not change any more.
func (s ReleaseState) Submitted() bool { return s == ReleasePending || s == ReleaseApproved }

// The limits of releases.
const (
	MaxReleaseName        = 120  // code points
	MaxReleaseDescription = 2000 // code points
	MaxReleaseMembers     = 1000
	MaxReleaseCall        = 500 // members of one call
	MaxReleaseBytes       = 32 << 20
	MaxOpenReleases       = 200 // of a Project
)

// Release is a set of entries of a Project that are published and unpublished together, after one review if a
// workflow governs the Project. An open release holds no content: what it publishes is read when it is submitted.
type Release struct {
	ProjectID   int64
	ID          int64
	Name        string // 1 to MaxReleaseName code points
	Description string // at most MaxReleaseDescription code points
	State       ReleaseState
	PublishAt   time.Time // zero: on approval
	// Version counts the changes of the release and of its members.
	Version   int64
	CreatedBy ActorRef
	CreatedAt time.Time
	UpdatedAt time.Time
	// Contributors are the creator and everyone who changed the members, the name or the times, each once.
	Contributors []ActorRef
	RequestID    int64 // the request of the latest round; 0: never submitted
	Rounds       int   // number of submissions
	// Fault says why a submitted release was not published and is open again; empty: none.
	Fault       string
	PublishedAt time.Time // zero: not published
	RevertOf    int64     // the release that it takes back; 0: none

	// Set by reads.

	Counts ReleaseCounts
	Latest ApprovalSummary // of RequestID
	// Failing says why the last attempt to publish the release at its time failed, which is made again; empty: none did.
	Failing    string
	RevertedBy int64 // the latest published release that takes it back; 0: none
}

// ReleaseCounts has the numbers of members of a release.
type ReleaseCounts struct{ Members, Publish, Unpublish int }

// Contribute adds by to the contributors of r, unless it is one of them or belongs to no person.
func (r *Release) Contribute(by ActorRef) {
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

// ReleaseMember is an entry in a Release.
type ReleaseMember struct {
	EntryID      int64
	CollectionID int64
	Collection   string // slug
	Locale       string // of the entry when it was added or sealed
	Action       ScheduleAction
	// From is the number of the publication of the entry that is published again; 0: its draft is published.
	From int64
	// BaseNumber and BaseHash are the Number and the ContentHash of the publication that readers saw when the member
	// was sealed or, of a present member, see now; zero: none.
	BaseNumber int64
	BaseHash   string
	Gone       bool // of a present member: its entry was deleted or is in the trash

	// The rest is as sealed at the last submission.

	Title string // Collection.Title; empty: none
	// TitleFieldID is that of RequestItem.
	TitleFieldID int
	ContentHash  string   // of the snapshot; empty: the member is unpublished
	Changed      []string // the paths that the member changes for readers, at most MaxChangedPaths
}

// CollectionsOf returns the ids of the collections of members.
func CollectionsOf(members []ReleaseMember) []int64 {
	ids := make([]int64, len(members))
	for i := range members {
		ids[i] = members[i].CollectionID
	}
	return ids
}

// Kind returns what m changes for readers.
func (m *ReleaseMember) Kind() ReleaseKind {
	switch {
	case m.Action == ScheduleUnpublish:
		return ReleaseUnpublish
	case m.BaseNumber != 0:
		return ReleaseChanged
	default:
		return ReleaseNew
	}
}

// MaxChangedPaths is the largest number of ReleaseMember.Changed.
const MaxChangedPaths = 50

// MemberLocation returns the FieldError.Location of a fault of a member, or of a location in its entry.
func MemberLocation(entryID int64, location string) string {
	at := "members." + strconv.FormatInt(entryID, 10)
	if location != "" {
		at += "." + location
	}
	return at
}

// ReleaseQuery selects releases of a Project, newest first.
type ReleaseQuery struct {
	ProjectID int64
	States    []ReleaseState // nil: all
	Search    string         // part of the name or of the description, in any case; empty: all
	// CustomRoles, unless nil, selects only releases whose latest request has a step for one of these roles.
	CustomRoles []int64
	ID          int64 // 0: all
	EntryID     int64 // only releases with this member; 0: all
	Offset      int64
	Limit       int64
}

// ReleaseKind says what a member of a release changes for readers.
type ReleaseKind string

// The kinds.
const (
	ReleaseNew       ReleaseKind = "new"       // readers do not see the entry before
	ReleaseChanged   ReleaseKind = "changed"   // readers see another version
	ReleaseUnpublish ReleaseKind = "unpublish" // readers do not see the entry afterwards
)

// ReleaseSummary is the part of a Release that responses with its entries contain.
type ReleaseSummary struct {
	ID            int64
	Name          string
	State         ReleaseState
	ReleaseNumber string // of its latest request; empty: none
}

// ReleaseMark says that a user has seen the content of a member.
type ReleaseMark struct {
	EntryID     int64
	ContentHash string // of the content then; empty: the member is unpublished
}

// StateEvents returns the events of a change of the state of r, which is in its new state. That of a publication is
// recorded with it.
func StateEvents(r *Release) []Event {
	switch {
	case r.State == ReleasePublished:
		return nil
	case r.State == ReleaseClosed:
		return []Event{ReleaseEvent(EventReleaseClosed, r)}
	case r.Fault != "":
		return []Event{ReleaseEvent(EventReleaseFailed, r)}
	default:
		return []Event{ReleaseEvent(EventReleaseUpdated, r)}
	}
}

// ReleaseEvent returns the event of a change of r.
func ReleaseEvent(kind EventType, r *Release) Event {
	return Event{Type: kind, ProjectID: r.ProjectID, ReleaseID: r.ID}
}
