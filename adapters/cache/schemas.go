package cache

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"imprimatur/core"
	"imprimatur/ports"
)

// Schemas is a caching ports.Schemas. It is safe for concurrent use.
type Schemas struct {
	stores      ports.Stores
	ids         *lookups[int64] // by UUID
	projects    *lookups[*core.Project]
	collections *lookups[[]*core.Collection]
}

// NewSchemas returns a cache in front of stores. changes invalidate its values.
func NewSchemas(stores ports.Stores, changes ports.Changes) *Schemas {
	return newSchemas(stores, changes, uptime{time.Now()})
}

func newSchemas(stores ports.Stores, changes ports.Changes, clock otter.Clock) *Schemas {
	s := &Schemas{
		stores: stores,
		ids: newLookups(clock, changes.Live, func(ctx context.Context, k key) (int64, error) {
			project, err := stores.Projects.ProjectByUUID(ctx, string(k.text[:]))
			if err != nil {
				return 0, err
			}
			return project.ID, nil
		}),
		projects: newLookups(clock, changes.Live, func(ctx context.Context, k key) (*core.Project, error) {
			return stores.Projects.Project(ctx, k.id)
		}),
		collections: newLookups(clock, changes.Live, func(ctx context.Context, k key) ([]*core.Collection, error) {
			return stores.Collections.Collections(ctx, k.id)
		}),
	}
	changes.Subscribe(func(change ports.Change) {
		switch change.Kind {
		case ports.ChangeSchema, ports.ChangeAll:
			s.projects.clear()
			s.collections.clear()
		}
	})
	return s
}

// ProjectByUUID implements ports.Schemas. No change invalidates an id, because a UUID
// always belongs to the same Project.
func (s *Schemas) ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error) {
	if len(uuid) != uuidLength {
		return s.stores.Projects.ProjectByUUID(ctx, uuid) // which says that there is none
	}
	id, err := s.ids.get(ctx, key{text: [uuidLength]byte([]byte(uuid))})
	if err != nil {
		return nil, err
	}
	return s.projects.get(ctx, idKey(id))
}

// Project implements ports.Schemas.
func (s *Schemas) Project(ctx context.Context, id int64) (*core.Project, error) {
	return s.projects.get(ctx, idKey(id))
}

// Collections implements ports.Schemas.
func (s *Schemas) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	return s.collections.get(ctx, idKey(projectID))
}
