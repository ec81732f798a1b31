package definition

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// lookInterval is the interval at which a process looks for collections that another one left unfilled.
const lookInterval = 10 * time.Minute

// fillBatch is the number of entries that a back-fill indexes in one transaction. It is small, because on an
// engine with one writer the saves of editors wait for the transaction.
const fillBatch = 20

// fills is the queue of collections with an index to fill. A definition that this process changes
// is added at once.
type fills struct {
	mu       sync.Mutex
	queue    []fill
	lastLook time.Time // of lookForUnfilled; only Backfill uses it
}

// fill is the progress of the back-fill of one collection.
type fill struct {
	project, collection int64
	version             int64 // of the definition that the back-fill is for
	after               int64 // the id of the last entry done
	again               bool  // the definition changed while a batch was under way
	begun               bool  // begin has marked the collection
}

// add puts a collection in the queue, if it needs filling.
func (q *fills) add(c *core.Collection) {
	if !unfilled(c) {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.queue, func(f fill) bool { return f.collection == c.ID })
	if i < 0 {
		q.queue = append(q.queue, fill{project: c.ProjectID, collection: c.ID})
	} else {
		q.queue[i].again = true
	}
}

// first returns the first fill and leaves it in the queue.
func (q *fills) first() (next fill, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		return fill{}, false
	}
	q.queue[0].again = false
	return q.queue[0], true
}

// settle updates the fill that first returned. It removes a done one, unless it was added
// again, and moves a failed one to the end of the queue.
func (q *fills) settle(next fill, done, failed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	again := q.queue[0].again
	switch {
	case again:
	case done:
		q.queue = q.queue[1:]
	case failed:
		q.queue = append(q.queue[1:], next)
	default:
		q.queue[0] = next
	}
}

func unfilled(c *core.Collection) bool {
	return c.Forms != words.Version || !c.FormsReady || slices.ContainsFunc(c.Fields, func(f *core.Field) bool {
		return f.Slot != "" && !f.SlotReady || c.SearchIndexed(f) && !f.SearchReady
	}) || slices.ContainsFunc(c.Leaves, unready)
}

// Backfill indexes one batch of entries, of any Project: for newly indexed fields, in the slots and
// the trigram index, and all texts by the words.Version of this program, if the index has others. After
// the last batch it marks the index as ready. It also does a portion of each Project whose locales or
// fallbacks have changed, and of each deletion. did reports whether it had work, so that a worker can pause. Backfill must not
// run concurrently in one process.
func (c *Collections) Backfill(ctx context.Context) (did bool, err error) {
	filled, err := c.fillNext(ctx)
	served, unserved := c.fillLocales(ctx)
	deleted, undeleted := c.deleteRest(ctx)
	return filled || served || deleted, errors.Join(err, unserved, undeleted)
}

// fillNext indexes one batch of entries of the first collection in the queue.
func (c *Collections) fillNext(ctx context.Context) (did bool, err error) {
	if err := c.lookForUnfilled(ctx); err != nil {
		return false, err
	}
	next, ok := c.fills.first()
	if !ok {
		return false, nil
	}
	done, err := c.fill(ctx, &next)
	c.fills.settle(next, done, err != nil)
	return err == nil, err
}

// fill does the next batch of one collection and reports whether no work is left.
func (c *Collections) fill(ctx context.Context, next *fill) (done bool, err error) {
	reached, outdated := *next, false
	err = c.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		reached = *next
		schema, err := stores.Collections.Hold(ctx, next.project, next.collection)
		if err != nil {
			return err
		}
		if done = !unfilled(schema.Collection); done {
			return nil
		}
		if schema.Collection.Version != next.version {
			// What was filled so far may lack a field of the new definition.
			reached.version, reached.after = schema.Collection.Version, 0
		}
		if outdated = schema.Collection.Forms != words.Version; outdated {
			return nil
		}
		reached.after, err = stores.Entries.Reindex(ctx, schema, reached.after, fillBatch)
		return err
	})
	switch {
	case errors.Is(err, core.ErrNotFound):
		return true, nil
	case err != nil, done:
		return done, err
	case outdated && next.begun: // a process with another version writes entries: wait for the next look
		return true, nil
	case outdated:
		next.begun = true
		_, err = c.mark(ctx, &reached, begin)
		return false, err
	case reached.after == 0: // no entry was left
		return c.mark(ctx, &reached, ready)
	}
	*next = reached
	return false, nil
}

// begin marks the entries as indexed by this program's forms of texts. A process with other forms
// that writes an entry from now on removes the mark, so that the index is filled again.
func begin(collection *core.Collection) {
	collection.Forms, collection.FormsReady = words.Version, false
}

// ready marks the index as filled.
func ready(collection *core.Collection) {
	collection.FormsReady = true
	for _, f := range collection.Fields {
		f.SlotReady, f.SearchReady = f.Slot != "", collection.SearchIndexed(f)
	}
	leavesReady(collection)
}

// mark changes the marks of a definition, unless it has changed since.
func (c *Collections) mark(ctx context.Context, next *fill, change func(*core.Collection)) (done bool, err error) {
	err = c.tx.DoAlone(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, next.project); err != nil {
			return err
		}
		collection, err := stores.Collections.Collection(ctx, next.project, next.collection)
		if err != nil {
			return err
		}
		if collection.Version != next.version {
			return core.ErrChangedMeanwhile
		}
		change(collection)
		collection.Version++
		return core.ChangedMeanwhile(stores.Collections.Update(ctx, collection))
	})
	switch {
	case errors.Is(err, core.ErrChangedMeanwhile):
		return false, nil
	case errors.Is(err, core.ErrNotFound):
		return true, nil
	}
	return err == nil, err
}

// lookForUnfilled queues the collections whose index a stopped process left unfilled, or indexed by
// other forms of texts.
func (c *Collections) lookForUnfilled(ctx context.Context) error {
	now := c.clock.Now()
	if now.Sub(c.fills.lastLook) < lookInterval {
		return nil
	}
	tenants, err := c.tenants.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		projects, err := c.projects.Projects(ctx, tenant.ID)
		if err != nil {
			return err
		}
		for _, project := range projects {
			collections, err := c.collections.Collections(ctx, project.ID)
			if err != nil {
				return err
			}
			for _, collection := range collections {
				c.fills.add(collection)
			}
		}
	}
	c.fills.lastLook = now
	return nil
}
