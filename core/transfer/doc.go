// Package transfer imports and exports the entries of one collection as JSON Lines.
//
// Exporter writes a line for each entry. Importer reads such lines and writes them through
// ports.BatchWriter, many in one transaction; they need approval like all writes. Importer
// documents the format of a line.
//
// A line is written in one transaction or not at all. An import reads a file in portions
// (portion.go), parses and checks each line (line.go), and puts the lines into an order in which
// the targets of a relation come before it (order.go). Lines whose targets have not been read yet
// wait (spool.go). Lines whose relations form a cycle are a bundle, which is written as a whole
// (cycle.go). batch.go writes as many bundles in a transaction as pace.go allows. It finds entries
// by group or key (keys.go), refuses to overwrite what another line has written (repeated.go), and
// resolves relations and media (relations.go) and links in rich text (links.go).
package transfer
