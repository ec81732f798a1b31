package media

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"imprimatur/core"
	"imprimatur/core/rendition"
	"imprimatur/ports"
)

// Renditions makes renditions of stored pictures on demand and keeps them in the blob store. It is safe
// for concurrent use.
//
// The name of a rendition follows from the name of its original, so a stored one is found without the
// database. Its record says when it was used; see ports.RenditionStore. A rendition without a record, or
// a record without bytes, is made again.
type Renditions struct {
	storage

	imager ports.Imager
	clock  ports.Clock

	making singleflight.Group // by name
	queue  chan struct{}      // one element for each rendition that is made or waits for it

	mu   sync.Mutex
	used map[string]time.Time // by name: when this process recorded a use
}

// Limits of renditions.
const (
	// MaxRenditions is the number of different renditions of one original that may be used within a day.
	// A further one is not made.
	MaxRenditions = 200
	// RenditionAge is the time without use after which a rendition is deleted. A use is recorded once in
	// useInterval, so the last one may be later than its record by that.
	RenditionAge = 30*24*time.Hour + useInterval

	useInterval    = 24 * time.Hour
	maxQueued      = 64          // renditions that wait or are made in this process
	maxRemembered  = 20_000      // names in Renditions.used
	maxDeletions   = 16          // blobs that are deleted at once
	renditionLimit = time.Minute // for making one, with the wait for memory
)

// NewRenditions returns a Renditions.
func NewRenditions(stores ports.Stores, tx ports.Tx, blobs ports.BlobStore, imager ports.Imager, clock ports.Clock) *Renditions {
	return &Renditions{
		storage: storage{stores, tx, blobs}, imager: imager, clock: clock,
		queue: make(chan struct{}, maxQueued), used: map[string]time.Time{},
	}
}

// Renders reports whether renditions can be made of files of the type.
func (p *Renditions) Renders(t FileType) bool { return p.imager.Decodes(t.MIME) }

// Open opens the rendition r of the original, a blob of the type t in the library of the Project with
// the UUID project. It makes the rendition unless it is stored. It returns core.ErrNotFound if the
// Project does not have the original, core.KindTooManyRequests for more than MaxRenditions, and
// core.ErrUnavailable with RetryAfter if too many pictures are being made.
func (p *Renditions) Open(ctx context.Context, project, original string, t FileType, r rendition.Rendition) (ports.Blob, error) {
	name := renditionName(original, r)
	if blob, err := p.stored(ctx, project, name); blob != nil || err != nil {
		return blob, err
	}
	// Others may wait for the same rendition, so the end of this request does not stop it.
	working, cancel := context.WithTimeout(context.WithoutCancel(ctx), renditionLimit)
	defer cancel()
	_, err, _ := p.making.Do(name, func() (any, error) {
		blob, err := p.stored(working, project, name) // it may have been made since this request looked
		if err != nil {
			return nil, err
		}
		if blob != nil {
			return nil, blob.Close()
		}
		return nil, p.make(working, project, original, name, t, r)
	})
	if err != nil {
		return nil, err
	}
	return p.blobs.Open(ctx, name)
}

// stored opens a stored rendition and records its use. It returns nil if the rendition has to be made.
func (p *Renditions) stored(ctx context.Context, project, name string) (ports.Blob, error) {
	blob, err := p.blobs.Open(ctx, name)
	switch {
	case errors.Is(err, core.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case p.recordUse(ctx, project, name):
		return blob, nil
	default:
		return nil, blob.Close()
	}
}

// renditionName returns the name of the blob of a rendition: <project uuid>/<hash>/<key>.
func renditionName(original string, r rendition.Rendition) string {
	return strings.TrimSuffix(original, path.Ext(original)) + "/" + r.Key()
}

// recordUse records that a stored rendition is used now, at most once in useInterval. It returns false
// if the rendition has no record. The rendition is served when the database does not answer, like files.
func (p *Renditions) recordUse(ctx context.Context, projectUUID, name string) bool {
	now := p.clock.Now()
	p.mu.Lock()
	last, known := p.used[name]
	p.mu.Unlock()
	if known && now.Before(last.Add(useInterval)) {
		return true
	}
	project, err := p.stores.Projects.ProjectByUUID(ctx, projectUUID)
	if err == nil {
		err = p.stores.Renditions.Touch(ctx, project.ID, name, now.Add(-useInterval), now)
	}
	if err == nil {
		p.remember(name, now)
	}
	return !errors.Is(err, core.ErrNotFound)
}

// remember keeps the time of a recorded use. It forgets all names when there are too many.
func (p *Renditions) remember(name string, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.used) >= maxRemembered {
		clear(p.used)
	}
	p.used[name] = at
}

