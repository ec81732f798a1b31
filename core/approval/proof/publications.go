package proof

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Publications shows the publications of entries, of those in the trash and of destroyed ones too.
// The caller has found the Project and may read its content. Its methods return core.ErrNotFound
// when the collection does not exist or never had the entry.
type Publications struct {
	stores ports.Stores
	signer ports.Signer
}

// NewPublications returns Publications that read from stores and sign proofs with signer.
func NewPublications(stores ports.Stores, signer ports.Signer) *Publications {
	return &Publications{stores, signer}
}

// Content is what a publication shows.
type Content struct {
	core.Publication
	Fields core.Document // without the fields that are secret now
	Media  core.Document // sealed media by id; if the version is not sealed, {"id"} of each by id
}

// List returns a page of an entry's publications without their Content, newest first. An invalid
// window is core.KindBadRequest.
func (ps *Publications) List(
	ctx context.Context, ref review.EntryRef, window query.Window,
) (page query.Page[core.Publication], err error) {
	if err := window.Check(approval.DefaultPerPage); err != nil {
		return page, err
	}
	if _, err := ps.collection(ctx, ref.Project, ref.CollectionID); err != nil {
		return page, err
	}
	page.Window = window
	page.Total, err = ps.stores.Publications.PublicationCount(ctx, ref.Project.ID, ref.CollectionID, ref.ID)
	if err == nil && page.Total == 0 {
		err = ps.known(ctx, ref)
	}
	if err != nil {
		return page, err
	}
	page.Items, err = ps.stores.Publications.Publications(ctx, ref.Project.ID, ref.CollectionID, ref.ID, window.Offset(), window.PerPage)
	if int64(len(page.Items)) > window.PerPage {
		page.Items, page.HasMore = page.Items[:window.PerPage], true
	}
	return page, err
}

// Publication returns one publication with its content.
func (ps *Publications) Publication(ctx context.Context, ref review.EntryRef, number int64) (*Content, error) {
	collection, p, err := ps.publication(ctx, ref, number)
	if err != nil {
		return nil, err
	}
	content := core.Document(p.Content)
	shown := &Content{Publication: p, Fields: content.Value("fields"), Media: content.Value("media")}
	visible := collection.Visible(shown.Fields)
	if len(visible) != len(shown.Fields) {
		shown.Fields, shown.Media = visible, collection.OnlyShown(shown.Media, visible)
	}
	switch {
	case shown.Media != nil:
	case p.RequestID != 0:
		shown.Media = core.NewDocument(nil)
	default:
		shown.Media = onlyIDs(collection.MediaIDs(visible))
	}
	return shown, nil
}

// onlyIDs returns the media of a version that is not sealed: readers saw the library, whose words of
// that time are not recorded.
func onlyIDs(ids []int64) core.Document {
	media := make(map[string]json.RawMessage, len(ids))
	for _, id := range ids {
		name := strconv.FormatInt(id, 10)
		media[name] = json.RawMessage(`{"id":` + name + `}`)
	}
	return core.NewDocument(media)
}

// Proof returns the proof of one publication, signed now. core.KindConflict when the content has a field that
// is secret now: a proof has all of the content or none.
func (ps *Publications) Proof(ctx context.Context, ref review.EntryRef, number int64) (*Proof, error) {
	collection, p, err := ps.publication(ctx, ref, number)
	if err != nil {
		return nil, err
	}
	fields := core.Document(core.Document(p.Content).Value("fields"))
	if len(collection.Visible(fields)) != len(fields) {
		return nil, core.Conflict("has_secret_fields", "the content has a field that is hidden by now, so that it cannot be shown in full")
	}
	return ps.proof(ctx, ps.signer, p)
}

// proof returns the proof of p, signed by signer.
func (ps *Publications) proof(ctx context.Context, signer ports.Signer, p core.Publication) (*Proof, error) {
	if p.RequestID == 0 {
		return New(ctx, signer, p, nil)
	}
	request, err := ps.stores.Requests.Request(ctx, p.ProjectID, p.RequestID)
	if err != nil {
		return nil, err
	}
	if request.Release != nil {
		if request.Items, err = ps.stores.Requests.Members(ctx, p.ProjectID, request.ID); err != nil {
			return nil, err
		}
	}
	actions, err := ps.stores.Requests.Actions(ctx, p.ProjectID, request.ID)
	if err != nil {
		return nil, err
	}
	return New(ctx, signer, p, approval.Verify(request, actions).Record())
}

func (ps *Publications) publication(
	ctx context.Context, ref review.EntryRef, number int64,
) (*core.Collection, core.Publication, error) {
	collection, err := ps.collection(ctx, ref.Project, ref.CollectionID)
	if err != nil {
		return nil, core.Publication{}, err
	}
	p, err := ps.stores.Publications.Publication(ctx, ref.Project.ID, ref.CollectionID, ref.ID, number)
	if errors.Is(err, core.ErrNotFound) {
		err = core.NotFound("publication")
	}
	return collection, p, err
}

func (ps *Publications) collection(ctx context.Context, project *core.Project, id int64) (*core.Collection, error) {
	collection, err := ps.stores.Collections.Collection(ctx, project.ID, id)
	if errors.Is(err, core.ErrNotFound) {
		err = core.NotFound("collection")
	}
	return collection, err
}

// known returns core.ErrNotFound unless the collection has the entry.
func (ps *Publications) known(ctx context.Context, ref review.EntryRef) error {
	e, err := ps.stores.Entries.Entry(ctx, ref.Project.ID, ref.ID)
	if errors.Is(err, core.ErrNotFound) || err == nil && e.CollectionID != ref.CollectionID {
		return core.NotFound("entry")
	}
	return err
}
