package reading

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/query"
)

// Listing is a checked query, ready to run. Page and Total run separately, so that nothing is
// counted unless a caller needs the total.
type Listing struct {
	reader  *Reader
	sel     query.Selection
	shape   shape
	counted bool // the total is read with the page
	cursor  bool // a page has Next
}

// Selection returns what the listing reads.
func (l *Listing) Selection() query.Selection { return l.sel }

// Page is one window of a listing.
type Page struct {
	Entries       []Shaped
	JSON          []byte // the JSON of all Entries, joined by commas
	Offset, Limit int64
	HasMore       bool // entries follow the window
	// Next is the cursor of the window that follows, if HasMore is true and the query has Cursor.
	Next string
	// Total is the number of entries of the listing, or nil if only Listing.Total can
	// determine it.
	Total *int64
}

// Page reads the window. For any number of entries and relations, it makes one store call for the
// rows, one for the media, and one for each level of relations: at most four with the default depth.
// More than query.MaxEntries entries are core.KindBadRequest.
func (l *Listing) Page(ctx context.Context) (page *Page, err error) {
	err = l.whole(ctx, func(l *Listing) error {
		page, err = l.page(ctx)
		return err
	})
	return page, err
}

func (l *Listing) page(ctx context.Context) (*Page, error) {
	rows, more, total, err := l.rows(ctx)
	if err != nil {
		return nil, err
	}
	page := &Page{Offset: l.sel.Offset, Limit: l.sel.Limit, HasMore: more, Total: total}
	if more && l.cursor {
		page.Next = cursorAfter(&l.sel, &rows[len(rows)-1])
	}
	seen := view{state: l.sel.State, locale: l.sel.Locale, shape: l.shape}
	if page.Entries, page.JSON, err = l.reader.shape(ctx, l.sel.Schema, seen, rows); err != nil {
		return nil, err
	}
	return page, nil
}

// PageAndTotal returns Page and Total; together they usually cost little more than Page.
func (l *Listing) PageAndTotal(ctx context.Context) (page *Page, total int64, err error) {
	err = l.whole(ctx, func(l *Listing) error {
		if page, err = l.page(ctx); err == nil {
			total, err = l.TotalOf(ctx, page)
		}
		return err
	})
	return page, total, err
}

// TotalOf returns the total of the page, or counts if the page has none. The result is never less
// than what the page shows, even if a write comes between the page and the count.
func (l *Listing) TotalOf(ctx context.Context, page *Page) (int64, error) {
	return l.totalOf(ctx, page.Total, len(page.Entries), page.HasMore)
}

func (l *Listing) totalOf(ctx context.Context, known *int64, shown int, more bool) (int64, error) {
	if known != nil {
		return *known, nil
	}
	total, err := l.Total(ctx)
	if shown == 0 {
		return total, err
	}
	least := l.sel.Offset + int64(shown)
	if more {
		least++
	}
	return max(total, least), err
}

// Total counts the whole selection, whatever its window: one store call.
func (l *Listing) Total(ctx context.Context) (int64, error) {
	return l.reader.entries.Count(ctx, l.sel)
}

// rows returns the window's rows, whether more rows follow, and the total. The total is nil unless it
// was counted or the window has the last rows and their number in the listing.
func (l *Listing) rows(ctx context.Context) (rows []core.Row, more bool, total *int64, err error) {
	rows, counted, err := l.reader.entries.List(ctx, l.sel, l.counted)
	if err != nil {
		return nil, false, nil, err
	}
	found := int64(len(rows))
	switch end := l.sel.Offset + found; {
	case found > l.sel.Limit:
		rows, more = rows[:l.sel.Limit], true
	case l.sel.After == nil && (found > 0 || l.sel.Offset == 0):
		return rows, false, &end, nil
	}
	if l.counted {
		total = &counted
	}
	return rows, more, total, nil
}
