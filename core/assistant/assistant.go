package assistant

import (
	"imprimatur/core"
	"imprimatur/core/event"
)

// Limits of assistants.
const (
	MaxAssistants = 20 // of a user, neither revoked nor expired
	MaxDays       = 90 // from the creation to ExpiresAt
	MaxName       = 60
	MaxProjects   = 100
)

// Budget limits the writes of all assistants of a user together. 0: no limit.
type Budget struct {
	WritesPerMinute int
	DraftsPerDay    int
}

// DefaultBudget is the Budget unless the operator sets another.
var DefaultBudget = Budget{WritesPerMinute: 60, DraftsPerDay: 500}

// Changed returns an event about a.
func Changed(t event.Type, a *core.Assistant) event.Event {
	return event.Event{Type: t, TenantID: a.TenantID, SubjectID: a.ID}
}
