package reading

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// DefaultRevisions is the default number of revisions on a page.
const DefaultRevisions = 24

// RevisionView is a revision with its content. Changed does not name secret fields.
type RevisionView struct {
	core.RevisionRecord
	Fields json.RawMessage // as Managed.Fields
	Media  core.Document   // the sealed media of Fields; nil: none
}

// Revisions lists the revisions of an entry that is not in the trash, the newest first. Changed does
// not name secret fields. page starts at 1. 0 means the default: page 1, DefaultRevisions per page.
func (d *Drafts) Revisions(
	ctx context.Context, ref review.EntryRef, page, perPage int64,
) (p query.Page[core.RevisionRecord], err error) {
	p.Page, p.PerPage = max(page, 1), cmp.Or(perPage, DefaultRevisions)
	switch {
	case p.PerPage < 1 || p.PerPage > query.MaxPerPage:
		return p, core.BadParameter("perPage", nil, "must be from 1 to "+strconv.Itoa(query.MaxPerPage))
	case p.Page > maxRevisionPage:
		return p, core.BadParameter("page", nil, "must be at most "+strconv.Itoa(maxRevisionPage))
	}
	schema, e, err := d.entry(ctx, ref)
	if err != nil {
		return p, err
	}
	if p.Total, err = d.stores.Revisions.Count(ctx, ref.Project.ID, ref.ID); err != nil {
		return p, err
	}
	p.Total++ // the newest revision is stored in the entry
	q := core.RevisionQuery{ProjectID: ref.Project.ID, EntryID: ref.ID, Offset: p.Offset() - 1, Limit: p.PerPage}
	if p.Page == 1 {
		newest, err := core.DecodeRevision(e.Revision)
		if err != nil {
			return p, err
		}
		p.Items = append(p.Items, newest)
		q.Offset, q.Limit = 0, p.PerPage-1
	}
	if q.Limit > 0 {
		past, err := d.stores.Revisions.Revisions(ctx, q)
		if err != nil {
			return p, err
		}
		for _, r := range past {
			p.Items = append(p.Items, r.RevisionRecord)
		}
	}
	for i := range p.Items {
		p.Items[i].Changed = schema.Collection.WithoutSecrets(p.Items[i].Changed)
	}
	p.HasMore = p.Page*p.PerPage < p.Total
	return p, nil
}

// maxRevisionPage keeps the offset of a page within an int64.
const maxRevisionPage = 1_000_000_000

// Revision returns a revision of an entry that is not in the trash.
func (d *Drafts) Revision(ctx context.Context, ref review.EntryRef, number int64) (*RevisionView, error) {
	schema, e, revisions, err := d.revisionsOf(ctx, ref, number)
	if err != nil {
		return nil, err
	}
	r := revisions[0]
	fields, err := d.fieldsOf(ctx, schema, &e, r.Fields)
	if err != nil {
		return nil, err
	}
	r.Changed = schema.Collection.WithoutSecrets(r.Changed)
	return &RevisionView{RevisionRecord: r.RevisionRecord, Fields: fields[0], Media: visibleMedia(schema.Collection, r.Fields, r.Media)}, nil
}

// fieldsOf returns documents as versions of e in the shape of Managed.Fields.
func (d *Drafts) fieldsOf(ctx context.Context, schema core.Schema, e *core.Entry, docs ...core.Document) ([]json.RawMessage, error) {
	rows := make([]core.Row, len(docs))
	for i, doc := range docs {
		rows[i] = e.Row(core.StateWithDraft)
		rows[i].Document = doc
	}
	fields, _, err := d.fields(ctx, schema, rows, nil)
	return fields, err
}

// visibleMedia returns the members of sealed that doc shows in fields that are not secret in the
// present definition.
func visibleMedia(c *core.Collection, doc, sealed core.Document) core.Document {
	return c.OnlyShown(sealed, doc)
}

// revisionsOf returns an entry that is not in the trash and its revisions with the given numbers.
// It reads again if a write has changed the revisions between the reads.
func (d *Drafts) revisionsOf(
	ctx context.Context, ref review.EntryRef, numbers ...int64,
) (schema core.Schema, e core.Entry, revisions []core.PastRevision, err error) {
	err = ports.Retry(ctx, func() error {
		if schema, e, err = d.entry(ctx, ref); err != nil {
			return err
		}
		revisions, err = ports.PastRevisions(ctx, d.stores.Revisions, schema.Collection, &e, numbers...)
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		now, failed := d.stores.Entries.Entry(ctx, ref.Project.ID, ref.ID)
		if failed == nil && string(now.Revision) != string(e.Revision) {
			return core.ErrChangedMeanwhile
		}
		return errors.Join(err, failed)
	})
	return schema, e, revisions, err
}
