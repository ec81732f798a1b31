// Package typescript writes the collections of a Project as a TypeScript module, for clients of the
// REST API. Module returns the text of the module. Its interfaces have the members of the entries
// that adapters/rest returns and core/reading encodes (Reader, MediaJSON).
package typescript
