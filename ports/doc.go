// Package ports has the interfaces between the use cases (core/...) and the adapters
// (adapters/...). Their comments are the contract of every adapter; the suites in
// test/contract check it.
//
// A use case runs its reads and writes through Tx.Do, which gives it Stores: one store per
// kind of thing. PublishGate and Publisher connect content with approval. ReadCache, Changes
// and EventLog keep the processes on one database consistent. BlobStore and Imager serve
// media. Read tx.go first, then content.go. app/docs/events.md describes the change feed.
//
// For all of them: a method that names one thing returns an error that is
// core.ErrNotFound when the thing does not exist; a database that is unreachable or
// overloaded is core.ErrUnavailable; any other error is a fault. Values handed in and out are
// not kept or changed by the other side. Methods are safe for concurrent use.
// Methods that take a projectID find nothing of another Project.
package ports
