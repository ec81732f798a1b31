// Package model defines the GraphQL schema as Go types. The generator in ../gen converts
// them by these rules:
//
//   - The interface Query is the query root. Its methods are the root fields.
//   - A struct or interface that a field returns is an object type. Its exported members
//     are the fields, in their order.
//   - A struct in an argument is an input type.
//   - A type with MarshalGQL is a scalar. string, int32, bool and ID are String, Int,
//     Boolean and ID.
//   - A value is non-null, a pointer is nullable. A result slice is [T!]!. An input slice
//     is [T!], because clients may omit it.
//   - Doc comments become descriptions. "//graphql:arg name=default text" sets the default
//     (optional) and the description of a method's argument.
package model
