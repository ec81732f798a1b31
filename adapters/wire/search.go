package wire

import (
	"encoding/json"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/entrystatus"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/words"
)

// SearchResults is what a search found, the best first.
type SearchResults struct {
	Requests    []FoundRequest    `json:"requests" nullable:"false" doc:"The approval request with that release number, one of each tenant."`
	Entries     []FoundEntry      `json:"entries" nullable:"false" doc:"Entries whose draft has these words in its searchable texts, or such a title."`
	Media       []FoundMedia      `json:"media" nullable:"false" doc:"Media items with the text in their caption, file name or tags."`
	Collections []FoundCollection `json:"collections" nullable:"false" doc:"Collections with such a name."`
	Projects    []FoundProject    `json:"projects" nullable:"false" doc:"Projects with such a name."`
	Users       []FoundUser       `json:"users" nullable:"false" doc:"Accounts that the caller may list, with such a name or e-mail."`
}

// Searched is what a search found.
type Searched struct {
	Requests    []approval.View
	Entries     []reading.FoundEntry
	Media       []MediaIn
	Collections []core.Schema
	Projects    []*core.Project
	Users       []core.User
}

// SearchResultsOf returns found for a response.
func SearchResultsOf(found Searched) SearchResults {
	return SearchResults{
		Media:    Each(found.Media, foundMediaOf),
		Requests: Each(found.Requests, foundRequestOf), Entries: Each(found.Entries, foundEntryOf), Collections: Each(found.Collections, foundCollectionOf),
		Projects: Each(found.Projects, foundProjectOf), Users: Each(found.Users, foundUserOf),
	}
}

// FoundRequest is an approval request that a search found.
type FoundRequest struct {
	ID            int64                `json:"id" example:"9"`
	ReleaseNumber string               `json:"releaseNumber" example:"CR-2026-0042"`
	Status        review.RequestStatus `json:"status" enum:"pending,approved,published,rejected,revision_requested,withdrawn" example:"pending"`
	Title         *string              `json:"title" doc:"The title of the entry as it was submitted, or the name of the release." example:"Harbour reopens"`
	ProjectID     int64                `json:"projectId" example:"1"`
	CollectionID  *int64               `json:"collectionId" doc:"null for a release." example:"2"`
	EntryID       *int64               `json:"entryId" doc:"null for a release." example:"42"`
	ReleaseID     *int64               `json:"releaseId" doc:"null means that the request publishes one entry." example:"12"`
}

func foundRequestOf(v approval.View) FoundRequest {
	r := &v.Request
	found := FoundRequest{ID: r.ID, ReleaseNumber: r.ReleaseNumber(), Status: r.Status, Title: core.NullIfZero(v.Title), ProjectID: r.ProjectID}
	if r.Release != nil {
		found.ReleaseID = &r.Release.ID
		return found
	}
	found.CollectionID, found.EntryID = &r.Item().CollectionID, &r.Item().EntryID
	return found
}

// FoundEntry is an entry that a search found.
type FoundEntry struct {
	ID             int64              `json:"id" example:"42"`
	Title          string             `json:"title" example:"Harbour reopens"`
	Locale         string             `json:"locale" example:"en"`
	Status         entrystatus.Status `json:"status" enum:"draft,published,changed,in_review,scheduled,sent_back,rejected,failed" example:"draft"`
	ProjectID      int64              `json:"projectId" example:"1"`
	ProjectName    string             `json:"projectName" example:"World Desk"`
	CollectionID   int64              `json:"collectionId" example:"2"`
	CollectionName string             `json:"collectionName" example:"Articles"`
}

func foundEntryOf(e reading.FoundEntry) FoundEntry {
	return FoundEntry{
		ID: e.ID, Title: e.Title, Locale: e.Locale, Status: e.Status, ProjectID: e.Schema.Project.ID, ProjectName: e.Schema.Project.Name,
		CollectionID: e.CollectionID, CollectionName: e.Schema.Collection.Name,
	}
}

// MediaIn is a media item with its Project.
type MediaIn struct {
	core.MediaItem

	Project *core.Project
}

