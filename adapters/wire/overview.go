package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/overview"
)

// Overview counts what happens in a Project.
type Overview struct {
	Published []PublishedDay `json:"published" nullable:"false" doc:"How many versions became public on each day, oldest first."`
	Waiting   []WaitingStep  `json:"waiting" nullable:"false" doc:"The pending requests by the step that they wait at."`
	// Unreachable counts some of the requests that Waiting counts.
	Unreachable UnreachableCount  `json:"unreachable"`
	Scheduled   ScheduledCount    `json:"scheduled"`
	Failed      int64             `json:"failed" doc:"The number of publications that failed and are retried." example:"1"`
	Entries     []CollectionCount `json:"entries" nullable:"false" doc:"The entries of each collection, ordered by its slug."`
	Tokens      []TokenReads      `json:"tokens" doc:"The reads of each token in these days, the most first. null if the caller may not manage tokens."`
}

// UnreachableCount describes approval.UnreachableCount.
type UnreachableCount struct {
	Count    int64 `json:"count" doc:"The number of pending requests with a current or later step that no user can approve." example:"3"`
	Complete bool  `json:"complete" doc:"false means that only the 500 oldest pending requests were examined, and that more are pending." example:"true"`
}

// Removal says what the removal of a role, or of all roles, causes.
type Removal struct {
	Unreachable UnreachableCount `json:"unreachable" doc:"The pending requests with deciders for all steps now, but not after it."`
}

// RemovalOf returns n for a response.
func RemovalOf(n approval.UnreachableCount) Removal { return Removal{UnreachableCount(n)} }

// PublishedDay counts the publications of a day.
type PublishedDay struct {
	Day   string `json:"day" format:"date" doc:"The day in UTC." example:"2026-01-02"`
	Count int64  `json:"count" example:"14"`
}

// WaitingStep counts the requests that wait at a step.
type WaitingStep struct {
	Label         string   `json:"label" doc:"The label of the step; empty means none." example:"Legal"`
	StepOrder     int      `json:"stepOrder" example:"2"`
	Count         int64    `json:"count" doc:"The number of pending requests at this step." example:"3"`
	OldestSince   string   `json:"oldestSince" format:"date-time" doc:"Since when the oldest of them has waited at this step." example:"2026-01-01T15:04:05.000Z"`
	MedianSeconds *float64 `json:"medianSeconds" example:"5400"`
}

// TransformSchema implements huma.SchemaTransformer.
func (WaitingStep) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"medianSeconds": "The median of the time that requests took to pass a step with this label and position " +
			"in these days, of the last 1,000; null means that none did.",
	})
}

// ScheduledCount counts what is scheduled.
type ScheduledCount struct {
	Count     int64   `json:"count" doc:"What is scheduled in the Project, publications and ends of publications." example:"4"`
	NextDueAt *string `json:"nextDueAt" format:"date-time" doc:"null means that nothing is scheduled." example:"2026-01-03T06:00:00.000Z"`
}

// CollectionCount counts the entries of a collection.
type CollectionCount struct {
	CollectionID int64  `json:"collectionId" example:"2"`
	Name         string `json:"name" example:"Articles"`
	Published    int64  `json:"published" example:"250"`
	Drafts       int64  `json:"drafts" doc:"Entries without a published version, except the trash." example:"12"`
	Trashed      int64  `json:"trashed" example:"3"`
}

// TokenReads counts the reads of a token.
type TokenReads struct {
	ID    int64  `json:"id" example:"1"`
	Name  string `json:"name" example:"Website"`
	Reads int64  `json:"reads" example:"547500"`
}

// OverviewOf returns o and n for a response.
func OverviewOf(o overview.Overview, n approval.UnreachableCount) Overview {
	return Overview{
		Published: Each(o.Published, func(d overview.DayCount) PublishedDay { return PublishedDay{DayText(d.Day), d.Count} }),
		Waiting: Each(o.Waiting, func(w overview.WaitingStep) WaitingStep {
			shown := WaitingStep{w.Label, w.Order, w.Count, core.FormatTime(w.OldestSince), nil}
			if w.Median >= 0 {
				seconds := w.Median.Seconds()
				shown.MedianSeconds = &seconds
			}
			return shown
		}),
		Unreachable: UnreachableCount(n),
		Scheduled:   ScheduledCount{o.Scheduled, TimeOrNull(o.NextDue)}, Failed: o.Failed,
		Entries: Each(o.Collections, func(c overview.CollectionCount) CollectionCount { return CollectionCount(c) }),
		Tokens:  Each(o.Tokens, func(t overview.TokenReads) TokenReads { return TokenReads(t) }),
	}
}
