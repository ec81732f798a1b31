package ports

import (
	"context"
	"time"
)

// Aged is a kind of rows that are of no use when they are old.
type Aged int

// The kinds, with the time that counts.
const (
	AgedSessions    Aged = iota // ExpiresAt
	AgedSignIns                 // FailedSignIns.EndsAt
	AgedLinks                   // MailLink.ExpiresAt
	AgedInvitations             // ExpiresAt
	AgedSpent                   // expiresAt of SpentStore.Spend
	AgedPreviews                // Preview.ExpiresAt
	AgedUsage                   // TokenUsage.Day
	AgedKeys                    // IdempotencyClaim.At
	AgedEvents                  // At; PublicLog.Mark has the latest time before which events were deleted
	AgedDeliveries              // EndedAt; those that have not ended stay
	AgedMails                   // EndedAt; those that have not ended stay
	AgedNotices                 // At
)

// AgingStore deletes old rows. That is no event.
type AgingStore interface {
	// Delete removes up to limit rows of a kind whose time is before t, the oldest first, and returns how many
	// it removed.
	Delete(ctx context.Context, kind Aged, t time.Time, limit int) (int, error)
}
