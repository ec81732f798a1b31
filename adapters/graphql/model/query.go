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

	// One published entry, or null when the collection has no entry with that id.
	//
	//graphql:arg collection The collection's slug.
	//graphql:arg id The entry's id.
	//graphql:arg timestamps=false Whether createdAt and updatedAt are filled in.
	Entry(ctx context.Context, collection string, id int32, timestamps *bool) (*Entry, error)

	// The entries of a collection that match all clauses.
	//
	//graphql:arg collection The collection's slug.
	//graphql:arg where Clauses that an entry must all match.
	//graphql:arg sort Up to three keys "field:asc" or "field:desc", joined by commas; default "id:desc". Texts are ordered by their letters without accents and case, then by code point. longtext, richtext and url are not sorted.
	//graphql:arg locale A locale of the Project, served with its fallbacks; "*" for every entry in its own locale; default: the default locale of the Project.
	//graphql:arg state "published" (default), or "only_draft" or "with_draft" for tokens that may read drafts.
	//graphql:arg offset Number of entries to skip; default 0.
	//graphql:arg limit Number of entries to return, 1 to 500; default 25.
	//graphql:arg timestamps=false Whether createdAt and updatedAt are filled in.
	Entries(ctx context.Context, collection string, where []WhereClauseInput, sort, locale, state *string, offset, limit *int32, timestamps *bool) (EntryConnection, error)

	// One item of the media library, or null when the Project has no item with that id.
	//
	//graphql:arg id The item's id.
	Media(ctx context.Context, id int32) (*MediaView, error)
}

// WhereClauseInput is a comparison of one field.
type WhereClauseInput struct {
	// Name of the field: the collection's own, id, locale, publishedAt, createdAt,
	// updatedAt, relation.field one relation away, or author.desk.name two relations
	// away.
	Field string
	// like, not, in, not_in, lt, lte, gt, gte, between, not_between, null or
	// not_null; equality when left out.
	Op *string
	// What to compare with, of the field's own type; a list for the operators that
	// take several values.
	Value *JSONObject
}
