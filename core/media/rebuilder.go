package media

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// Rebuilder makes the fixed renditions of pictures again.
type Rebuilder struct {
	storage

	imager ports.Imager
	clock  ports.Clock
}

// NewRebuilder returns a Rebuilder.
func NewRebuilder(stores ports.Stores, tx ports.Tx, blobs ports.BlobStore, imager ports.Imager, clock ports.Clock) *Rebuilder {
	return &Rebuilder{storage: storage{stores, tx, blobs}, imager: imager, clock: clock}
}

// RebuildReport is the result of Rebuild.
type RebuildReport struct {
	Rebuilt int64
	Skipped int64 // of types without renditions, damaged, or deleted meanwhile
	Failed  []PictureFault
	Last    int64 // the last processed id; a run resumes with After = Last
}

// Rebuild makes the fixed renditions of pictures again, in ascending order of id. It reports a picture
// that is broken or has no bytes, and continues. It stops with an error when a store is not
// available. Rebuild calls progress, unless it is nil, after each picture with the number of
// pictures processed.
func (r *Rebuilder) Rebuild(ctx context.Context, which PictureSelection, progress func(done int64)) (report RebuildReport, err error) {
	report.Last = which.After
	err = r.eachPicture(ctx, which, progress, func(project *core.Project, item core.MediaItem) error {
		return report.count(item.ID, r.rebuild(ctx, project, item))
	})
	return report, err
}

// errSkipped reports a picture without work to do.
var errSkipped = errors.New("media: nothing to do")

// count records the result of one picture. It returns an error that must stop the run.
func (report *RebuildReport) count(id int64, err error) error {
	switch {
	case err == nil:
		report.Rebuilt++
	case errors.Is(err, errSkipped):
		report.Skipped++
	case errors.Is(err, core.ErrInvalid), errors.Is(err, core.ErrNotFound):
		report.Failed = append(report.Failed, PictureFault{ID: id, Err: err})
	default:
		return err
	}
	report.Last = id
	return nil
}

func (r *Rebuilder) rebuild(ctx context.Context, project *core.Project, item core.MediaItem) error {
	if !r.imager.Decodes(item.MimeType) {
		return errSkipped
	}
	made, err := r.fixedRenditions(ctx, r.imager, item.Full, item.MimeType)
	if err != nil {
		return err
	}
	if made.Warning != "" { // a damaged file never has renditions
		return errSkipped
	}
	var parts []part
	for _, file := range setRenditions(&item, project.UUID, made) {
		parts = append(parts, part{name: file.name, put: func(ctx context.Context) error {
			return r.blobs.Create(ctx, file.name, bytes.NewReader(file.bytes))
		}})
	}
	put, err := r.put(ctx, project.ID, parts)
	if err != nil {
		return err
	}
	var unneeded []string
	err = r.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		current, err := stores.Media.Media(ctx, project.ID, item.ID)
		if errors.Is(err, core.ErrNotFound) {
			return errSkipped
		}
		if err != nil {
			return err
		}
		before := current.Blobs()
		current.Width, current.Height, current.Color = item.Width, item.Height, item.Color
		current.Thumb, current.ThumbWebP, current.FullWebP = item.Thumb, item.ThumbWebP, item.FullWebP
		current.UpdatedAt = r.clock.Now()
		after := current.Blobs()
		unneeded = without(before, after)
		if err := r.hold(ctx, stores.Blobs, project.ID, without(after, before), put); err != nil {
			return err
		}
		if err := stores.Media.Update(ctx, &current); err != nil {
			return err
		}
		if err := noteSealed(ctx, stores, project.ID, item.ID, unneeded); err != nil {
			return err
		}
		return stores.Blobs.Release(ctx, project.ID, unneeded)
	})
	if err != nil {
		return err
	}
	_, _ = r.free(ctx, project.ID, unneeded) // after an error a sweep deletes the bytes
	return nil
}

// noteSealed records that copies of entries have to be read again if files of an item are replaced that
// publications name: a sealed entry has the addresses of its files, and no event of its own.
func noteSealed(ctx context.Context, stores ports.Stores, projectID, id int64, replaced []string) error {
	if len(replaced) == 0 {
		return nil
	}
	named, err := stores.Publications.NamesMedia(ctx, projectID, id)
	if err != nil || !named {
		return err
	}
	return stores.Events.Record(ctx, event.Event{Type: event.ProjectRepaired, ProjectID: projectID})
}

// without returns the names that are not in others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}