// make makes a rendition and stores it with its record.
func (p *Renditions) make(ctx context.Context, projectUUID, original, name string, t FileType, r rendition.Rendition) error {
	select {
	case p.queue <- struct{}{}:
		defer func() { <-p.queue }()
	default:
		return &core.Error{
			Kind: core.KindUnavailable, Code: "unavailable", Message: "too many pictures are being made, retry later", RetryAfter: 5 * time.Second,
		}
	}
	source, err := p.blobs.Open(ctx, original)
	if err != nil {
		return err
	}
	defer source.Close()
	project, err := p.stores.Projects.ProjectByUUID(ctx, projectUUID)
	if err != nil {
		return err
	}
	record := ports.StoredRendition{ProjectID: project.ID, Name: name, Original: original, Used: p.clock.Now()}
	if err := p.checkCount(ctx, p.stores.Renditions, record); err != nil {
		return err
	}
	picture, err := p.imager.Render(ctx, source, t.MIME, r)
	if err != nil {
		return err
	}
	if err := p.blobs.Create(ctx, name, bytes.NewReader(picture)); err != nil {
		return err
	}
	err = p.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		held, err := stores.Blobs.Lock(ctx, project.ID, original)
		if err == nil && !held {
			err = core.NotFound("file")
		}
		if err == nil {
			err = p.checkCount(ctx, stores.Renditions, record)
		}
		if err != nil {
			return err
		}
		return stores.Renditions.Put(ctx, record)
	})
	if kind := core.KindOf(err); err != nil && (kind == core.KindNotFound || kind == core.KindTooManyRequests) {
		return errors.Join(err, p.blobs.Delete(ctx, name))
	}
	if err == nil {
		p.remember(name, record.Used)
	}
	return err
}

// checkCount returns core.KindTooManyRequests if r has no record and too many other renditions of its
// original were used within a day.
func (p *Renditions) checkCount(ctx context.Context, stored ports.RenditionStore, r ports.StoredRendition) error {
	recorded, err := stored.Recorded(ctx, r.ProjectID, []string{r.Name})
	if err != nil || len(recorded) > 0 {
		return err
	}
	count, err := stored.CountUsed(ctx, r.ProjectID, r.Original, r.Used.Add(-useInterval))
	if err != nil || count < MaxRenditions {
		return err
	}
	return &core.Error{
		Kind: core.KindTooManyRequests, Code: "too_many_renditions", RetryAfter: time.Hour,
		Message: "more than 200 different renditions of this picture were requested within a day",
	}
}

// deleteWithRenditions deletes the bytes of a name and of the renditions of it.
func (s storage) deleteWithRenditions(ctx context.Context, stored ports.RenditionStore, projectID int64, name string) error {
	names, err := stored.RemoveOf(ctx, projectID, name)
	if err != nil {
		return err
	}
	deleting, ctx := errgroup.WithContext(ctx)
	deleting.SetLimit(maxDeletions)
	for _, name := range append(names, name) {
		deleting.Go(func() error { return s.blobs.Delete(ctx, name) })
	}
	return deleting.Wait()
}

// unused deletes the renditions that were not used for RenditionAge.
func (s *Sweeper) unused(ctx context.Context) (total int64, err error) {
	before := s.clock.Now().Add(-RenditionAge)
	for {
		unused, err := s.stores.Renditions.Unused(ctx, before, sweepBatch)
		if err != nil || len(unused) == 0 {
			return total, err
		}
		for _, r := range unused {
			var removed bool
			if err := s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
				if removed, err = stores.Renditions.RemoveUnused(ctx, r.ProjectID, r.Name, before); err != nil || !removed {
					return err
				}
				return s.blobs.Delete(ctx, r.Name)
			}); err != nil {
				return total, err
			}
			if removed {
				total++
			}
		}
	}
}
