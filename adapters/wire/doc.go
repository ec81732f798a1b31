// Package wire has every JSON shape of the APIs once: the request and response bodies of REST, which
// are also the schemas of the OpenAPI document, and what GraphQL, the TypeScript types and the command
// line show of them.
//
// Each resource has one file with its types and with functions that make them from core, such as
// TenantOf. The tags of a type describe its members in the OpenAPI document: doc, example, enum,
// format, nullable, required and the limits of values. Descriptions that would be too long to read in
// a tag are in the method TransformSchema beside the type. schema.go has the types of single members,
// page.go those of lists.
//
// JSON that is stored, hashed or signed belongs to core, because a change of it would break what
// exists: Documents lists these types of core with the types of this package that describe them.
// Package reading writes entries and media items as bytes, for speed; TestEncoders compares both.
package wire
