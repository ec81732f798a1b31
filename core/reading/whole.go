package reading

import (
	"context"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// wholeness keeps parts of releases out of answers of several statements: it reads an answer again when a
// release of its Project was published between its first and its last statement. Its statements tell how many
// releases they see, so that most answers cost no further statement. It is safe for concurrent use.
type wholeness struct {
	entries ports.EntryReader
	known   sync.Map // the number of releases that the last statement saw, int64 by Project id
}

// maxReads is how often an answer is read before it fails. Releases that follow one another without a pause have
// a read of several statements repeated a few times, on a busy machine some ten times.
const maxReads = 100

// read calls do until it was whole. do reads entries from its argument, or notes its statements in seen.
func (w *wholeness) read(ctx context.Context, projectID int64, do func(entries ports.EntryReader, seen *release.Seen) error) error {
	for range maxReads {
		before := w.last(projectID)
		seen := release.NewSeen(before)
		if err := do(w.entries.Seeing(seen), seen); err != nil {
			return err
		}
		if seen.Unsure() {
			n, err := w.entries.ReleasesPublished(ctx, projectID)
			if err != nil {
				return err
			}
			seen.Saw(n)
		}
		last, whole := seen.Whole()
		if last != before {
			w.known.Store(projectID, last)
		}
		if whole {
			return nil
		}
	}
	return errReleases
}

var errReleases = &core.Error{
	Kind: core.KindUnavailable, Code: "unavailable", Message: "too many releases are being published, retry later", RetryAfter: time.Second,
}

func (w *wholeness) last(projectID int64) int64 {
	known, _ := w.known.Load(projectID)
	n, _ := known.(int64)
	return n
}

// Whole calls do with a Reader until no release of the Project was published between the first and the last
// statement of do. An answer that is made by several calls of a Reader makes them all in one Whole. Inside do,
// all calls are of the Reader that it gets.
func (r *Reader) Whole(ctx context.Context, project *core.Project, do func(r *Reader) error) error {
	if r.inside {
		return do(r)
	}
	return r.whole.read(ctx, project.ID, func(entries ports.EntryReader, _ *release.Seen) error {
		own := *r
		own.entries, own.inside = entries, true
		return do(&own)
	})
}

// whole is Reader.Whole for a listing.
func (l *Listing) whole(ctx context.Context, do func(l *Listing) error) error {
	return l.reader.Whole(ctx, l.sel.Schema.Project, func(r *Reader) error {
		own := *l
		own.reader = r
		return do(&own)
	})
}

// together is wholeness.read for an answer about several Projects.
func (w *wholeness) together(ctx context.Context, projects []*core.Project, do func() error) error {
	ids := make([]int64, len(projects))
	for i, p := range projects {
		ids[i] = p.ID
	}
	for range maxReads {
		before, err := w.entries.ReleasesPublished(ctx, ids...)
		if err == nil {
			err = do()
		}
		if err != nil {
			return err
		}
		if after, err := w.entries.ReleasesPublished(ctx, ids...); err != nil || after == before {
			return err
		}
	}
	return errReleases
}

// severally is wholeness.read for do, whose statements do not tell how many releases they see.
func (w *wholeness) severally(ctx context.Context, projectID int64, do func() error) error {
	return w.read(ctx, projectID, func(_ ports.EntryReader, seen *release.Seen) error {
		seen.SawUnknown()
		seen.SawUnknown()
		return do()
	})
}
