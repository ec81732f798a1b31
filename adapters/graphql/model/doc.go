// Package model holds the Go types that the GraphQL schema is made of; nothing
// else is a source of it. The generator in ../gen reads this package:
//
//   - the interface Query is the query root, its methods are the root fields;
//   - a struct, or another interface, that a field returns is an object type, its
//     exported members in their order are its fields; a struct that an argument
//     takes is an input type;
//   - a type with MarshalGQL is a scalar; string, int32, bool and ID are String,
//     Int, Boolean and ID;
//   - a value is non-null, a pointer is nullable; a slice that is returned is
//     [T!]!, an input slice is [T!], because omitting it gives nil;
//   - doc comments are descriptions, and "//graphql:arg name=default text" gives a
//     method's argument its default (optional) and its description.
package model
