// Package sqlite opens a SQLite file as a [sqlstore.DB]. It is the embedded database, which
// needs no server.
//
// [Open] creates the pools: one connection that writes and several that read. dialect.go and
// entry.go have the SQL that differs from Postgres, function.go the SQL functions on documents.
// Connections (conn.go, each.go) run a statement once for each row, and keep statements
// prepared.
package sqlite
