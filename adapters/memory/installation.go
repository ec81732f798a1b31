package memory

import (
	"context"

	"imprimatur/core"
)

// installation implements ports.InstallationReader. Only tests restore a Store.
type installation struct{ conn }

func (s installation) Installation(ctx context.Context) (core.Installation, error) {
	return view(ctx, s.conn, func(st *state) (core.Installation, error) { return st.present(), nil })
}

// present returns the state of the installation.
func (s *state) present() core.Installation {
	if s.installation.Epoch == "" {
		return core.Installation{Epoch: core.FirstEpoch}
	}
	return s.installation
}

// SetInstallation replaces the state of the installation.
func (s *Store) SetInstallation(ctx context.Context, i core.Installation) error {
	return s.transact(ctx, core.SystemActor, func(tx *transaction) error {
		tx.state.installation = i
		return nil
	})
}
