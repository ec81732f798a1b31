package overview

import "time"

// Overview has the counts of a Project.
type Overview struct {
	Published   []DayCount // versions that became public, ordered by day; days without any are omitted
	Waiting     []WaitingStep
	Scheduled   int64     // schedules, failed ones included
	NextDue     time.Time // zero: nothing is scheduled
	Failed      int64     // schedules with a failed attempt
	Collections []CollectionCount
	Tokens      []TokenReads
}

// DayCount is a number on a day in UTC.
type DayCount struct {
	Day   time.Time // its beginning
	Count int64
}

// WaitingStep describes the pending requests at the steps with one label and position.
type WaitingStep struct {
	Label       string
	Order       int
	Count       int64
	OldestSince time.Time // when the oldest request arrived at its step
	// Median is the lower median of the time from arrival at such a step to its approval, over the
	// last 1,000 requests; negative: no request has passed such a step.
	Median time.Duration
}

// CollectionCount has the numbers of entries of a collection.
type CollectionCount struct {
	CollectionID int64
	Name         string
	Published    int64
	Drafts       int64 // entries outside the trash without a published version
	Trashed      int64
}

// TokenReads is the number of reads of a token.
type TokenReads struct {
	ID    int64
	Name  string
	Reads int64
}
