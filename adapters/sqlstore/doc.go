// Package sqlstore implements the repositories of package ports on a SQL database. The code
// is shared by all engines; packages postgres and sqlite implement [Dialect], the SQL that differs,
// [Session], a connection with a transaction, and [Hot], the frequent reads outside one.
//
// A repository is a struct that embeds conn, which runs statements on the pools of a [DB] or
// in one transaction ([DB.Do]). A write records its events in the same transaction. Rows are
// private to this package: it maps them to types of core, and maps driver errors to
// core.Error.
//
// Statements are texts, which stay prepared, and contain no values; text.go gives numbers to the places of their
// arguments. They have three forms:
//
//   - lists of columns, for tables whose rows are types of core: members.go makes the statements from them
//     (one, all, add, put, drop).
//   - texts, for the rest: collect, single and value read, conn.do and conn.must write (row.go).
//   - lists of [Statement], for the writes of entries: conn.run sends them in one round trip. Rows
//     are added, changed and removed by table.go.
//
// Read db.go and conn.go first, then a small repository such as tenant.go. Entries have their
// own design: entry.go, package entryindex (index tables) and package entryquery (query
// planner). app/docs/data-model.md and app/docs/query-planner.md describe it.
package sqlstore
