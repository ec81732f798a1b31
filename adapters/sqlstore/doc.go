// Package sqlstore implements the repositories of package ports on a SQL database. The code
// is shared by all engines; packages postgres and sqlite implement [Dialect], which has the
// differences.
//
// A repository is a struct that embeds conn, which runs statements on the pools of a [DB] or
// in one transaction ([DB.Do]). A write records its events in the same transaction. Rows are
// private to this package: it maps them to types of core, and maps driver errors to
// core.Error.
//
// Read db.go and conn.go first, then a small repository such as tenant.go. Entries have their
// own design: entry.go, package entryindex (index tables) and package entryquery (query
// planner). app/docs/data-model.md and app/docs/query-planner.md describe it.
package sqlstore
