// Package memory implements the stores of package ports with Go maps. It is the
// executable specification of those ports: it evaluates query.Selection and query.Predicate
// directly on the documents, without an index. Use cases are tested on it, and tests
// compare the SQL adapters with it. Start with Store.
package memory
