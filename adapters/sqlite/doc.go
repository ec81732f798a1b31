// Package sqlite opens a SQLite file as a [sqlstore.DB]. It is the embedded database, which
// needs no server.
//
// [Open] creates the pools: one connection that writes and several that read. dialect.go and
// entry.go have the SQL that differs from Postgres, function.go the SQL functions on documents.
// Connections (conn.go, session.go) run transactions and frequent reads, and keep statements prepared.
package sqlite
