package wire

import "imprimatur/core/review"

// InboxSummary counts the requests of a user.
type InboxSummary struct {
	Pending           int64          `json:"pending" doc:"The number of requests that wait for the caller." example:"3"`
	ByProject         []InboxProject `json:"byProject" nullable:"false" doc:"Projects with such requests, the most first."`
	OldestSubmittedAt *string        `json:"oldestSubmittedAt" format:"date-time" doc:"null means that no request waits." example:"2026-01-02T15:04:05.000Z"`
	SubmittedByMe     int64          `json:"submittedByMe" doc:"The number of open requests that the caller submitted." example:"1"`
	ReturnedToMe      int64          `json:"returnedToMe" doc:"The number of requests that the caller submitted and that came back: rejected or sent back, and not submitted again." example:"1"`
	Scheduled         int64          `json:"scheduled" doc:"The number of approved requests with a schedule, in the Projects of the caller." example:"1"`
}

// InboxProject counts the requests in one Project that wait for a user.
type InboxProject struct {
	ProjectID int64  `json:"projectId" example:"1"`
	Name      string `json:"name" example:"World Desk"`
	Pending   int64  `json:"pending" example:"3"`
}

// InboxSummaryOf returns s for a response.
func InboxSummaryOf(s review.InboxSummary) InboxSummary {
	return InboxSummary{
		Pending: s.Pending, OldestSubmittedAt: TimeOrNull(s.OldestSubmittedAt), SubmittedByMe: s.SubmittedByMe, ReturnedToMe: s.Returned, Scheduled: s.Scheduled,
		ByProject: Each(s.ByProject, func(p review.InboxProject) InboxProject { return InboxProject(p) }),
	}
}
