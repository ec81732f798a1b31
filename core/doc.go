// Package core has the types that the ports and all use cases share, and the pure rules that
// belong to them: locale fallback, comparison of field values, canonical documents.
//
// It performs no I/O. Of this module it imports only core/canonical, the canonical JSON of RFC
// 8785, core/fieldtype, the field types, core/fileurl, the paths of public files, and core/slug and core/words,
// the forms of texts. The main types are
//
//   - Tenant, Department, Project: the organisation, in organisation.go;
//   - User, Grant, Role, Token, Actor: callers and their permissions, in access.go;
//   - Collection, Field: the definition of content, in collection.go;
//   - Entry, Document, Row: content, in entry.go and document.go;
//   - Error: the errors of all use cases and ports, in error.go.
//
// What only some parts need is in packages below, which import core:
//
//   - event: a committed change;
//   - query: a read before and after its check; entrystatus: the statuses in lists;
//   - review: workflows, requests, steps and who may decide; discussion: the comments on requests;
//   - release: entries that are published together; schedule: the times of publications;
//   - account: sessions, second factors, invitations, identity providers; assistant: limits and runs of assistants;
//   - notice: what users are told, and mails; webhook: receivers outside of the installation, and deliveries;
//   - library: reads of media; rendition: derived pictures; overview: counts of a Project; installation: epochs and keys.
//
// The other packages below are the use cases, such as writing, reading, approval, publishing and access. They call the
// interfaces of package ports. Read package ports next.
//
// Conventions that hold everywhere: ids are positive and never reused; a zero id means
// "none"; times are UTC with millisecond precision; text is valid UTF-8 without U+0000.
package core
