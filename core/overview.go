package core

import "time"

// Overview are the counts of a Project.
type Overview struct {
	Published   []DayCount // versions that became public, ordered by day, without days without one
	Waiting     []WaitingStep
	Scheduled   int64     // schedules, with those that failed
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

// WaitingStep are the pending requests at steps with one label and position.
type WaitingStep struct {
	Label       string
	Order       int
	Count       int64
	OldestSince time.Time // when the oldest of them arrived at its step
	// Median is the lower median of the time that the last 1,000 requests took from their arrival
	// at such a step to its approval; negative: none passed one.
	Median time.Duration
}

// CollectionCount are the entries of a collection.
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
