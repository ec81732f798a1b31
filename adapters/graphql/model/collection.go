package model

// CollectionMeta is a user-defined type of content.
type CollectionMeta struct {
	Slug        string
	Name        string
	Description *string
	// The fields, in the collection's order.
	Fields []CollectionFieldMeta
}

// CollectionFieldMeta is one field of a collection.
type CollectionFieldMeta struct {
	// Name in Entry.data and in where clauses.
	Name  string
	Label string
	// The name of a field type: text, number, relation, … The OpenAPI document lists all.
	Type string
}
