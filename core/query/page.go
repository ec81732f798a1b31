package query

import (
	"fmt"
	"math"

	"imprimatur/core"
)

// MaxPerPage is the largest number of items on a page that a Window selects.
const MaxPerPage = 100

// Window selects a page of a list by its number. The zero value is the first page.
type Window struct {
	Page    int64 // from 1; 0 is 1
	PerPage int64 // at most MaxPerPage; 0 is the default of the list
}

// Page is one page of a list.
type Page[T any] struct {
	Items []T
	Window
	Total   int64 // items of the whole list
	HasMore bool  // whether items follow the page
}

// Check sets the defaults of w; perPage is the default of PerPage. An invalid value is
// core.KindBadRequest and names the parameter: page or perPage.
func (w *Window) Check(perPage int64) error {
	if w.Page == 0 {
		w.Page = 1
	}
	if w.PerPage == 0 {
		w.PerPage = perPage
	}
	switch {
	case w.PerPage < 1 || w.PerPage > MaxPerPage:
		return core.BadParameter("perPage", w.PerPage, fmt.Sprintf("must be from 1 to %d", MaxPerPage))
	case w.Page < 1 || w.Page > math.MaxInt64/MaxPerPage:
		return core.BadParameter("page", w.Page, fmt.Sprintf("must be from 1 to %d", int64(math.MaxInt64/MaxPerPage)))
	default:
		return nil
	}
}

// Offset returns the number of items before the page.
func (w *Window) Offset() int64 { return (w.Page - 1) * w.PerPage }
