// Package entryindex defines the index tables of entries and derives their rows from the
// documents.
//
// A document is user-defined JSON, so no column of table entries can be searched. A write
// therefore updates these tables in its own transaction:
//
//   - entry_index: one narrow row per visible version of an entry, with the values of up to
//     20 fields in typed columns, the slots. [Shelf] is the version.
//   - entry_values: the values of fields with several values, and references, also those inside
//     rich text; see [Inner].
//   - entry_texts: the folded texts that "like" searches.
//   - entry_words: the tokens that searches find, one row per row of entry_index that has any.
//   - entry_claims: the unique values and their entries.
//   - entry_counters: the number of rows per state and mask of locales.
//   - entry_buckets: the number of published rows per range of ids or times, for deep pages.
//
// [Read] derives the content of these tables from one entry. [Placement.Place] computes the
// rows of entry_index of a translation group and the locales that each row serves. Both are
// pure functions; package sqlstore reads the stored rows and writes the difference. Package
// entryquery plans reads of the same tables. app/docs/data-model.md has the design and the
// measurements behind it.
package entryindex
