package content

import (
	"context"
	"sync"

	"imprimatur/core"
)

// Listing is a checked query, ready to run. Page and Total run separately, so that nothing is
// counted unless a caller needs the total.
type Listing struct {
	reader     *Reader
	from       source
	sel        core.Selection
	timestamps bool
	counted    bool // the total is read with the page
}

// Selection returns what the listing reads.
func (l *Listing) Selection() core.Selection { return l.sel }

// Page is one window of a listing. It may be shared: the caller must not change it.
type Page struct {
	Entries       []Shaped
	JSON          []byte      // all of Entries' in one piece, joined by commas
	Digest        core.Digest // of JSON
	Offset, Limit int64
	HasMore       bool // there are entries after the window
	// Total is how many entries the listing has, where the page is enough to tell;
	// nil where Listing.Total does.
	Total *int64

	own     bool // not shared: Release may reuse its memory
	layouts rowLayouts
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
		return l.read(ctx, ownPage)
	}
	return remember(ctx, l.reader, l.from, pageKey(&l.sel, l.timestamps, l.counted), func(ctx context.Context) (*Page, error) {
		return l.read(ctx, newPage)
	})
}

// ownPages is the pool of released pages.
var ownPages = sync.Pool{New: func() any { return newPage() }}

func newPage() *Page { return &Page{Entries: []Shaped{}} }

func ownPage() *Page {
	page := ownPages.Get().(*Page)
	page.own = true
	return page
}

// maxPooled is the largest page, in bytes, that returns to the pool. A larger one would pin its
// memory.
const maxPooled = 1 << 20

// Release returns the memory of the page to the pool. The caller must not use the page, or
// anything of it, afterwards. It does nothing for a cached page.
func (p *Page) Release() {
	if !p.own || p.Size() > maxPooled {
		return
	}
	clear(p.Entries)
	clear(p.layouts.rows)
	*p = Page{Entries: p.Entries[:0], JSON: p.JSON[:0], layouts: p.layouts}
	ownPages.Put(p)
}

// read reads the window into a pooled page. It takes the page from the pool only after the
// rows arrived, so that waiting requests hold no memory.
func (l *Listing) read(ctx context.Context, take func() *Page) (*Page, error) {
	var buffer core.RowBuffer
	defer buffer.Free()
	rows, more, total, err := l.rows(ctx, &buffer)
	if err != nil {
		return nil, err
	}
	page := take()
	seen := view{state: l.sel.State, locale: l.sel.Locale, timestamps: l.timestamps}
	if err := l.reader.shape(ctx, l.sel.Schema, seen, rows, page); err != nil {
		return nil, err
	}
	if !page.own {
		page.layouts = rowLayouts{} // a cache keeps the page
	}
	page.Digest, page.Offset, page.Limit, page.HasMore, page.Total = core.DigestOf(page.JSON), l.sel.Offset, l.sel.Limit, more, total
	return page, nil
}

// PageAndTotal returns Page and Total; together they usually cost little more than Page.
func (l *Listing) PageAndTotal(ctx context.Context) (*Page, int64, error) {
	page, err := l.Page(ctx)
	if err != nil {
		return nil, 0, err
	}
	total, err := l.totalOf(ctx, page.Total)
	return page, total, err
}

// totalOf returns the total if the page has it, and counts otherwise.
func (l *Listing) totalOf(ctx context.Context, known *int64) (int64, error) {
	if known != nil {
		return *known, nil
	}
	return l.Total(ctx)
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

// rows reads the window's rows, whether there are more after it, and how many there are
// in all where that comes with them: where they are the last ones, it always does.
func (l *Listing) rows(ctx context.Context, into *core.RowBuffer) (rows []core.Row, more bool, total *int64, err error) {
	sel := l.sel
	sel.Into = into
	if l.counted {
		var n int64
		rows, n, err = l.reader.entries.ListAndCount(ctx, sel)
		total = &n
	} else {
		rows, err = l.reader.entries.List(ctx, sel)
	}
	switch found := int64(len(rows)); {
	case err != nil:
		return nil, false, nil, err
	case found > l.sel.Limit:
		return rows[:l.sel.Limit], true, total, nil
	case found > 0 || l.sel.Offset == 0:
		found += l.sel.Offset
		return rows, false, &found, nil
	default:
		return rows, false, total, nil
	}
}
