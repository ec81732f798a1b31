// Package entryindex defines what finds entries, and derives it from their documents.
//
// A document is user-defined JSON, so that no column of table entries can be searched. A
// write therefore keeps, in its own transaction:
//
//   - entry_index: one narrow row per version of an entry that readers can meet, with the
//     values of up to 20 fields in typed columns, the slots. [Shelf] says which version.
//   - entry_values: the values of fields with several values, and of references.
//   - entry_texts: the folded texts that "like" searches.
//   - entry_claims: the entry that holds a unique value.
//   - entry_counters: how many rows of each state serve which locales.
//
// [Read] derives the content of these tables from one entry. [Place] decides which rows of
// entry_index a translation group needs and which locales each row answers for. Both are
// pure; package sqlstore reads the rows that exist and writes the difference. Package
// entryquery plans reads over the same tables. app/docs/data-model.md has the design and
// the measurements behind it.
package entryindex
