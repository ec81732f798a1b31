package core

import "time"

// ScheduleAction is what happens when a Schedule is due.
type ScheduleAction string

// The actions of schedules. An entry has at most one schedule of each.
const (
	SchedulePublish   ScheduleAction = "publish"
	ScheduleUnpublish ScheduleAction = "unpublish"
)

// Period is the time during which readers see a version of an entry.
type Period struct {
	From  time.Time // zero: at once
	Until time.Time // zero: no end
}

// Faults returns the faults of the times of p, at the locations publishAt and unpublishAt. It
// compares them in milliseconds, as they are stored, and not with the current time.
func (p Period) Faults() (found []FieldError) {
	for _, named := range []struct {
		location string
		at       time.Time
	}{{"publishAt", p.From}, {"unpublishAt", p.Until}} {
		if !TimeInRange(named.at) {
			found = append(found, FieldError{Location: named.location, Message: "must be of the years 1 to 9999 in UTC"})
		}
	}
	if len(found) == 0 && !p.Until.IsZero() && !p.Until.Truncate(time.Millisecond).After(p.From.Truncate(time.Millisecond)) {
		found = append(found, FieldError{Location: "unpublishAt", Message: "must be later than publishAt"})
	}
	return found
}

// Times has the new times of an approval request. An absent member keeps its present value.
type Times struct {
	PublishAt   Optional[time.Time] // null: on approval
	UnpublishAt Optional[time.Time] // null: never
}

// Over reports whether p has an end that is not later than now.
func (p Period) Over(now time.Time) bool { return !p.Until.IsZero() && !p.Until.After(now) }
