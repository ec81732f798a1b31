// Package postgres opens a PostgreSQL database, 14 or later, as a [sqlstore.DB]: the
// engine for production and for more than one replica.
package postgres
