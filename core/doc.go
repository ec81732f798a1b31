// Package core has the types that the ports and all use cases share, and the pure rules that
// belong to them: locale fallback, comparison of field values, canonical documents.
//
// It performs no I/O. Of this module it imports only core/canonical, the canonical JSON of RFC
// 8785, core/fieldtype, the field types, and core/words, the order of texts. The main types are
//
//   - Tenant, Department, Project: the organisation, in organisation.go;
//   - User, Grant, Role, Token, Actor: callers and their permissions, in access.go;
//   - Collection, Field: the definition of content, in collection.go;
//   - Entry, Document, Row: content, in entry.go and document.go;
//   - Query and Filter, Selection and Predicate: a read before and after its check, in query.go;
//   - Workflow, Request, RequestItem, ApprovalAction, Publication: approval, in approval.go;
//   - Event: a committed change, in event.go;
//   - Error: the errors of all use cases and ports, in error.go.
//
// The use cases are in the packages below: content (entries and collections), access
// (permissions and organisation), approval (reviews), media (files) and transfer (import and
// export). They call the interfaces of package ports. Read package ports next.
//
// Conventions that hold everywhere: ids are positive and never reused; a zero id means
// "none"; times are UTC with millisecond precision; text is valid UTF-8 without U+0000.
package core
