package sqlstore

import "context"

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
