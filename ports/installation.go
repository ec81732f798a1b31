package ports

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/installation"
)

// InstallationReader reads the state of the whole installation.
type InstallationReader interface {
	Installation(ctx context.Context) (installation.Installation, error)
}

// EpochStore begins and resumes epochs of the installation.
type EpochStore interface {
	// BeginEpoch begins another epoch and pauses the installation, after the database was restored. It
	// ends sessions, sign-ins that are under way, open invitations and links, and switches off the
	// tokens that write, or that read drafts or history. Ids continue where no id was given before.
	BeginEpoch(ctx context.Context) error
	// Resume ends the pause. It changes nothing if the installation is not paused.
	Resume(ctx context.Context, r installation.Resumption) error
	// OffTokens returns the tokens of all Projects that a restore switched off, ordered by id.
	OffTokens(ctx context.Context) ([]core.Token, error)
}
