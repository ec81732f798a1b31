// Package ports has the interfaces between the use cases (core/...) and the adapters
// (adapters/...). Their comments are the contract of every adapter; the suites in
// test/contract check it.
//
// A use case writes through Tx.Do, which passes it the Stores of one transaction: one store
// per kind of thing. It may read through Stores without a transaction. Writes of governed
// entries ask Approval for a review. ReadCache, Changes and EventLog keep the processes
// on one database consistent. BlobStore and Imager serve media. Read tx.go first, then
// content.go. app/docs/events.md describes the change feed.
//
// These rules hold for all methods unless a comment says otherwise:
//
//   - A method that reads or changes one thing returns core.ErrNotFound when the thing does
//     not exist.
//   - An unreachable or overloaded database is core.ErrUnavailable. An error without a kind is
//     an internal fault.
//   - A method with a projectID does not see the data of other Projects.
//   - Neither side keeps or changes the values that it passed or received.
//   - Methods are safe for concurrent use.
package ports
