package approval

import (
	"fmt"
	"math"
)

// Window selects a page of a list. The zero value is the first page.
type Window struct {
	Page    int64 // from 1; 0 is 1
	PerPage int64 // at most MaxPerPage; 0 is DefaultPerPage
}

// Limits of Window.
const (
	DefaultPerPage = 25
	MaxPerPage     = 100
)

// Page is a page of requests.
type Page struct {
	Requests []View
	Window
	Total   int64
	HasMore bool
}

// Check sets the defaults of w. An invalid value is core.KindBadRequest and names the
// parameter: page or perPage.
func (w *Window) Check() error {
	if w.Page == 0 {
		w.Page = 1
	}
	if w.PerPage == 0 {
		w.PerPage = DefaultPerPage
	}
	switch {
	case w.PerPage < 1 || w.PerPage > MaxPerPage:
		return badParameter("perPage", w.PerPage, fmt.Sprintf("must be from 1 to %d", MaxPerPage))
	case w.Page < 1 || w.Page > math.MaxInt64/MaxPerPage:
		return badParameter("page", w.Page, "must be a number from 1")
	default:
		return nil
	}
}

// Offset returns how many items precede the page.
func (w *Window) Offset() int64 { return (w.Page - 1) * w.PerPage }

func (w *Window) page(requests []View, total int64, more bool) *Page {
	return &Page{Requests: requests, Window: *w, Total: total, HasMore: more}
}
