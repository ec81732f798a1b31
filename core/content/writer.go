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

// Writer changes entries. All its methods, Destroy aside, answer the entry as
// Managed. They share these errors:
//
//   - core.ErrNotFound: the collection is not the Project's, or has no such entry.
//     An entry in the trash is found by Restore and Destroy alone.
//   - core.ErrInvalid: all that is wrong with the values at once, by location:
//     "fields.title", "fields.tags[2]", "locale", "translationOf", "publishAt".
//   - core.ErrPrecondition: ifMatch is given and is not the entry's Version. Without
//     it the last write wins.
//   - core.ErrConflict: the entry is not in a state for this.
//
// A write that changes nothing leaves the entry's Version as it is.
type Writer struct {
	tx     ports.Tx
	stores ports.Stores
	gate   ports.PublishGate
	hasher ports.PasswordHasher
	clock  ports.Clock
}

// NewWriter returns a Writer over these parts.
func NewWriter(
	tx ports.Tx, stores ports.Stores, gate ports.PublishGate,
	hasher ports.PasswordHasher, clock ports.Clock,
) *Writer {
	return &Writer{tx: tx, stores: stores, gate: gate, hasher: hasher, clock: clock}
}

// Write is what a caller wants of an entry. Absent members leave things as they are.
type Write struct {
	// Locale is one of the Project's locales, in any case. On create it defaults to
	// the Project's; afterwards it can only repeat what the entry has.
	Locale *string
	// TranslationOf is the id of an entry of the same collection whose translation
	// group the new entry joins; afterwards it can only repeat the group.
	TranslationOf *int64
	// Published is the box: true wants the draft public; false takes back what is
	// pending, or else the published version; nil leaves the entry as it is, so that
	// a Published one follows its draft where no workflow governs the Project and
	// nothing waits for its time.
	Published *bool
	// PublishAt goes with Published true.
	PublishAt *time.Time
	// Fields holds raw JSON by field name; null clears a field.
	Fields map[string]json.RawMessage
}

// A write that starts again, because another one came between, waits a random while
// that grows, so that many writers of one entry do not keep running into each other.
const (
	maxAttempts  = 20
	longestPause = 100 * time.Millisecond
)

// retry runs try, which reads everything anew, until nobody comes between.
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

// change has do change one entry, in one transaction, and answers what became of it.
func (w *Writer) change(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id int64, ifMatch *int64,
	do func(ctx context.Context, k *work, e *core.Entry) error,
) (*Managed, error) {
	var k *work
	var e core.Entry
	err := retry(ctx, func() error {
		return w.tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) (err error) {
			if k, err = w.begin(ctx, stores, actor, project, collectionID); err != nil {
				return err
			}
			if e, err = k.entry(ctx, id, ifMatch); err != nil {
				return err
			}
			return do(ctx, k, &e)
		})
	})
	if err != nil {
		return nil, err
	}
	return w.answer(ctx, k.schema, e)
}

// answer shows the entry as it was written.
func (w *Writer) answer(ctx context.Context, schema core.Schema, e core.Entry) (*Managed, error) {
	managed, err := manage(ctx, w.stores, w.gate, schema, []core.Entry{e})
	if err != nil {
		return nil, err
	}
	return &managed[0], nil
}
