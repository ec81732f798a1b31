// Package sqlite opens a SQLite file as a [sqlstore.DB]: the embedded database that
// needs nothing beside it.
package sqlite
