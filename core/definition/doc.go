// Package definition defines collections: what their fields may be, and what a change of a
// definition does to the entries that exist. The main types are
//
//   - Collections, which changes definitions in one transaction, claims the values of new unique
//     fields and back-fills the index afterwards (backfill.go, locales.go);
//   - Checker, which compares the index with the documents and repairs it.
//
// define.go checks a definition; slot.go assigns the slots of the index. A change that readers see
// needs the consent of publishing.Redefine.
//
// Read collections.go next. app/docs/data-model.md describes slots.
package definition
