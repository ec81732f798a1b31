// Package changefeed implements ports.Changes: it notifies the caches of a process of
// changes.
//
// Every transaction records its changes as rows of the events table. Feed delivers the
// changes of its own process at commit. It polls the table for those of other processes
// every 250 ms, so that processes need no connection to each other. See
// app/docs/events.md.
package changefeed
