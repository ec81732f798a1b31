// Package migrate brings the tables of a database to the version of the program.
//
// A migration is a file <number>_<name>.sql. The database keeps the name and the checksum of each
// applied one in the table migrations. A database whose record does not fit the program, because
// another program, an older or a newer version or an edited file made it, is refused by name and not
// changed. Tables are only ever changed by new files: first a migration expands the tables, so that
// the version before and this one run beside each other, and a later version contracts them.
//
// A file that begins with the line "-- concurrent" has one CREATE INDEX CONCURRENTLY. It runs outside
// a transaction and is recorded afterwards; an invalid index that an interrupted run left is dropped
// first.
package migrate
