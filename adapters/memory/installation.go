package memory

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/installation"
)

// installation implements ports.InstallationReader. Only tests restore a Store.
type installationReader struct{ conn }

func (s installationReader) Installation(ctx context.Context) (installation.Installation, error) {
	return view(ctx, s.conn, func(st *state) (installation.Installation, error) { return st.present(), nil })
}

// present returns the state of the installation.
func (s *state) present() installation.Installation {
	if s.installation.Epoch == "" {
		return installation.Installation{Epoch: installation.FirstEpoch}
	}
	return s.installation
}

// SetInstallation replaces the state of the installation.
func (s *Store) SetInstallation(ctx context.Context, i installation.Installation) error {
	return s.transact(ctx, core.SystemActor, func(tx *transaction) error {
		tx.state.installation = i
		return nil
	})
}
