// Package archive reads and writes all tables of a database for backups and restores. Which tables there are, and what
// begins after a restore, it learns from package sqlstore.
package archive
