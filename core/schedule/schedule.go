package schedule

import (
	"cmp"
	"slices"
	"time"

	"imprimatur/core"
)

// Action is what happens when a Schedule is due.
type Action string

// The actions of schedules. An entry has at most one schedule of each.
const (
	Publish   Action = "publish"
	Unpublish Action = "unpublish"
)

// Period is the time during which readers see a version of an entry.
type Period struct {
	From  time.Time // zero: at once
	Until time.Time // zero: no end
}

// Faults returns the faults of the times of p, at the locations publishAt and unpublishAt. It
// compares them in milliseconds, as they are stored, and not with the current time.
func (p Period) Faults() (found []core.FieldError) {
	for _, named := range []struct {
		location string
		at       time.Time
	}{{"publishAt", p.From}, {"unpublishAt", p.Until}} {
		if !core.TimeInRange(named.at) {
			found = append(found, core.FieldError{Location: named.location, Message: "must be of the years 1 to 9999 in UTC"})
		}
	}
	if len(found) == 0 && !p.Until.IsZero() && !p.Until.Truncate(time.Millisecond).After(p.From.Truncate(time.Millisecond)) {
		found = append(found, core.FieldError{Location: "unpublishAt", Message: "must be later than publishAt"})
	}
	return found
}

// Times has the new times of an approval request. An absent member keeps its present value.
type Times struct {
	PublishAt   core.Optional[time.Time] // null: on approval
	UnpublishAt core.Optional[time.Time] // null: never
}

// Over reports whether p has an end that is not later than now.
func (p Period) Over(now time.Time) bool { return !p.Until.IsZero() && !p.Until.After(now) }

// Schedule is the scheduled publication of an entry, or the scheduled end of one.
type Schedule struct {
	ProjectID    int64
	EntryID      int64
	Action       Action
	CollectionID int64
	ReleaseID    int64 // the release that is published; its EntryID and CollectionID are 0. 0: the schedule of an entry
	RequestID    int64 // the request with the item to publish, or that was published; 0: no workflow governed the entry when it was scheduled
	DueAt        time.Time
	// UnpublishAt is the end of a publication, which is scheduled when the entry is published;
	// zero: none.
	UnpublishAt time.Time
	ScheduledBy core.ActorRef
	Attempts    int    // number of failed attempts
	LastFault   string // error text of the last attempt, for users; empty: none
	// RetryAt is the time of the next attempt; DueAt before the first one.
	RetryAt time.Time
}

// Within reports whether p.DueAt or p.UnpublishAt is in the interval [from, to). A zero from or to
// is no bound.
func (p Schedule) Within(from, to time.Time) bool {
	return slices.ContainsFunc([]time.Time{p.DueAt, p.UnpublishAt}, func(at time.Time) bool {
		return !at.IsZero() && !at.Before(from) && (to.IsZero() || at.Before(to))
	})
}

// Done is a publication of an entry or of a release, or an end, that took place at DueAt. It needs no schedule before:
// what was published at once is one as well.
type Done struct {
	// Schedule has neither UnpublishAt nor attempts. ScheduledBy is the publisher of an entry or the creator of a
	// release; zero: an end, whose actor publications do not keep.
	Schedule

	ReleaseName string // empty: an entry
}

// Compare orders what took place as ports.ScheduleLister lists it.
func (d Done) Compare(other Done) int {
	return cmp.Or(other.DueAt.Compare(d.DueAt), cmp.Compare(d.ProjectID, other.ProjectID), cmp.Compare(d.EntryID, other.EntryID),
		cmp.Compare(d.ReleaseID, other.ReleaseID), cmp.Compare(d.Action, other.Action))
}

// MaxDone is the longest time whose Done one call returns.
const MaxDone = 62 * 24 * time.Hour

// Query selects schedules.
type Query struct {
	ProjectIDs   []int64
	CollectionID int64 // 0: every collection
	UserID       int64 // only those that this user scheduled; 0: all
	Failed       bool  // only those with a failed attempt
	// From and To select schedules with a DueAt or an UnpublishAt in [From, To). Zero: no bound.
	From, To time.Time
	Offset   int64
	Limit    int64
}
