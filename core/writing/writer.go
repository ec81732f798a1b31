package writing

import (
	"context"
	"encoding/json"
	"time"

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

// Write describes a write of an entry. Absent members change nothing.
type Write struct {
	// Locale is a locale of the Project, case-insensitive. On create the default is the
	// Project's default locale. On update it must be the entry's locale.
	Locale *string
	// TranslationOf is the id of an entry of the same collection. The new entry joins its
	// translation group. On update it must be an entry of the same group.
	TranslationOf *int64
	// Published is the requested publication state. true publishes the draft. false withdraws
	// a pending request or schedule or, when nothing is pending, unpublishes the entry. nil
	// keeps the state. The fields that the write names, and slugs that it generates, then become
	// public too, and nothing else of the draft, if the entry is published, no workflow governs
	// the Project and no publication is scheduled.
	Published *bool
	// KeepPublished changes only the draft, even if no workflow governs the Project. It
	// requires that Published is nil.
	KeepPublished bool
	// PublishAt is the time of publication. It needs Published true.
	PublishAt *time.Time
	// UnpublishAt is the end of the publication, later than PublishAt and now. It needs
	// Published true. null removes the end. If absent, a future end stays: that of the scheduled
	// publication that this one replaces or, without one, the present end. It must then also be
	// later than PublishAt.
	UnpublishAt core.Optional[time.Time]
	// PublishedAt is what readers see as publishedAt, for content that was published elsewhere
	// before; zero: the time of the publication. It does not change the times of publications. It is
	// for admins of the Project (core.KindForbidden), where no workflow governs the Project, and for
	// a write that publishes the entry or changes a published one.
	PublishedAt time.Time
	// CreatedAt is when the entry was created, for content from elsewhere; zero: a new entry gets the
	// time of the write, another one keeps its own. It is for admins of the Project
	// (core.KindForbidden). Where a workflow governs the Project, it is not for a published entry.
	CreatedAt time.Time
	// Note describes the write, in at most maxNote characters. It closes the revision that
	// the write belongs to.
	Note *string
	// Comment goes into the record of the request that the write opens or withdraws, if any. It has at
	// most 4,000 characters.
	Comment string
	// Fields holds raw JSON by field name; null clears a field.
	Fields map[string]json.RawMessage
	// Drop has the keys of withheld items to remove, by field with items. Other withheld items stay when
	// Fields has a list for their field; null removes all.
	Drop map[string][]string
	// AllowIncomplete accepts a draft that does not meet the options required, min and pattern
	// of its fields. It has no effect on a version that becomes public without another check.
	AllowIncomplete bool
}

// change runs do on one entry in one transaction, and returns the changed entry. require is
// live or trashed, and returns an error when the entry is in the wrong place.
func (w *Writer) change(
	ctx context.Context, actor core.Actor, ref review.EntryRef, ifMatch *core.EntryTag,
	require func(*core.Entry) error, do func(ctx context.Context, tx *transaction, e *core.Entry) error,
) (*core.Written, error) {
	var tx *transaction
	var e core.Entry
	err := w.transact(ctx, actor, func(ctx context.Context, stores ports.Stores, alone bool) (err error) {
		if tx, err = w.begin(ctx, stores, actor, ref.Project, ref.CollectionID, alone); err != nil {
			return err
		}
		if e, err = tx.entry(ctx, ref.ID, ifMatch); err != nil {
			return err
		}
		if err = require(&e); err != nil {
			return err
		}
		return do(ctx, tx, &e)
	})
	if err != nil {
		return nil, err
	}
	return tx.written(e), nil
}
