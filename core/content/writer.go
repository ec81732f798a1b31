package content

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Writer changes entries. All its methods except Destroy return the changed entry as Managed.
// It is safe for concurrent use. The methods share these errors:
//
//   - core.ErrNotFound: the collection is not the Project's, or has no such entry. Only
//     Restore and Destroy find an entry in the trash.
//   - core.ErrInvalid: all faults of the values, by location:
//     "fields.title", "fields.tags[2]", "locale", "translationOf", "publishAt", "unpublishAt", "note".
//   - core.ErrPrecondition: ifMatch is given and is not the entry's Version. Without
//     it the last write wins.
//   - core.ErrConflict: the state of the entry does not allow the operation.
//
// A write that changes nothing leaves the entry's Version as it is.
type Writer struct {
	tx      ports.Tx
	stores  ports.Stores
	schemas ports.Definitions
	gate    ports.PublishGate
	hasher  ports.PasswordHasher
	clock   ports.Clock
}

// NewWriter returns a Writer with these dependencies. The writer checks values by schemas before
// its transaction, and checks them again when a definition has changed since.
func NewWriter(
	stores ports.Stores, tx ports.Tx, schemas ports.Definitions, gate ports.PublishGate,
	hasher ports.PasswordHasher, clock ports.Clock,
) *Writer {
	return &Writer{tx: tx, stores: stores, schemas: schemas, gate: gate, hasher: hasher, clock: clock}
}

// Write describes a write of an entry. Absent members change nothing.
type Write struct {
	// Locale is one of the Project's locales, in any case. On create it defaults to
	// the Project's; afterwards it can only repeat what the entry has.
	Locale *string
	// TranslationOf is the id of an entry of the same collection whose translation
	// group the new entry joins; afterwards it can only repeat the group.
	TranslationOf *int64
	// Published is the requested publication state. true publishes the draft. false withdraws
	// a pending request or schedule or, when nothing is pending, unpublishes the entry. nil
	// keeps the state; the published version then follows the draft, unless a workflow
	// governs the Project or a publication is scheduled.
	Published *bool
	// KeepPublished changes only the draft, also where no workflow governs the Project. It
	// excludes Published.
	KeepPublished bool
	// PublishAt is the time of publication. It needs Published true.
	PublishAt *time.Time
	// UnpublishAt is the end of the publication, later than PublishAt and now. It needs
	// Published true. null removes the present end; absent, an end that is still to come stays.
	UnpublishAt core.Optional[time.Time]
	// Note says what the write is about. It closes the revision that the write belongs to. At
	// most core.MaxNote characters.
	Note *string
	// Fields holds raw JSON by field name; null clears a field.
	Fields map[string]json.RawMessage
	// AllowIncomplete accepts a draft that does not meet the options required, min and pattern
	// of its fields. It has no effect on a draft that becomes public without another check.
	AllowIncomplete bool
}

// A write that lost a race starts again after a random, growing pause (exponential backoff
// with jitter), so that many writers of one entry do not collide again.
const (
	maxAttempts  = 20
	longestPause = 100 * time.Millisecond
)

// retry runs try until it returns no core.ErrChangedMeanwhile, at most maxAttempts times. try
// reads everything again.
func retry(ctx context.Context, try func() error) error {
	for attempt := range maxAttempts - 1 {
		err := try()
		if !errors.Is(err, core.ErrChangedMeanwhile) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(min(time.Millisecond<<attempt, longestPause))):
		}
	}
	return try()
}

// transact runs do in a transaction, as retry does.
func transact(ctx context.Context, tx ports.Tx, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return retry(ctx, func() error { return tx.Do(ctx, actor, do) })
}

// change runs do on one entry in one transaction, and returns the changed entry. in is live or
// trashed: where the entry must be.
func (w *Writer) change(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64,
	in func(*core.Entry) error, do func(ctx context.Context, k *work, e *core.Entry) error,
) (*Managed, error) {
	var k *work
	var e core.Entry
	err := transact(ctx, w.tx, actor, func(ctx context.Context, stores ports.Stores) (err error) {
		if k, err = w.begin(ctx, stores, actor, project, collectionID); err != nil {
			return err
		}
		if e, err = k.entry(ctx, id, ifMatch); err != nil {
			return err
		}
		if err = in(&e); err != nil {
			return err
		}
		return do(ctx, k, &e)
	})
	if err != nil {
		return nil, err
	}
	return manageOne(ctx, w.stores, w.gate, k.schema, e)
}
