// Package transfer imports and exports the entries of one collection as JSON Lines.
//
// Exporter writes a line for each entry. Importer reads such lines and writes them through
// ports.BatchWriter, many in one transaction; they pass the publish gate like all writes. Importer
// documents the format of a line.
//
// An import reads a file in portions (portion.go), parses and checks each line (line.go), finds
// the entries of a line by group or key (keys.go), writes the lines of a portion in one
// transaction (batch.go), and at the end writes the relations to later lines (relations.go).
package transfer
