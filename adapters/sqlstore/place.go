package sqlstore

import (
	"context"
	"time"
)

// Place is where the rows of a database are. It shows that other tools restored them: rows that come from
// another place name that one, and rows of an earlier time lack the event that was noted last.
type Place interface {
	// Here returns what is noted here. known is false if the place has no name that can be read.
	Here(ctx context.Context) (n Note, known bool, err error)
	// Settle returns the name of the place for rows that no place has had, and forgets what was noted.
	Settle(ctx context.Context) (name string, err error)
	// Note notes an event of the rows. It does nothing if rows name another place after each restore.
	Note(n Note) error
}

// Note is what a place says of its rows.
type Note struct {
	Name string `json:"name"` // of the place; empty: nothing is noted
	// Event is an event that the rows have, 0 if none is noted, At its time and Digest its Event.Digest.
	Event  int64     `json:"event"`
	At     time.Time `json:"at"`
	Digest string    `json:"digest"`
}

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
	same, err := db.outside().at(ctx, here)
	if err != nil || same {
		return false, err
	}
	err = db.alone(ctx, func(ctx context.Context, c conn) error {
		if err := c.lock(ctx, "LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		restored, err = c.notice(ctx)
		return err
	})
	return restored && err == nil, err
}

// notice is Notice in a transaction that excludes those of other processes.
func (c conn) notice(ctx context.Context) (restored bool, err error) {
	here, known, err := c.db.pools.Place.Here(ctx)
	if err != nil || !known {
		return false, err
	}
	same, err := c.at(ctx, here)
	if err != nil || same {
		return false, err
	}
	place, err := c.place(ctx)
	if err == nil && place != "" {
		restored, err = true, c.beginNextEpoch(ctx)
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

// outside runs statements outside any transaction.
func (db *DB) outside() conn { return conn{db: db} }

// place returns the name of the place that has had the rows, or "".
func (c conn) place(ctx context.Context) (string, error) {
	return value[string](ctx, c, "SELECT coalesce(place, '') FROM installation")
}

// at reports whether the rows are those that the place has had last.
func (c conn) at(ctx context.Context, here Note) (bool, error) {
	place, err := c.place(ctx)
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
	place, err := db.outside().place(ctx)
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
