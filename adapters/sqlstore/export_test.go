package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"imprimatur/core"
	"imprimatur/ports"
)

// HoldReads takes every place there is for reads.
func (db *DB) HoldReads(ctx context.Context) (release func()) {
	var holders []context.Context
	for range db.Load().Reads.Places {
		holder := WithRequest(ctx)
		if err := db.reads.Enter(holder); err != nil {
			panic(err)
		}
		holders = append(holders, holder)
	}
	return func() {
		for _, holder := range holders {
			db.reads.Leave(holder)
		}
	}
}

// Miscounted returns the tallies that say something else than the rows of the index do.
func (db *DB) Miscounted(ctx context.Context) (wrong []string, err error) {
	done := errors.New("nothing is to change")
	err = db.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		s := stores.Entries.(entryStore) //nolint:errcheck,forcetypeassert // it is one
		kept, err := s.tallies(ctx)
		if err != nil {
			return err
		}
		for _, text := range []string{"DELETE FROM entry_tallies", Recounts("1 = 1")[1]} {
			if _, err := s.exec(ctx, text); err != nil {
				return err
			}
		}
		counted, err := s.tallies(ctx)
		if err != nil {
			return err
		}
		for key, is := range kept {
			if should := counted[key]; is.entries != should.entries || is.entries > 0 && is.only != nil && *is.only != *should.only {
				wrong = append(wrong, fmt.Sprintf("%v: %v, and not %v", key, is, should))
			}
		}
		for key := range counted {
			if _, ok := kept[key]; !ok {
				wrong = append(wrong, fmt.Sprintf("%v is missing", key))
			}
		}
		return done
	})
	if errors.Is(err, done) {
		err = nil
	}
	return wrong, err
}

type keptTally struct {
	entries int64
	only    *string
}

func (s entryStore) tallies(ctx context.Context) (map[[5]int64]keptTally, error) {
	type row struct {
		key [5]int64
		keptTally
	}
	rows, err := collect(ctx, s.conn, func(rows Rows) (r row, err error) {
		err = rows.Scan(&r.key[0], &r.key[1], &r.key[2], &r.key[3], &r.key[4], &r.entries, &r.only)
		return r, err
	}, "SELECT project_id, scope, place, bucket, serves, entries, coalesce(text, CAST(num AS text)) FROM entry_tallies")
	all := map[[5]int64]keptTally{}
	for _, r := range rows {
		all[r.key] = r.keptTally
	}
	return all, err
}
