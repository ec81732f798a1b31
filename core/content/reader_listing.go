package content

import (
	"context"

	"imprimatur/core"
)

// Listing is a checked query, ready to be run. Its parts run on their own, so that
// nothing is counted unless somebody asks.
type Listing struct {
	reader     *Reader
	sel        core.Selection
	timestamps bool
}

// Page is one window of a listing.
type Page struct {
	Entries       []Shaped
	Offset, Limit int64
	HasMore       bool // there are entries after the window
}

// Page reads the window. It makes at most four store calls, however many entries
// and relations there are: the rows, their relations, the relations of those, and
// the media of all.
func (l *Listing) Page(ctx context.Context) (*Page, error) {
	rows, more, err := l.rows(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := l.reader.shape(ctx, l.sel.Schema, view{state: l.sel.State, locale: l.sel.Locale, timestamps: l.timestamps}, rows)
	if err != nil {
		return nil, err
	}
	return &Page{Entries: entries, Offset: l.sel.Offset, Limit: l.sel.Limit, HasMore: more}, nil
}

// Total counts the whole selection, whatever its window: one store call.
func (l *Listing) Total(ctx context.Context) (int64, error) {
	return l.reader.entries.Count(ctx, l.sel)
}

// rows reads the window's rows and whether there are more after it.
func (l *Listing) rows(ctx context.Context) ([]core.Row, bool, error) {
	rows, err := l.reader.entries.List(ctx, l.sel)
	if err != nil {
		return nil, false, err
	}
	if int64(len(rows)) > l.sel.Limit {
		return rows[:l.sel.Limit], true, nil
	}
	return rows, false, nil
}
