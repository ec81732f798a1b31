package review

import (
	"regexp"
	"strconv"
	"time"

	"imprimatur/core"
)

// ReleaseNumber is a release number in parts. Each Tenant counts from 1 in each year.
type ReleaseNumber struct {
	Year  int
	Count int64
}

var releaseNumber = regexp.MustCompile(`^(?i:CR[- ]?)?([0-9]{4})-([0-9]{1,9})$`)

// ParseReleaseNumber returns the number that text is: "CR-2026-0042", in any case, also without CR and
// without leading zeros.
func ParseReleaseNumber(text string) (n ReleaseNumber, ok bool) {
	parts := releaseNumber.FindStringSubmatch(text)
	if parts == nil {
		return n, false
	}
	n.Year, _ = strconv.Atoi(parts[1])
	n.Count, _ = strconv.ParseInt(parts[2], 10, 64)
	return n, true
}

// HistoryQuery selects the requests with an item for an entry of a collection, latest first.
type HistoryQuery struct {
	ProjectID    int64
	CollectionID int64
	EntryID      int64
	// CustomRoles, unless nil, selects only requests with a step for one of these roles.
	CustomRoles []int64
	Offset      int64
	Limit       int64
}

// InboxList is a list of an inbox.
type InboxList uint8

// The lists of an inbox. All lists except InboxPending contain only requests that the user may see
// now: the user has a role in their Project, or holds a custom role of its Department that one of
// their steps names.
const (
	InboxPending   InboxList = iota // pending requests with an open step that waits for the user, by SubmittedAt
	InboxSubmitted                  // requests that the user submitted, by SubmittedAt
	InboxScheduled                  // approved requests with a time of publication, by ScheduledAt
	// InboxReturned has requests that the user submitted and that a reviewer rejected or sent back, if
	// they are the latest of the entry of one of their items, and it is not in the trash, by SubmittedAt.
	InboxReturned
	InboxDecided  // requests that the user approved, rejected or sent back, by the user's latest such action
	InboxNumbered // requests with the release number of the query, by SubmittedAt
)

// InboxQuery selects requests of a list for the user of Reach.
type InboxQuery struct {
	List      InboxList
	Reach     Reach
	ProjectID int64 // 0: every Project
	Number    ReleaseNumber
	// Delegated limits InboxPending to the requests that the user may decide only on behalf of others (true), or in
	// its own name (false); nil: both.
	Delegated  *bool
	Commented  bool // only requests with OpenComments
	Overdue    bool // only requests that are overdue (Request.Overdue)
	ByDeadline bool // by Request.Deadline instead of the time of the list; those without one last
	Descending bool // latest time first; otherwise earliest first
	Offset     int64
	Limit      int64
}

// Reach describes the approval requests that a user may decide. An open step of a request
// waits for the user in two cases: the step has a custom role of the Project's Department and
// the user holds it, or the step has no custom role and the user's role in the Project
// includes its RoleKind. A step never waits for a barred user (Request.Bars).
type Reach struct {
	UserID      int64
	SuperAdmin  bool
	Grants      []core.Grant
	CustomRoles []int64
	Lent        []core.Lender // the users on whose behalf the user may decide steps with Delegable
}

// InboxProject is the number of waiting requests in one Project.
type InboxProject struct {
	ProjectID int64
	Name      string
	Pending   int64
}

// InboxSummary has the counts of a user's inbox.
type InboxSummary struct {
	Pending           int64
	ByProject         []InboxProject // Projects with waiting requests, most requests first
	OldestSubmittedAt time.Time      // zero: no request waits
	SubmittedByMe     int64          // open requests that the user submitted
	Returned          int64          // requests of InboxReturned
	Scheduled         int64          // approved requests with a publication time, in the Projects of the user
}

// ReachOf returns the Reach of the actor.
func ReachOf(actor core.Actor) Reach {
	r := Reach{UserID: actor.UserID(), SuperAdmin: actor.User != nil && actor.User.SuperAdmin, Grants: actor.Grants}
	for _, role := range actor.CustomRoles {
		r.CustomRoles = append(r.CustomRoles, role.ID)
	}
	r.Lent = actor.Lent
	return r
}
