// Package projectdoc writes the OpenAPI document of one Project: the operations of the content API with the
// fields of its collections in place of free-form objects.
//
// New takes the operations from the document of the whole API, so that a new operation needs nothing here.
// Template.Document repeats those of a collection for each collection. Schemas that contain an entry
// become one schema for each collection, with its name before theirs: ArticlesEntry, ArticlesEntryCursorPage.
// Fields and items are described in field.go. Secret fields are left out.
package projectdoc
