package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/event"
)

// Event is a change. Members that do not apply are left out.
type Event struct {
	ID            int64         `json:"id" doc:"Ascending in each Project." example:"1207"`
	Type          event.Type    `json:"type" example:"entry.published"`
	At            string        `json:"at" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Actor         core.ActorRef `json:"actor"`
	TenantID      int64         `json:"tenantId,omitempty" example:"1"`
	ProjectID     int64         `json:"projectId,omitempty" example:"1"`
	SubjectID     int64         `json:"subjectId,omitempty" example:"6"`
	Collection    string        `json:"collection,omitempty" example:"articles"`
	EntryID       int64         `json:"entryId,omitempty" example:"42"`
	Locale        string        `json:"locale,omitempty" example:"en"`
	ContentHash   string        `json:"contentHash,omitempty" example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	ReleaseNumber string        `json:"releaseNumber,omitempty" example:"CR-2026-0001"`
	RequestID     string        `json:"requestId,omitempty" doc:"The id of the HTTP request." example:"BZQ3K5T7N2MXW4RVJ6PCYD1HGE"`
	Group         int64         `json:"translationGroup,omitempty" doc:"The translation group of the entry." example:"40"`
	ReleaseID     int64         `json:"releaseId,omitempty" doc:"The release that the event is about, or that has published or unpublished the entry." example:"12"`
	Slug          string        `json:"slug,omitempty" doc:"Of entry.published: the first slug of what was published." example:"first-light"`
	Reason        string        `json:"reason,omitempty" doc:"Why, of entry.unpublished, entry.trashed and entry.destroyed; of session.created amr and acr. Webhooks do not get it." example:"The figures were wrong."`
	Role          string        `json:"role,omitempty" doc:"Of events of members and roles: the role that the user has got or lost, or its name. Webhooks do not get it." example:"editor"`
	Place         string        `json:"place,omitempty" doc:"The name of the tenant, department or project of the role at that time. Webhooks do not get it." example:"World Desk"`
	Counts        *ImportCounts `json:"counts,omitempty" doc:"Of import.finished: what the import has done."`
	Collections   []string      `json:"collections,omitempty" nullable:"false" doc:"Of import.finished: the collections that it wrote." example:"[\"articles\"]"`
}

// ImportCounts counts the entries of an import, translations included, and the refused lines.
type ImportCounts struct {
	Created   int64 `json:"created" example:"20000"`
	Updated   int64 `json:"updated" example:"12"`
	Unchanged int64 `json:"unchanged" example:"0"`
	Refused   int64 `json:"refused" doc:"Lines that were not imported." example:"3"`
}

// TransformSchema implements huma.SchemaTransformer.
func (Event) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(enumerate(s, "type", event.Types()), members{
		"subjectId": "The id of what changed, if no other member has it: a media item, token, webhook, department, custom role, approval request, comment or delegation; for a session or a role, its user.",
	})
}

// EventOf returns e for a response.
func EventOf(e event.Event) Event {
	event := Event{
		ID: e.ID, Type: e.Type, At: core.FormatTime(e.At), Actor: e.Actor, TenantID: e.TenantID, ProjectID: e.ProjectID,
		SubjectID: e.SubjectID, Collection: e.Collection, EntryID: e.EntryID, Locale: e.Locale, ContentHash: e.ContentHash,
		ReleaseNumber: e.ReleaseNumber, ReleaseID: e.ReleaseID, RequestID: e.RequestID, Group: e.Group, Slug: e.Slug, Reason: e.Reason, Role: e.Role, Place: e.Place,
	}
	if done := e.Imported; done != nil {
		event.Counts, event.Collections = (*ImportCounts)(&done.Counts), done.Collections
	}
	return event
}

// EventList is a list of events.
type EventList struct {
	Data []Event   `json:"data" nullable:"false" doc:"In the order that was asked for; the oldest first by default."`
	Meta EventMeta `json:"meta"`
}

// EventMeta describes an EventList.
type EventMeta struct {
	Limit   int64  `json:"limit" example:"25"`
	HasMore bool   `json:"hasMore" example:"false"`
	Next    *int64 `json:"next" doc:"The value of after for the following events; null if hasMore is false." example:"1207"`
}
