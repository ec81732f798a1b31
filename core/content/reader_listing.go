package content

import (
	"context"

	"imprimatur/core"
)

// Listing is a checked query, ready to be run. Its parts run on their own, so that
// nothing is counted unless somebody asks.
type Listing struct {
	reader     *Reader
	from       source
	sel        core.Selection
	timestamps bool
}

// Page is one window of a listing. It may be shared: the caller must not change it.
type Page struct {
	Entries       []Shaped
	JSON          []byte      // all of Entries' in one piece, joined by commas
	Digest        core.Digest // of JSON
	Offset, Limit int64
	HasMore       bool // there are entries after the window
}

// Size is about how many bytes of memory the page takes.
func (p *Page) Size() int { return cap(p.JSON) + cap(p.Entries)*shapedSize }

// total is how many entries a listing has.
type total int64

// Size is how many bytes of memory a total takes.
func (total) Size() int { return 8 }

// Page reads the window. It makes at most four store calls, however many entries
// and relations there are: the rows, their relations, the relations of those, and
// the media of all.
func (l *Listing) Page(ctx context.Context) (*Page, error) {
	if l.from.epoch == 0 {
		return l.page(ctx)
	}
	return remember(ctx, l.reader, l.from, pageKey(&l.sel, l.timestamps), l.page)
}

func (l *Listing) page(ctx context.Context) (*Page, error) {
	rows, more, err := l.rows(ctx)
	if err != nil {
		return nil, err
	}
	entries, run, err := l.reader.shape(ctx, l.sel.Schema, view{state: l.sel.State, locale: l.sel.Locale, timestamps: l.timestamps}, rows)
	if err != nil {
		return nil, err
	}
	return &Page{Entries: entries, JSON: run, Digest: core.DigestOf(run), Offset: l.sel.Offset, Limit: l.sel.Limit, HasMore: more}, nil
}

// Total counts the whole selection, whatever its window: one store call.
func (l *Listing) Total(ctx context.Context) (int64, error) {
	if l.from.epoch == 0 {
		return l.reader.entries.Count(ctx, l.sel)
	}
	count, err := remember(ctx, l.reader, l.from, totalKey(&l.sel), func(ctx context.Context) (total, error) {
		count, err := l.reader.entries.Count(ctx, l.sel)
		return total(count), err
	})
	return int64(count), err
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
