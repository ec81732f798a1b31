package rest

import "imprimatur/core"

// contentUse is an entry with a version that refers to another entry.
type contentUse struct {
	EntryID      int64   `json:"entryId" example:"42"`
	CollectionID int64   `json:"collectionId" example:"1"`
	Locale       string  `json:"locale" example:"en"`
	Title        *string `json:"title" doc:"The first 200 characters of its draft in the field that names entries. null means none." example:"Harbour to close for repairs"`
	Draft        bool    `json:"draft" doc:"Whether the draft refers to the entry." example:"true"`
	Published    bool    `json:"published" doc:"Whether the published version refers to the entry." example:"true"`
	Requested    bool    `json:"requested" doc:"Whether a pending or approved request would publish a version that refers to the entry." example:"false"`
	Trashed      bool    `json:"trashed" doc:"Whether the referring entry is in the trash." example:"false"`
}

func showContentUse(u core.Use) contentUse {
	return contentUse{u.EntryID, u.CollectionID, u.Locale, core.NullIfZero(u.Title), u.Draft, u.Published, u.Requested, u.Trashed}
}
