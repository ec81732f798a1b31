package core

import "time"

// PreviewOf says which version of an entry a Preview shows.
type PreviewOf string

// The versions.
const (
	PreviewDraft       PreviewOf = "draft"       // as it is at each read
	PreviewSnapshot    PreviewOf = "snapshot"    // what an open request has sealed
	PreviewPublication PreviewOf = "publication" // what readers saw
)

// Preview lets a site read a version of one entry that may not be public, for a user who may read drafts. It ends with
// the session of the user, the entry and the version, and does not return with an entry that is restored. Only the hash of
// its secret is stored.
type Preview struct {
	Hash         [32]byte // SHA-256 of the secret
	Session      [32]byte // account.Session.Hash of the user's session
	ProjectID    int64
	CollectionID int64
	EntryID      int64
	Of           PreviewOf
	Number       int64 // review.Request.ID of a snapshot, or Publication.Number; 0: of a draft
	// Drafts shows the drafts of all other entries, in place of what is public.
	Drafts    bool
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Limits of previews.
const (
	PreviewLifetime = 15 * time.Minute
	MaxPreviews     = 20 // of a session; a further one ends the oldest
)
