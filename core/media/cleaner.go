package media

import (
	"context"
	"errors"
	"io"
	"math"
	"path"
	"slices"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/ports"
)

// Cleaner removes the location from stored pictures; see ports.Imager. It is safe to run several
// at the same time.
type Cleaner struct {
	storage

	imager ports.Imager
	clock  ports.Clock
}

// NewCleaner returns a Cleaner.
func NewCleaner(stores ports.Stores, tx ports.Tx, blobs ports.BlobStore, imager ports.Imager, clock ports.Clock) *Cleaner {
	return &Cleaner{storage: storage{stores, tx, blobs}, imager: imager, clock: clock}
}

// CleanReport is the result of Clean, as numbers of pictures.
type CleanReport struct {
	Cleaned int64
	Clean   int64 // without a location
	Sealed  int64 // with a location, kept for publications or open requests that name their bytes
	Skipped int64 // of Projects that keep locations, of types without metadata, or changed meanwhile
	Failed  []PictureFault
	Last    int64 // the last processed id; a run resumes with After = Last
}

// Reasons why a picture is not changed.
var (
	errClean  = errors.New("media: the picture has no location")
	errSealed = errors.New("media: the picture is sealed")
)

// Clean replaces the files of pictures by files without their location, in ascending order of id.
// The new file has another hash and address; the item keeps its old hash as core.MediaItem.Uploaded
// and its renditions, which have no metadata. It reports a picture that is broken or has no bytes,
// and continues. It stops with an error when a store is not available. Clean calls progress, unless
// it is nil, after each picture with the number of pictures processed.
func (c *Cleaner) Clean(ctx context.Context, which PictureSelection, progress func(done int64)) (report CleanReport, err error) {
	report.Last = which.After
	err = c.eachPicture(ctx, which, progress, func(project *core.Project, item core.MediaItem) error {
		return report.count(item.ID, c.clean(ctx, project, item))
	})
	return report, err
}

// count records the result of one picture. It returns an error that must stop the run.
func (report *CleanReport) count(id int64, err error) error {
	switch {
	case err == nil:
		report.Cleaned++
	case errors.Is(err, errClean):
		report.Clean++
	case errors.Is(err, errSealed):
		report.Sealed++
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

func (c *Cleaner) clean(ctx context.Context, project *core.Project, item core.MediaItem) error {
	if project.KeepLocation || !c.imager.Measures(item.MimeType) {
		return errSkipped
	}
	cleaned := item
	if err := c.read(ctx, item, func(source io.Reader) error {
		d := newDigest(source)
		_, err := io.Copy(io.Discard, d)
		d.describe(&cleaned)
		return err
	}); err != nil {
		return err
	}
	if cleaned.Hash == item.Hash {
		return errClean
	}
	cleaned.Full = blobName(project.UUID, cleaned.Hash, path.Ext(item.Full))
	if err := c.replace(ctx, item, cleaned); err != nil {
		return err
	}
	_, _ = c.free(ctx, project.ID, []string{item.Full}) // after an error a sweep deletes the bytes
	return nil
}

// read calls use with the cleaned bytes of the item.
func (c *Cleaner) read(ctx context.Context, item core.MediaItem, use func(io.Reader) error) error {
	blob, err := c.blobs.Open(ctx, item.Full)
	if err != nil {
		return err
	}
	return errors.Join(use(c.imager.Clean(blob, item.MimeType)), blob.Close())
}

// replace stores the cleaned file, unless the item was changed meanwhile or is sealed.
func (c *Cleaner) replace(ctx context.Context, item, cleaned core.MediaItem) error {
	parts := []part{{name: cleaned.Full, put: func(ctx context.Context) error {
		return c.read(ctx, item, func(source io.Reader) error { return c.blobs.Create(ctx, cleaned.Full, source) })
	}}}
	put, err := c.put(ctx, item.ProjectID, parts)
	if err != nil {
		return err
	}
	return c.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		// Until this transaction ends, no other one submits or publishes the item.
		if err := stores.Projects.Lock(ctx, item.ProjectID); err != nil {
			return err
		}
		current, err := stores.Media.Media(ctx, item.ProjectID, item.ID)
		if errors.Is(err, core.ErrNotFound) || err == nil && current.Full != item.Full {
			return errSkipped
		}
		if err != nil {
			return err
		}
		if err := checkSealed(ctx, stores.Publications, stores.Media, item.ProjectID, item.ID); err != nil {
			return err
		}
		current.Hash, current.Uploaded, current.Size, current.Full = cleaned.Hash, cleaned.Uploaded, cleaned.Size, cleaned.Full
		current.UpdatedAt = c.clock.Now()
		if err := c.hold(ctx, stores.Blobs, item.ProjectID, []string{cleaned.Full}, put); err != nil {
			return err
		}
		if err := stores.Media.Update(ctx, &current); err != nil {
			return err
		}
		return stores.Blobs.Release(ctx, item.ProjectID, []string{item.Full})
	})
}

// checkSealed returns errSealed if a publication or an open request names the bytes of the item.
func checkSealed(ctx context.Context, publications ports.PublicationStore, media ports.MediaUses, projectID, id int64) error {
	named, err := publications.NamesMedia(ctx, projectID, id)
	if err != nil {
		return err
	}
	uses, err := media.Uses(ctx, projectID, id, math.MaxInt32)
	if err != nil {
		return err
	}
	if named || slices.ContainsFunc(uses, func(use library.Use) bool { return use.Requested }) {
		return errSealed
	}
	return nil
}
