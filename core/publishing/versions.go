package publishing

import (
	"bytes"
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Versions makes versions of the entries of one collection public, and records their revisions, in one
// transaction. It changes entries in memory; the caller stores them.
type Versions struct {
	// Now is the time of the revisions, by the clock of the Publisher.
	Now time.Time

	stores ports.Stores
	schema core.Schema
	by     core.ActorRef
	// library has at least the media that the drafts show; nil: they are read for each draft.
	library *[]core.MediaItem
	// pruning removes old revisions later; nil: Record removes them.
	pruning *pruning
	// last is the latest result of snapshot.
	last struct {
		locale     string
		doc, media core.Document
		snapshot   []byte
		hash       string
	}
}

// In returns Versions in the transaction of stores. by is the author of revisions, and the publisher of
// releases that name none.
func (p *Publisher) In(stores ports.Stores, schema core.Schema, by core.ActorRef) *Versions {
	return &Versions{Now: p.clock.Now(), stores: stores, schema: schema, by: by}
}

// seal returns the sealed media of the draft of e.
func (v *Versions) seal(ctx context.Context, e *core.Entry) (core.Document, error) {
	if v.library != nil {
		return v.schema.Collection.Seal(e.Draft, *v.library), nil
	}
	return ports.Seal(ctx, v.stores.Media, e.ProjectID, v.schema.Collection, e.Draft)
}

// snapshot returns the snapshot of a version and its hash. It keeps the last result, because a
// write that publishes its draft needs that snapshot twice.
func (v *Versions) snapshot(locale string, doc, media core.Document) (snapshot []byte, hash string) {
	l := &v.last
	if l.snapshot == nil || l.locale != locale || !bytes.Equal(l.doc, doc) || !bytes.Equal(l.media, media) {
		l.locale, l.doc, l.media = locale, doc, media
		l.snapshot, l.hash, _ = v.schema.Collection.Snapshot(locale, doc, media)
	}
	return l.snapshot, l.hash
}

// Show makes the release the published version of e, unless readers see it already; the store sets
// the time. A release without a request seals nothing.
func (v *Versions) Show(ctx context.Context, e *core.Entry, release review.NextVersion) error {
	return v.ShowAfter(ctx, e, e.Published, release)
}

// ShowAfter is Show for a release that takes the place of the published version before, whose withheld
// content stays. e has none if it was in the trash.
func (v *Versions) ShowAfter(ctx context.Context, e *core.Entry, before core.Document, release review.NextVersion) error {
	c, shown, draft := v.schema.Collection, release.Document, e.Draft
	if release.Snapshot == nil { // otherwise all of it is published, also what the definition withholds by now
		shown, draft = c.Present(release.Document), release.Document
	}
	release.Document = c.Republished(shown, draft, before)
	same, err := v.same(ctx, e, release)
	if err != nil {
		return err
	}
	if same && !release.Always {
		e.Published = release.Document // without what is dropped
		return nil
	}
	if release.Snapshot == nil {
		release.Snapshot, release.ContentHash = v.snapshot(e.Locale, release.Document, nil)
	}
	if release.By.Kind == "" {
		release.By = v.by
	}
	if !release.Since.IsZero() {
		e.PublishedAt = release.Since
	}
	e.Published, e.PublishedMedia, e.PublishedHash = release.Document, release.Media, release.ContentHash
	e.ReleasedAt = time.Time{}
	e.Publishing = &core.Publishing{By: release.By, RequestID: release.RequestID, Content: release.Snapshot}
	return nil
}

// same reports whether readers of e see the release already.
func (v *Versions) same(ctx context.Context, e *core.Entry, release review.NextVersion) (bool, error) {
	same := e.Published != nil && (release.Since.IsZero() || release.Since.Equal(e.PublishedAt))
	if release.Snapshot != nil { // as it was reviewed
		return same && string(e.Published) == string(release.Document) && string(e.PublishedMedia) == string(release.Media), nil
	}
	if !same {
		return false, nil
	}
	return v.Shows(ctx, e, release.Document)
}

// Shows reports whether readers of e see the content of doc. If they see sealed media, the
// present words of the items must equal the sealed ones.
func (v *Versions) Shows(ctx context.Context, e *core.Entry, doc core.Document) (bool, error) {
	c := v.schema.Collection
	if e.PublishedMedia == nil || !c.SameContent(doc, e.Published) {
		return e.Shows(c, doc, nil), nil
	}
	library, err := ports.MediaOf(ctx, v.stores.Media, e.ProjectID, c.MediaIDs(doc))
	return e.Shows(c, doc, library), err
}

// Hide removes the published version.
func Hide(e *core.Entry) {
	e.Published, e.PublishedHash, e.PublishedMedia = nil, "", nil
	e.PublishedAt, e.ReleasedAt = time.Time{}, time.Time{}
}
