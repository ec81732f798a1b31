package sqlstore

import "imprimatur/ports"

// EntryDialect is what the engines do their own way about entries and their index.
type EntryDialect interface{}

// entryStore implements ports.EntryStore.
type entryStore struct {
	conn
	ports.EntryStore
}
