// Package event has the record of committed changes: the types of events, what each type affects, and the events of
// changes of entries, tokens and users.
//
// Stores record an Event in the transaction of its change (ports.EventStore). Caches, webhooks, notices and the pages of
// changes follow the events. The list of all types is in type.go; app/docs/events.md describes how events travel.
package event
