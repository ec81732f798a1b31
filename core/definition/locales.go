package definition

import (
	"context"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// chainGrace is longer than a read takes with the definitions that it began with, those of the caches of
// other processes included.
const chainGrace = 2 * time.Minute

// fillLocales does one portion of each Project whose index does not hold the fallbacks of its settings.
// It reports whether it had work.
func (c *Collections) fillLocales(ctx context.Context) (did bool, err error) {
	projects, err := c.localeFills.Unsettled(ctx)
	for _, id := range projects {
		one, failed := c.fillLocalesOf(ctx, id)
		did, err = did || one, errors.Join(err, failed)
	}
	return did, err
}

// fillLocalesOf does one portion. After the last one, the fallbacks that it was for count.
func (c *Collections) fillLocalesOf(ctx context.Context, id int64) (did bool, err error) {
	var project *core.Project
	var filled bool
	err = c.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) (err error) {
		if project, err = stores.Projects.Hold(ctx, id); err != nil || !project.NeedsPass() {
			return err
		}
		did, filled, err = servePortion(ctx, stores, project)
		return err
	})
	switch {
	case errors.Is(err, core.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	case filled:
		return true, c.changeIndex(ctx, project, (*core.Project).Filled)
	case !project.NeedsPass():
		return false, c.changeIndex(ctx, project, func(p *core.Project, now time.Time) bool {
			p.EndChains(now.Add(-chainGrace))
			return false
		})
	}
	return did, nil
}

// servePortion updates the masks of the next translation groups of a Project. did is false while another
// process does that.
func servePortion(ctx context.Context, stores ports.Stores, project *core.Project) (did, filled bool, err error) {
	after, taken, err := stores.LocaleFills.Take(ctx, project)
	if err != nil || !taken {
		return false, false, err
	}
	last, err := stores.Entries.Serve(ctx, project, after, core.PortionRows)
	if err != nil || last == 0 {
		return true, true, err
	}
	return true, false, stores.LocaleFills.Reach(ctx, project, last)
}

// changeIndex changes the index of a Project at the database's time, unless it has changed since seen was
// read. change reports whether reads may change.
func (c *Collections) changeIndex(ctx context.Context, seen *core.Project, change func(p *core.Project, now time.Time) (shown bool)) error {
	err := c.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, seen.ID); err != nil {
			return err
		}
		project, err := stores.Projects.Project(ctx, seen.ID)
		if err != nil || project.Index.Version != seen.Index.Version {
			return err
		}
		now, err := stores.Clock.Now(ctx)
		if err != nil {
			return err
		}
		shown := change(project, now)
		if project.Index.Version == seen.Index.Version {
			return nil
		}
		if shown {
			return stores.Projects.Update(ctx, project)
		}
		return stores.LocaleFills.Save(ctx, project)
	})
	if errors.Is(err, core.ErrNotFound) {
		return nil
	}
	return err
}
