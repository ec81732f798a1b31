// Package typescript writes the collections of a Project as a TypeScript module, for clients of the
// REST API. Module returns the text of the module. Its interfaces have the members of wire.Entry and
// wire.MediaView.
package typescript
