// Package ports holds the interfaces between the use cases and the world. Their
// comments are the contract that every adapter meets; the suites in test/contract
// check it.
//
// For all of them: a method that names one thing returns an error that is
// core.ErrNotFound when the thing does not exist; a database that is away or busy
// is core.ErrUnavailable; any other error is a fault. Values handed in and out are
// not kept or changed by the other side. Methods are safe for concurrent use.
// Methods that take a projectID find nothing of another Project.
package ports
