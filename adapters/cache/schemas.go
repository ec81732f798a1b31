package cache

import (
	"context"
	"time"

	"github.com/maypok86/otter/v2"

	"imprimatur/core"
	"imprimatur/ports"
)

// Schemas is a ports.Schemas that remembers.
type Schemas struct {
	ids         *fresh[string, int64] // by UUID
	projects    *fresh[int64, *core.Project]
	collections *fresh[int64, []*core.Collection]
}

// NewSchemas returns Schemas that look things up in stores and listen to changes
// from now on.
func NewSchemas(stores ports.Stores, changes ports.Changes) *Schemas {
	return newSchemas(stores, changes, uptime{time.Now()})
}

func newSchemas(stores ports.Stores, changes ports.Changes, clock otter.Clock) *Schemas {
	s := &Schemas{
		ids: newFresh(clock, changes.Live, func(ctx context.Context, uuid string) (int64, error) {
			project, err := stores.Projects.ProjectByUUID(ctx, uuid)
			if err != nil {
				return 0, err
			}
			return project.ID, nil
		}),
		projects:    newFresh(clock, changes.Live, stores.Projects.Project),
		collections: newFresh(clock, changes.Live, stores.Collections.Collections),
	}
	changes.Subscribe(func(change ports.Change) {
		switch change.Kind {
		case ports.ChangeSchema, ports.ChangeAll:
			s.projects.drop()
			s.collections.drop()
		}
	})
	return s
}

// ProjectByUUID is described at ports.Schemas. A UUID belongs to one Project for
// ever, so that only what it stands for has to be fresh.
func (s *Schemas) ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error) {
	id, err := s.ids.get(ctx, uuid)
	if err != nil {
		return nil, err
	}
	return s.projects.get(ctx, id)
}

// Project is described at ports.Schemas.
func (s *Schemas) Project(ctx context.Context, id int64) (*core.Project, error) {
	return s.projects.get(ctx, id)
}

// Collections is described at ports.Schemas.
func (s *Schemas) Collections(ctx context.Context, projectID int64) ([]*core.Collection, error) {
	return s.collections.get(ctx, projectID)
}
