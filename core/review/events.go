package review

import (
	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/event"
)

// actionEvents maps actions on requests to events. ActionPublishNow has no event, because it is
// always followed by an ActionPublish, which has one.
var actionEvents = map[ActionType]event.Type{
	ActionSubmit: event.RequestSubmitted, ActionApprove: event.RequestApproved, ActionReject: event.RequestRejected,
	ActionRequestRevision: event.RequestRevisionRequested, ActionWithdraw: event.RequestWithdrawn,
	ActionReschedule: event.RequestRescheduled, ActionPublish: event.RequestPublished,
}

// RequestEvents returns the events of actions on r.
func RequestEvents(r *Request, actions ...*Action) []event.Event {
	var events []event.Event
	item, release := r.Item(), RequestRelease{}
	if r.Release != nil {
		release = *r.Release
	}
	slug, _ := canonical.Text(core.Document(item.Snapshot).Value("collection")) // "" for a damaged snapshot
	for _, a := range actions {
		if t, ok := actionEvents[a.Type]; ok {
			events = append(events, event.Event{
				Type: t, TenantID: r.TenantID, ProjectID: r.ProjectID, SubjectID: r.ID, Collection: slug, EntryID: item.EntryID,
				Locale: item.Locale, ContentHash: r.ContentHash(), ReleaseNumber: r.ReleaseNumber(), ReleaseID: release.ID,
			})
		}
	}
	return events
}

// RequestAction returns the action on a request that events of the type are about, or "".
func RequestAction(t event.Type) ActionType { return requestActions[t] }

var requestActions = map[event.Type]ActionType{
	event.RequestSubmitted: ActionSubmit, event.RequestApproved: ActionApprove, event.RequestRejected: ActionReject,
	event.RequestRevisionRequested: ActionRequestRevision, event.RequestWithdrawn: ActionWithdraw, event.RequestPublished: ActionPublish,
}
