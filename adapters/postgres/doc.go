// Package postgres opens a PostgreSQL database, 14 or later, as a [sqlstore.DB]. It is the engine
// for production and for several replicas.
//
// [Open] parses the URL and creates the pools. session.go and batch.go run transactions, dialect.go
// and entry.go have the SQL that differs from SQLite and the classification of server errors,
// dial.go the timeouts of connections.
package postgres
