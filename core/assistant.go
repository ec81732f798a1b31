package core

import (
	"slices"
	"time"
)

// Assistant is a program that drafts and proposes content for a user. Its credential gives no more than a part of what
// the user may do, in some Projects; see Actor.Assistant. Its secret is returned once; only the hash is stored.
type Assistant struct {
	ID         int64
	UserID     int64
	TenantID   int64 // that manages the account of the user, for events; 0: none
	Name       string
	Hash       [32]byte // SHA-256 of the whole secret
	Hint       string   // the last characters of the secret, shown in lists
	ProjectIDs []int64  // ascending, at least one
	// Drafts allows more than reads of what is public: reads and writes of drafts, proposals and comments.
	Drafts    bool
	CreatedAt time.Time
	ExpiresAt time.Time
	RevokedAt time.Time // zero: not revoked
}

// Valid reports whether the assistant is neither revoked nor expired at time now.
func (a *Assistant) Valid(now time.Time) bool { return a.RevokedAt.IsZero() && now.Before(a.ExpiresAt) }

// In reports whether the assistant may act in a Project.
func (a *Assistant) In(projectID int64) bool { return slices.Contains(a.ProjectIDs, projectID) }
