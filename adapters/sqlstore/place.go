package sqlstore

import (
	"context"
)

// HasPlace reports whether the database can notice that other tools restored it.
func (db *DB) HasPlace(ctx context.Context) (bool, error) {
	_, known, err := db.pools.Place.Here(ctx)
	return known, db.fault(err, "database")
}

// Notice begins another epoch, as BeginEpoch does, if other tools restored the database since the last call
// of any process, and reports whether it did.
func (db *DB) Notice(ctx context.Context) (restored bool, err error) {
	here, known, err := db.pools.Place.Here(ctx)
	if err != nil || !known {
		return false, db.fault(err, "database")
	}
	same, err := isAt(ctx, db.outside(), here)
	if err != nil || same {
		return false, err
	}
	err = db.alone(ctx, func(ctx context.Context, c conn) error {
		if err := c.lock(ctx, "LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		restored, err = noticeRestore(ctx, c)
		return err
	})
	return restored && err == nil, err
}

// noticeRestore is Notice in a transaction that excludes those of other processes.
func noticeRestore(ctx context.Context, c conn) (restored bool, err error) {
	here, known, err := c.db.pools.Place.Here(ctx)
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
	name, err := c.db.pools.Place.Settle(ctx)
	if err == nil {
		_, err = c.exec(ctx, "UPDATE installation SET place = ?", name)
	}
	return restored, err
}

// notedPlace returns the name of the place that has had the rows, or "".
func notedPlace(ctx context.Context, c conn) (string, error) {
	return value[string](ctx, c, "SELECT coalesce(place, '') FROM installation")
}

// isAt reports whether the rows are those that the place has had last.
func isAt(ctx context.Context, c conn, here Note) (bool, error) {
	place, err := notedPlace(ctx, c)
	switch {
	case err != nil || place == "":
		return false, err
	case here.Name == "":
		return true, nil
	case here.Name != place || here.Event == 0:
		return here.Name == place, nil
	}
	keptSince, err := value[int64](ctx, c, "SELECT kept_since FROM event_log")
	if err != nil || here.At.UnixMilli() < keptSince { // it may have been deleted because of its age
		return err == nil, err
	}
	digest, err := eventStore{c}.Digest(ctx, here.Event)
	return digest == here.Digest, err
}

// Remember notes the last event, by which Notice finds out that an earlier copy of the database took its
// place.
func (db *DB) Remember(ctx context.Context) error {
	here, known, err := db.pools.Place.Here(ctx)
	if err != nil || !known {
		return db.fault(err, "database")
	}
	place, err := notedPlace(ctx, db.outside())
	if err != nil || place == "" || here.Name != "" && here.Name != place {
		return err // Notice comes first
	}
	id, err := value[int64](ctx, db.outside(), "SELECT coalesce(max(id), 0) FROM events")
	if err != nil || id == here.Event && here.Name != "" {
		return err
	}
	next := Note{Name: place}
	last, err := eventStore{db.outside()}.brief(ctx, id)
	for _, e := range last {
		next.Event, next.At, next.Digest = e.ID, e.At, e.Digest()
	}
	if err == nil {
		err = db.pools.Place.Note(next)
	}
	return db.fault(err, "database")
}
