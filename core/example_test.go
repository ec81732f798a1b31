package core_test

import (
	"errors"
	"fmt"

	"imprimatur/core"
)

// Faults reports everything that is wrong with an input at once.
func ExampleFaults() {
	var faults core.Faults
	faults.Add("fields.title", nil, "is required")
	faults.Addf("limit", 900, "must be at most %d", 500)

	var invalid *core.Error
	if errors.As(faults.Err(), &invalid) {
		for _, fault := range invalid.Fields {
			fmt.Println(fault.Location, fault.Message)
		}
	}
	fmt.Println(core.KindOf(faults.Err()) == core.KindInvalid)
	// Output:
	// fields.title is required
	// limit must be at most 500
	// true
}

// Everything that depends on what content refers to uses one walk: media, relations and links.
func ExampleCollection_EachReference() {
	articles := &core.Collection{Fields: []*core.Field{
		{ID: 1, Name: "author", Type: core.TypeRelation, Collection: "authors"},
		{ID: 2, Name: "pictures", Type: core.TypeMedia, Multiple: true},
		{ID: 3, Name: "title", Type: core.TypeText},
	}}
	document := core.Document(`{"author":7,"pictures":[12,13],"title":"Hello"}`)
	all := func(*core.Field) bool { return true }
	articles.EachReference(document, all, func(f *core.Field, to core.Reference) { fmt.Println(f.Name, to.ID) })
	// Output:
	// author 7
	// pictures 12
	// pictures 13
}
