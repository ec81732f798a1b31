package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/notices"
)

// Notice tells the caller about an event.
type Notice struct {
	ID            int64          `json:"id" example:"12"`
	Kind          notice.Kind    `json:"kind" enum:"your_turn,rejected,revision_requested,approved,published,withdrawn,publication_failed,webhook_off,account,unpublished,unreachable,release_failed,comment,mention,resolved,delegation,overdue" example:"your_turn"`
	Event         event.Type     `json:"event" doc:"The type of the event." example:"request.submitted"`
	Reminder      bool           `json:"reminder,omitempty" doc:"Whether it tells again that a request waits. Omitted means false." example:"true"`
	At            string         `json:"at" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ProjectID     *int64         `json:"projectId" doc:"null for notices about the account." example:"1"`
	ProjectName   *string        `json:"projectName" example:"World Desk"`
	ReleaseID     *int64         `json:"releaseId" doc:"null unless the notice is about a release." example:"12"`
	Title         string         `json:"title" doc:"Of the entry or the webhook; the name of the release, or of who lends their roles; empty without one." example:"First light"`
	ReleaseNumber string         `json:"releaseNumber,omitempty" example:"CR-2026-0001"`
	Actor         *core.ActorRef `json:"actor,omitempty"`
	Comment       string         `json:"comment,omitempty" doc:"Of a decision, a comment or a delegation; or why an entry is offline, a publication failed or a webhook is off." example:"Please check the figures."`
	Role          string         `json:"role,omitempty" doc:"The role that the user has got or lost, as in the member, or the name of the custom role." example:"editor"`
	Place         string         `json:"place,omitempty" doc:"The tenant, department or project of the role at that time, or the user that may decide by the delegation." example:"World Desk"`
	Link          string         `json:"link" doc:"The path of the page of the dashboard." example:"/dashboard/review/1/2/42"`
	ReadAt        *string        `json:"readAt" format:"date-time" doc:"null means unread." example:"2026-01-02T15:04:05.000Z"`
}

// TransformSchema implements huma.SchemaTransformer.
func (Notice) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return enumerate(s, "event", event.Types())
}

// NoticeOf returns n for a response.
func NoticeOf(n notices.Shown) Notice {
	shown := Notice{
		ID: n.ID, Kind: n.Kind, Event: n.Event, Reminder: n.Reminder, At: core.FormatTime(n.At), ProjectID: core.NullIfZero(n.ProjectID), ProjectName: core.NullIfZero(n.ProjectName),
		ReleaseID: core.NullIfZero(n.ReleaseID), Title: n.Title, ReleaseNumber: n.ReleaseNumber, Comment: n.Comment, Role: n.Role, Place: n.Place, Link: n.Link(), ReadAt: TimeOrNull(n.ReadAt),
	}
	if n.Actor.Kind != "" {
		shown.Actor = &n.Actor
	}
	return shown
}

// NoticeSummary counts the notices of the caller.
type NoticeSummary struct {
	Unread int64 `json:"unread" example:"3"`
}

// NoticesRead names notices that were read: either by their ids or by a time.
type NoticesRead struct {
	IDs    []int64    `json:"ids,omitempty" nullable:"false" maxItems:"1000" example:"[12]"`
	Before *time.Time `json:"before,omitempty" doc:"All that were made until then." example:"2026-01-02T15:04:05.000Z"`
}

// Time returns Before, or the zero time.
func (r NoticesRead) Time() (before time.Time) {
	core.Assign(&before, r.Before)
	return before
}
