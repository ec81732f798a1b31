package reading

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Previews reads by previews. It is safe for concurrent use.
type Previews struct {
	stores ports.Stores
	reader *Reader
}

// NewPreviews returns Previews.
func NewPreviews(stores ports.Stores, reader *Reader) *Previews { return &Previews{stores, reader} }

// PreviewInput says what a preview shows.
type PreviewInput struct {
	Of          core.PreviewOf
	Publication int64  // with core.PreviewPublication: its number
	Others      string // what all other entries show: "published", "drafts"; empty: published
}

// check returns all faults of in.
func (in PreviewInput) check() error {
	var found core.Faults
	if in.Of == "" {
		found.Add("of", nil, "is required")
	}
	if !slices.Contains([]string{"", "published", "drafts"}, in.Others) {
		found.Add("others", in.Others, "must be published or drafts")
	}
	return found.Err()
}

// Of returns the preview that the input describes, without its session, secret and times. An entry that does not exist, a
// snapshot without an open request and an unknown publication are core.ErrNotFound, faults of the input core.ErrInvalid.
func (p *Previews) Of(ctx context.Context, ref review.EntryRef, in PreviewInput) (core.Preview, error) {
	if err := in.check(); err != nil {
		return core.Preview{}, err
	}
	preview := core.Preview{
		ProjectID: ref.Project.ID, CollectionID: ref.CollectionID, EntryID: ref.ID, Of: in.Of, Number: in.Publication, Drafts: in.Others == "drafts",
	}
	if in.Of == core.PreviewSnapshot {
		open, err := p.stores.Requests.OpenOf(ctx, ref.Project.ID, []int64{ref.ID})
		if err != nil {
			return core.Preview{}, err
		}
		preview.Number = open[ref.ID].ID // 0: version finds no such request
	}
	_, err := p.version(ctx, &preview)
	return preview, err
}

// Reader returns a Reader of what the preview shows of its Project. When the entry or the version is gone, it returns
// core.KindUnauthenticated, as for an unknown secret.
func (p *Previews) Reader(ctx context.Context, project *core.Project, preview *core.Preview) (*Reader, error) {
	version, err := p.version(ctx, preview)
	if errors.Is(err, core.ErrNotFound) {
		return nil, core.Unauthenticated()
	}
	if err != nil {
		return nil, err
	}
	return p.reader.Previewing(project, p.stores.Entries, version, preview.Drafts), nil
}

// version returns the row of the entry with the version that the preview shows.
func (p *Previews) version(ctx context.Context, preview *core.Preview) (core.Row, error) {
	e, err := p.stores.Entries.Entry(ctx, preview.ProjectID, preview.EntryID)
	switch {
	case err == nil && (e.Trashed() || e.CollectionID != preview.CollectionID), errors.Is(err, core.ErrNotFound):
		return core.Row{}, core.NotFound("entry")
	case err != nil:
		return core.Row{}, err
	}
	row := e.Row(core.StateWithDraft)
	var sealed core.Document
	switch preview.Of {
	case core.PreviewSnapshot:
		sealed, err = p.snapshot(ctx, preview)
	case core.PreviewPublication:
		var then core.Publication
		then, err = p.stores.Publications.Publication(ctx, preview.ProjectID, preview.CollectionID, preview.EntryID, preview.Number)
		if errors.Is(err, core.ErrNotFound) {
			err = core.NotFound("publication")
		}
		sealed = then.Content
	default:
		return row, nil
	}
	row.Document, row.Media = sealed.Value("fields"), sealed.Value("media")
	return row, err
}

// snapshot returns what an open request has sealed of the entry.
func (p *Previews) snapshot(ctx context.Context, preview *core.Preview) (core.Document, error) {
	open, err := p.stores.Requests.OpenOf(ctx, preview.ProjectID, []int64{preview.EntryID})
	if err != nil {
		return nil, err
	}
	if preview.Number == 0 || open[preview.EntryID].ID != preview.Number {
		return nil, core.NotFound("open request")
	}
	items, err := p.stores.Requests.Items(ctx, preview.ProjectID, preview.Number, preview.EntryID)
	if err != nil {
		return nil, err
	}
	if len(items) != 1 || len(items[0].Snapshot) == 0 { // the entry goes offline
		return nil, core.NotFound("snapshot")
	}
	return items[0].Snapshot, nil
}
