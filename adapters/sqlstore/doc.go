// Package sqlstore keeps everything in a SQL database. Its repositories are written
// once, over bun; what the engines do differently is behind [Dialect], which the
// packages postgres and sqlite implement.
//
// The rows of tables are private to this package: it maps them to the types of
// core and back, and no SQL or driver's error leaves it.
package sqlstore
