package model

import "context"

// Query reads the content of the Project that the bearer token belongs to.
type Query interface {
	// One collection, or null when the Project has none with that slug.
	//
	//graphql:arg slug The collection's slug.
	Collection(ctx context.Context, slug string) (*CollectionMeta, error)

	// Every collection of the Project, ordered by slug.
	Collections(ctx context.Context) ([]CollectionMeta, error)

	// One published entry, or null when there is none with that id in the collection.
	//
	//graphql:arg collection The collection's slug.
	//graphql:arg id The entry's id.
	//graphql:arg timestamps=false Whether createdAt and updatedAt are filled in.
	Entry(ctx context.Context, collection string, id int32, timestamps *bool) (*Entry, error)

	// The entries of a collection that meet every clause.
	//
	//graphql:arg collection The collection's slug.
	//graphql:arg where Clauses that an entry must meet, all of them.
	//graphql:arg sort Up to three keys "field:asc" or "field:desc", joined by commas; "id:desc" when left out.
	//graphql:arg locale A locale of the Project, served with its fallbacks; "*" for every entry in its own locale; the Project's default locale when left out.
	//graphql:arg state "published" (when left out), or for tokens that may see drafts "only_draft" or "with_draft".
	//graphql:arg offset How many entries to pass over; 0 when left out.
	//graphql:arg limit How many entries to return, 1 to 500; 25 when left out.
	//graphql:arg timestamps=false Whether createdAt and updatedAt are filled in.
	Entries(ctx context.Context, collection string, where []WhereClauseInput, sort, locale, state *string, offset, limit *int32, timestamps *bool) (EntryConnection, error)

	// One item of the media library, or null when there is none with that id.
	//
	//graphql:arg id The item's id.
	Media(ctx context.Context, id int32) (*MediaView, error)
}

// WhereClauseInput is a comparison of one field.
type WhereClauseInput struct {
	// Name of the field: the collection's own, id, locale, publishedAt, createdAt,
	// updatedAt, or relation.field one relation away.
	Field string
	// like, not, in, not_in, lt, lte, gt, gte, between, not_between, null or
	// not_null; equality when left out.
	Op *string
	// What to compare with, of the field's own type; a list for the operators that
	// take several values.
	Value *JSONObject
}
