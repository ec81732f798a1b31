package cache

import (
	"context"
	"time"

	"imprimatur/core/installation"
	"imprimatur/ports"
)

// Installation caches the state of the installation. It is safe for concurrent use.
type Installation struct {
	found *lookups[installation.Installation] // the key is always zero
}

// NewInstallation returns a cache in front of stores. changes invalidate its value.
func NewInstallation(stores ports.Stores, changes ports.Changes) *Installation {
	i := &Installation{newLookups(uptime{time.Now()}, changes.Live, func(ctx context.Context, _ key) (installation.Installation, error) {
		return stores.Installation.Installation(ctx)
	})}
	changes.Subscribe(func(change ports.Change) {
		if change.Kind == ports.ChangeAll {
			i.found.clear()
		}
	})
	return i
}

// State returns the present state.
func (i *Installation) State(ctx context.Context) (installation.Installation, error) {
	return i.found.get(ctx, key{})
}
