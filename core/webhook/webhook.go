package webhook

import (
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
)

// Webhook is a receiver of the events of a Project outside the installation: an address that gets
// them as HTTP requests.
type Webhook struct {
	ID          int64
	ProjectID   int64
	Name        string
	URL         string
	Events      []string // types of events; "entry.*" stands for all types that begin with "entry."
	Collections []string // slugs; events of other collections are not delivered; none: no restriction
	Locales     []string // events of other locales are not delivered; none: no restriction
	Imports     bool     // whether the events of imports are delivered
	Active      bool
	// Quiet and Most gather events into one delivery, which is due when none has been added for
	// Quiet, and at the latest Most after the first. Both are 0 if each event is a delivery.
	Quiet, Most time.Duration
	// Secrets are the signing secrets and the additional headers, encrypted.
	Secrets []byte
	// FailingSince is the time of the first failed attempt since the last successful one.
	FailingSince time.Time
	OffReason    OffReason
	CreatedBy    int64 // a user; 0: an operator command
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// OffReason says why the program switched a webhook off. It is empty for one that is on, or that a
// user switched off.
type OffReason string

// The reasons.
const (
	OffGone    OffReason = "gone"    // the receiver answered 410
	OffFailing OffReason = "failing" // no attempt has succeeded for MostFailing
)

// MostFailing is how long a webhook may fail before it is switched off.
const MostFailing = 3 * 24 * time.Hour

// Wants reports whether w receives e. Collections and Locales restrict only events that have one. The end of an
// import is no event of the import.
func (w *Webhook) Wants(e *event.Event) bool {
	return w.Active && e.ProjectID == w.ProjectID &&
		slices.ContainsFunc(w.Events, func(pattern string) bool { return event.Matches(pattern, e.Type) }) &&
		(e.Import == core.NoImport || e.Import == core.OpenImport && w.Imports) &&
		e.Passes(w.Collections, w.Locales)
}

// Gathers reports whether w gets several events in one delivery.
func (w *Webhook) Gathers() bool { return w.Most > 0 }

// Updated returns the event of an update of a webhook. w is the webhook after the update.
func Updated(w Webhook) event.Event {
	e := event.Event{Type: event.WebhookUpdated, ProjectID: w.ProjectID, SubjectID: w.ID}
	if w.OffReason != "" {
		e.Type = event.WebhookOff
	}
	return e
}
