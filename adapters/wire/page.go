package wire

import (
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
)

// List is the response body of a list without pages.
type List[T any] struct {
	Data []T      `json:"data" nullable:"false"`
	Meta ListMeta `json:"meta"`
}

// Data is the response body of a list without anything beside it.
type Data[T any] struct {
	Data []T `json:"data" nullable:"false"`
}

// ListMeta describes a List.
type ListMeta struct {
	Total int `json:"total" doc:"The number of items." example:"1"`
}

// Shown returns the result of a use case as show converts it, or the error of the use case.
func Shown[T, U any](result T, err error, show func(T) U) (shown U, _ error) {
	if err == nil {
		shown = show(result)
	}
	return shown, err
}

// ListOf is Shown for a list of results.
func ListOf[T, U any](all []T, err error, show func(T) U) (List[U], error) {
	return Shown(all, err, func([]T) List[U] { return List[U]{Each(all, show), ListMeta{Total: len(all)}} })
}

// Page is the response body of a list with offset and limit.
type Page[T any] struct {
	Data []T      `json:"data" nullable:"false"`
	Meta PageMeta `json:"meta"`
}

// PageMeta describes one page of a list with offset and limit.
type PageMeta struct {
	Offset  int64  `json:"offset" doc:"The number of skipped items." example:"0"`
	Limit   int64  `json:"limit" doc:"The requested number of items." example:"25"`
	HasMore bool   `json:"hasMore" doc:"Whether more items follow." example:"false"`
	Total   *int64 `json:"total,omitempty" doc:"The total number of items, only with count=true." example:"250"`
}

// CursorPage is a Page with the cursor of the next page.
type CursorPage[T any] struct {
	Data []T        `json:"data" nullable:"false"`
	Meta CursorMeta `json:"meta"`
}

// CursorMeta is a PageMeta with the cursor of the next page.
type CursorMeta struct {
	Offset  int64  `json:"offset" doc:"The number of skipped items. 0 with the parameter after." example:"0"`
	Limit   int64  `json:"limit" doc:"The requested number of items." example:"25"`
	HasMore bool   `json:"hasMore" doc:"Whether more items follow." example:"true"`
	Next    string `json:"next,omitempty" doc:"The cursor of the next page, for the parameter after. Only if hasMore is true." example:"AcpVm3-bWwqqjgE"`
	Total   *int64 `json:"total,omitempty" doc:"The total number of items, only with count=true." example:"250"`
}

// Pages is the response body of a list with page and perPage.
type Pages[T any] struct {
	Data []T       `json:"data" nullable:"false"`
	Meta PagesMeta `json:"meta"`
}

// PagesOf is Shown for a page of results.
func PagesOf[T, U any](page query.Page[T], err error, show func(T) U) (Pages[U], error) {
	return Shown(page, err, func(p query.Page[T]) Pages[U] {
		return Pages[U]{Each(p.Items, show), PagesMeta{p.Page, p.PerPage, p.Total, p.HasMore}}
	})
}

// PagesMeta describes one page of a list with page and perPage.
type PagesMeta struct {
	Page    int64 `json:"page" doc:"The number of the page, starting at 1." example:"1"`
	PerPage int64 `json:"perPage" doc:"The number of items per page." example:"25"`
	Total   int64 `json:"total" doc:"The total number of items." example:"1"`
	HasMore bool  `json:"hasMore" doc:"Whether another page follows." example:"false"`
}

// TimeOrNull returns t formatted for responses, or nil for the zero time.
func TimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(core.FormatTime(t))
}

// DayText returns the date of the beginning of a day in UTC.
func DayText(day time.Time) string { return day.UTC().Format(time.DateOnly) }

// Each returns the results of f for all elements. It is never nil, so that its JSON is a list.
func Each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, element := range list {
		out[i] = f(element)
	}
	return out
}
