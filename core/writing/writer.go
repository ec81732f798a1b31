package writing

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Writer changes entries. All its methods except Destroy return the entry as they wrote it.
// It is safe for concurrent use. The methods share these errors:
//
//   - core.ErrNotFound: the Project has no such collection, or the collection has no such
//     entry. Only Restore and Destroy find an entry in the trash.
//   - core.ErrInvalid: all faults of the values, by location:
//     "fields.title", "fields.tags[2]", "locale", "translationOf", "publishAt", "unpublishAt", "publishedAt",
//     "createdAt", "note", "comment", "drop.body".
//   - core.ErrPrecondition: ifMatch is not nil and not a tag of the entry. With nil the
//     last write wins.
//   - core.ErrConflict: the state of the entry does not allow the operation.
//   - The errors of review.Workflow.MayHide, if the write would take a published version from readers.
//
// A write that changes nothing does not increase the entry's Version.
type Writer struct {
	tx        ports.Tx
	stores    ports.Stores
	schemas   ports.Definitions
	approval  ports.Approval
	publisher *publishing.Publisher
	hasher    ports.PasswordHasher
	// withdrawsReleases is set by WithdrawingReleases.
	withdrawsReleases bool
	// emergency is set by InEmergency.
	emergency string
}

// InEmergency returns a Writer that takes published entries offline at once where the workflow of the Project reviews
// that, for admins of the Project. reason says why it cannot wait, in at most event.MaxReason characters; the event has
// it. Empty: no emergency.
func (w *Writer) InEmergency(reason string) *Writer {
	if reason == "" {
		return w
	}
	urgent := *w
	urgent.emergency = reason
	return &urgent
}

// WithdrawingReleases returns a Writer that also takes an entry away from readers, or withdraws it, if a submitted
// release has it: then the whole release is withdrawn. Other Writers return core.ErrConflict with the code
// "in_release".
func (w *Writer) WithdrawingReleases() *Writer {
	withdrawing := *w
	withdrawing.withdrawsReleases = true
	return &withdrawing
}

// NewWriter returns a Writer with these dependencies. The Writer checks values against the
// definitions of schemas before its transaction, and again if a definition has changed since. It replaces the
// addresses of files of publisher, in rich text, by the ids of the media items.
func NewWriter(
	stores ports.Stores, tx ports.Tx, schemas ports.Definitions, approval ports.Approval,
	publisher *publishing.Publisher, hasher ports.PasswordHasher,
) *Writer {
	return &Writer{tx: tx, stores: stores, schemas: schemas, approval: approval, publisher: publisher, hasher: hasher}
}

// operation changes an entry in a transaction, which has locked it.
type operation func(ctx context.Context, tx *transaction, e *core.Entry) (*core.Written, error)

// change runs do on one entry in one transaction, and returns the changed entry. require is
// live or trashed, and returns an error when the entry is in the wrong place.
func (w *Writer) change(
	ctx context.Context, actor core.Actor, ref review.EntryRef, ifMatch *core.EntryTag,
	require func(*core.Entry) error, do operation,
) (*core.Written, error) {
	return w.run(ctx, actor, ref.Project, ref.CollectionID, func(ctx context.Context, tx *transaction) (*core.Written, error) {
		e, err := tx.entry(ctx, ref.ID, ifMatch)
		if err != nil {
			return nil, err
		}
		if err := require(&e); err != nil {
			return nil, err
		}
		return do(ctx, tx, &e)
	})
}

// run runs do in one transaction on a collection, and returns what it wrote.
func (w *Writer) run(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID int64,
	do func(ctx context.Context, tx *transaction) (*core.Written, error),
) (*core.Written, error) {
	var written *core.Written
	err := w.transact(ctx, actor, func(ctx context.Context, stores ports.Stores, alone bool) error {
		tx, err := w.begin(ctx, stores, actor, project, collectionID, alone)
		if err != nil {
			return err
		}
		written, err = do(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}
