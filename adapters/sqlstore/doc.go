// Package sqlstore implements the repositories of package ports on a SQL database. The code is shared by all engines;
// package sqldb is the way to the database, and packages postgres and sqlite implement what differs.
//
// A repository is a struct that embeds [sqldb.Conn], which runs statements outside or in a transaction ([DB.Do]). A write
// records its events in the same transaction. Rows are private to this package: it maps them to types of core.
//
// Read package sqldb first, then a small repository such as identity/tenant.go, and store.go, which has them all. Entries have
// their own design: entry.go, package entryindex (index tables) and package entryquery (query planner).
// app/docs/data-model.md and app/docs/query-planner.md describe it.
package sqlstore
