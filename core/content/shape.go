package content

import (
	"context"
	"time"

	"imprimatur/core"
)

// Shaped is one entry as readers see it.
type Shaped struct {
	ID          int64
	Locale      string
	PublishedAt time.Time // zero: not published
	CreatedAt   time.Time
	UpdatedAt   time.Time // of the version shown
	// JSON is the entry as both content APIs answer it: the body of a single entry,
	// an element of a list, Entry.data in GraphQL. The caller must not change it.
	JSON []byte
}

// view is how rows are looked at.
type view struct {
	state      core.State
	locale     string // AllLocales: each row in its own
	timestamps bool
}

func (r *Reader) shape(ctx context.Context, schema core.Schema, v view, rows []core.Row) ([]Shaped, error) {
	return nil, nil
}
