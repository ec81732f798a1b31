package rest

// list is the answer of a list that is always whole.
type list[T any] struct {
	Data []T      `json:"data" nullable:"false"`
	Meta listMeta `json:"meta"`
}

type listMeta struct {
	Total int `json:"total" doc:"How many there are." example:"1"`
}

func listOf[T, U any](all []T, show func(T) U) list[U] {
	return list[U]{Data: each(all, show), Meta: listMeta{Total: len(all)}}
}

// page is the answer of a list that is read window by window.
type page[T any] struct {
	Data []T      `json:"data" nullable:"false"`
	Meta pageMeta `json:"meta"`
}

type pageMeta struct {
	Offset  int64  `json:"offset" doc:"How many were skipped." example:"0"`
	Limit   int64  `json:"limit" doc:"How many were asked for." example:"25"`
	HasMore bool   `json:"hasMore" doc:"Whether there are more after this window." example:"false"`
	Total   *int64 `json:"total,omitempty" doc:"How many there are in all, when count=true asked for it." example:"250"`
}

// pagesMeta says where in a list of pages this one is.
type pagesMeta struct {
	Page    int64 `json:"page" doc:"From 1." example:"1"`
	PerPage int64 `json:"perPage" doc:"How many a page holds." example:"25"`
	Total   int64 `json:"total" doc:"How many there are in all." example:"1"`
	HasMore bool  `json:"hasMore" doc:"Whether there is a page after this one." example:"false"`
}
