// Package transfer moves the entries of one collection in and out as JSON Lines.
//
// Exporter writes a line for each entry; Importer reads such lines and writes them
// through ports.BatchWriter, many in one transaction, and so through the publish gate.
// Importer documents the format of a line.
//
// An import reads a file in portions (portion.go), parses and checks each line
// (line.go), finds the entries that a line is about by key (keys.go), writes the lines
// of a portion in one transaction (batch.go), and at the end writes the relations whose
// targets came later in the file (relations.go).
package transfer
