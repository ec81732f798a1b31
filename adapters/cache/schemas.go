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
	ids         *lookups[string, int64] // by UUID
	projects    *lookups[int64, *core.Project]
	collections *lookups[int64, []*core.Collection]
}

// NewSchemas returns a cache in front of stores. changes invalidate its values.
func NewSchemas(stores ports.Stores, changes ports.Changes) *Schemas {
	return newSchemas(stores, changes, uptime{time.Now()})
}

func newSchemas(stores ports.Stores, changes ports.Changes, clock otter.Clock) *Schemas {
	s := &Schemas{
		ids: newLookups(clock, changes.Live, func(ctx context.Context, uuid string) (int64, error) {
			project, err := stores.Projects.ProjectByUUID(ctx, uuid)
			if err != nil {
				return 0, err
			}
			return project.ID, nil
		}),
		projects:    newLookups(clock, changes.Live, stores.Projects.Project),
		collections: newLookups(clock, changes.Live, stores.Collections.Collections),
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
	id, err := s.ids.get(ctx, uuid)
	if err != nil {
		return nil, err
	}
	return s.projects.get(ctx, id)
}

// Project implements ports.Schemas.
func (s *Schemas) Project(ctx context.Context, id int64) (*core.Project, error) {
	return s.projects.get(ctx, id)
}

// Collections implements ports.Schemas.
func (s *Schemas) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	return s.collections.get(ctx, projectID)
}
