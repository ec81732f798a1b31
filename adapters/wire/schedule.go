package wire

import (
	"imprimatur/core"
	"imprimatur/core/reading"
	"imprimatur/core/schedule"
)

// Schedule is a scheduled publication, or its end, or one that took place.
type Schedule struct {
	ProjectID     int64           `json:"projectId" example:"1"`
	Kind          string          `json:"kind" enum:"entry,release" doc:"What becomes public, or ends. Members of a release have no schedules of their own." example:"entry"`
	ReleaseID     *int64          `json:"releaseId" doc:"null means an entry." example:"3"`
	CollectionID  *int64          `json:"collectionId" doc:"null means a release." example:"2"`
	EntryID       *int64          `json:"entryId" doc:"null means a release." example:"42"`
	Locale        *string         `json:"locale" doc:"null means a release." example:"en"`
	Title         *string         `json:"title" doc:"The first 200 characters of the field that names entries, or the name of the release; null means none." example:"Harbour to close for repairs"`
	Action        schedule.Action `json:"action" enum:"publish,unpublish" doc:"What happens to the entry." example:"publish"`
	RequestID     *int64          `json:"requestId" doc:"null means that no workflow governed the entry when it was scheduled." example:"9"`
	ReleaseNumber *string         `json:"releaseNumber" doc:"The release number of the request; null means no request." example:"CR-2026-0001"`
	Done          bool            `json:"done" doc:"Whether it took place, at dueAt." example:"false"`
	DueAt         string          `json:"dueAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UnpublishAt   *string         `json:"unpublishAt" format:"date-time" doc:"The end of a publication that is still to come; null means none." example:"2026-04-03T06:00:00.000Z"`
	ScheduledBy   *core.ActorRef  `json:"scheduledBy,omitempty" doc:"Who scheduled it or, if it took place, who published the entry or made the release; omitted for an end that took place."`
	Attempts      int             `json:"attempts" doc:"The number of failed attempts." example:"2"`
	Fault         string          `json:"fault" doc:"The error of the last attempt." example:"some values are not valid: fields.slug is taken"`
	RetryAt       string          `json:"retryAt" format:"date-time" doc:"The time of the next attempt." example:"2026-01-02T15:04:09.000Z"`
}

// ScheduleOf returns s for a response.
func ScheduleOf(s reading.Scheduled) Schedule {
	kind := "entry"
	if s.ReleaseID != 0 {
		kind = "release"
	}
	var by *core.ActorRef
	if s.ScheduledBy != (core.ActorRef{}) {
		by = &s.ScheduledBy
	}
	return Schedule{
		s.ProjectID, kind, core.NullIfZero(s.ReleaseID), core.NullIfZero(s.CollectionID), core.NullIfZero(s.EntryID), core.NullIfZero(s.Locale), core.NullIfZero(s.Title), s.Action, core.NullIfZero(s.RequestID), core.NullIfZero(s.ReleaseNumber),
		s.Done, core.FormatTime(s.DueAt), TimeOrNull(s.UnpublishAt), by, s.Attempts, s.LastFault, core.FormatTime(s.RetryAt),
	}
}
