package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
)

// HasPlace reports whether the database can notice that other tools restored it.
func (db *DB) HasPlace(ctx context.Context) (bool, error) {
	_, known, err := db.Pools.Place.Here(ctx)
	return known, db.Fault(err, "database")
}

// Notice begins another epoch, as BeginEpoch does, if other tools restored the database since the last call
// of any process, and reports whether it did.
func (db *DB) Notice(ctx context.Context) (restored bool, err error) {
	here, known, err := db.Pools.Place.Here(ctx)
	if err != nil || !known {
		return false, db.Fault(err, "database")
	}
	same, err := isAt(ctx, db.Outside(), here)
	if err != nil || same {
		return false, err
	}
	err = db.Alone(ctx, func(ctx context.Context, c sqldb.Conn) error {
		if err := c.LockBy(ctx, "LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		restored, err = noticeRestore(ctx, c)
		return err
	})
	return restored && err == nil, err
}

// noticeRestore is Notice in a transaction that excludes those of other processes.
func noticeRestore(ctx context.Context, c sqldb.Conn) (restored bool, err error) {
	here, known, err := c.DB.Pools.Place.Here(ctx)
	if err != nil || !known {
		return false, err
	}
	same, err := isAt(ctx, c, here)
	if err != nil || same {
		return false, err
	}
	place, err := notedPlace(ctx, c)
	if err == nil && place != "" {
		restored, err = true, beginNextEpoch(ctx, c)
	}
	if err != nil {
		return false, err
	}
	name, err := c.DB.Pools.Place.Settle(ctx)
	if err == nil {
		_, err = c.Exec(ctx, "UPDATE installation SET place = ?", name)
	}
	return restored, err
}

// notedPlace returns the name of the place that has had the rows, or "".
func notedPlace(ctx context.Context, c sqldb.Conn) (string, error) {
	return sqldb.Value[string](ctx, c, "SELECT coalesce(place, '') FROM installation")
}

// isAt reports whether the rows are those that the place has had last.
func isAt(ctx context.Context, c sqldb.Conn, here sqldb.Note) (bool, error) {
	place, err := notedPlace(ctx, c)
	switch {
	case err != nil || place == "":
		return false, err
	case here.Name == "":
		return true, nil
	case here.Name != place || here.Event == 0:
		return here.Name == place, nil
	}
	keptSince, err := sqldb.Value[int64](ctx, c, "SELECT kept_since FROM event_log")
	if err != nil || here.At.UnixMilli() < keptSince { // it may have been deleted because of its age
		return err == nil, err
	}
	digest, err := eventStore{c}.Digest(ctx, here.Event)
	return digest == here.Digest, err
}

// Remember notes the last event, by which Notice finds out that an earlier copy of the database took its
// place.
func (db *DB) Remember(ctx context.Context) error {
	here, known, err := db.Pools.Place.Here(ctx)
	if err != nil || !known {
		return db.Fault(err, "database")
	}
	place, err := notedPlace(ctx, db.Outside())
	if err != nil || place == "" || here.Name != "" && here.Name != place {
		return err // Notice comes first
	}
	id, err := sqldb.Value[int64](ctx, db.Outside(), "SELECT coalesce(max(id), 0) FROM events")
	if err != nil || id == here.Event && here.Name != "" {
		return err
	}
	next := sqldb.Note{Name: place}
	last, err := eventStore{db.Outside()}.brief(ctx, id)
	for _, e := range last {
		next.Event, next.At, next.Digest = e.ID, e.At, e.Digest()
	}
	if err == nil {
		err = db.Pools.Place.Note(next)
	}
	return db.Fault(err, "database")
}