// FoundMedia is a media item that a search found.
type FoundMedia struct {
	ID          int64  `json:"id" example:"12"`
	FileName    string `json:"fileName" example:"harbour.jpg"`
	Caption     string `json:"caption" example:"The harbour at dawn"`
	ProjectID   int64  `json:"projectId" example:"1"`
	ProjectName string `json:"projectName" example:"World Desk"`
}

func foundMediaOf(m MediaIn) FoundMedia {
	return FoundMedia{m.ID, m.FileName, m.Caption, m.Project.ID, m.Project.Name}
}

// FoundPublic is a published entry that a search found.
type FoundPublic struct {
	Collection string          `json:"collection" doc:"The slug of the collection." example:"articles"`
	ID         int64           `json:"id" example:"42"`
	Locale     string          `json:"locale" example:"en"`
	Title      string          `json:"title" doc:"The value of the field that names entries in lists, at most 200 characters." example:"Harbour reopens"`
	Excerpt    []ExcerptPiece  `json:"excerpt" nullable:"false" doc:"Up to 200 characters around the first words found in the first 64 kB; empty: none."`
	Entry      json.RawMessage `json:"entry,omitempty" doc:"With fields of its collection: the entry with them, as a list shows it with depth=0." example:"{\"id\":42,\"locale\":\"en\",\"slug\":\"harbour-reopens\"}"`
}

// ExcerptPiece is a part of an excerpt.
type ExcerptPiece struct {
	Text  string `json:"text" example:"harbour"`
	Found bool   `json:"found" doc:"Whether the search looks for this text." example:"true"`
}

// FoundPage is the response body of a search in several collections.
type FoundPage struct {
	Data []FoundPublic `json:"data" nullable:"false"`
	Meta FoundMeta     `json:"meta"`
}

// FoundMeta describes a page of a search.
type FoundMeta struct {
	Limit   int64  `json:"limit" doc:"The requested number of entries." example:"20"`
	HasMore bool   `json:"hasMore" doc:"Whether more entries follow." example:"true"`
	Next    string `json:"next,omitempty" doc:"The cursor of the next page, for the parameter after. Only if hasMore is true." example:"AcpVm3-bWwqqjgE"`
}

// FoundPageOf returns a page of a search for a response.
func FoundPageOf(page *reading.SearchPage) FoundPage {
	return FoundPage{Each(page.Results, foundPublicOf), FoundMeta{page.Limit, page.HasMore, page.Next}}
}

func foundPublicOf(r reading.SearchResult) FoundPublic {
	excerpt := Each(r.Excerpt, func(p words.Piece) ExcerptPiece { return ExcerptPiece(p) })
	return FoundPublic{r.Collection, r.ID, r.Locale, r.Title, excerpt, r.Entry}
}

// FoundCollection is a collection that a search found.
type FoundCollection struct {
	ID          int64  `json:"id" example:"2"`
	Name        string `json:"name" example:"Articles"`
	ProjectID   int64  `json:"projectId" example:"1"`
	ProjectName string `json:"projectName" example:"World Desk"`
}

func foundCollectionOf(s core.Schema) FoundCollection {
	return FoundCollection{s.Collection.ID, s.Collection.Name, s.Project.ID, s.Project.Name}
}

// FoundProject is a Project that a search found.
type FoundProject struct {
	ID   int64  `json:"id" example:"1"`
	Name string `json:"name" example:"World Desk"`
}

func foundProjectOf(p *core.Project) FoundProject { return FoundProject{p.ID, p.Name} }

// FoundUser is an account that a search found.
type FoundUser struct {
	ID       int64  `json:"id" example:"3"`
	Email    string `json:"email" format:"email" example:"editor@meridian.example"`
	Name     string `json:"name" example:"Edda Editor"`
	TenantID *int64 `json:"tenantId" doc:"The tenant that manages the account; null means the platform." example:"1"`
}

func foundUserOf(u core.User) FoundUser {
	return FoundUser{u.ID, u.Email, u.Name, core.NullIfZero(u.TenantID)}
}
