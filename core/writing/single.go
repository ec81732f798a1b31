package writing

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// errNotAlone reports that a transaction may add an entry to a singleton and has only the shared lock
// of the Project.
var errNotAlone = errors.New("the write needs the exclusive lock of the project")

// transact runs do in a transaction. If do returns errNotAlone, it runs again in a transaction that has
// the exclusive lock of the Project: begin takes it with alone. Writes of other collections than
// singletons need no statement for this.
func transact(
	ctx context.Context, tx ports.Transactor, actor core.Actor, do func(ctx context.Context, stores ports.Stores, alone bool) error,
) error {
	alone := false
	run := func() error {
		return tx(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return do(ctx, stores, alone) })
	}
	err := run()
	if errors.Is(err, errNotAlone) {
		alone = true
		err = run()
	}
	return err
}

// singleton keeps a collection that is a singleton to one translation group.
type singleton struct {
	alone bool  // the transaction has the exclusive lock of the Project
	group int64 // the translation group; 0: not known, or none
}

// admit returns core.ErrConflict when e, which is new or was in the trash, would be in the second
// translation group of a singleton. Transactions that add to a singleton run one after the other: admit
// returns errNotAlone in one that does not have the exclusive lock of the Project.
func (s *singleton) admit(ctx context.Context, entries ports.EntryReader, schema core.Schema, e *core.Entry) error {
	if !schema.Collection.Singleton {
		return nil
	}
	if !s.alone {
		return errNotAlone
	}
	if s.group == 0 {
		rows, _, err := entries.List(ctx, query.Selection{
			Schema: schema, State: core.StateWithDraft, Locale: query.AllLocales, Limit: 1,
			Sort: []query.SortKey{{Field: core.SystemID}}, Without: query.RowDates | query.RowDocument,
		}, false)
		if err != nil {
			return err
		}
		if len(rows) > 0 {
			s.group = rows[0].Group
		}
	}
	if s.group != 0 && s.group != e.Group {
		return core.Conflict("singleton", "the collection %s holds a single entry, and has it: change or translate this entry, or move it to the trash", schema.Collection.Slug)
	}
	return nil
}

// transact is transact with ports.Retry.
func (w *Writer) transact(ctx context.Context, actor core.Actor, do func(ctx context.Context, stores ports.Stores, alone bool) error) error {
	return ports.Retry(ctx, func() error { return transact(ctx, w.tx.Do, actor, do) })
}
