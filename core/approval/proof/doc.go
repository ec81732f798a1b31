// Package proof shows the publications of entries and proves them. The main types are
//
//   - Publications, which lists the publications of an entry and returns one with its content;
//   - Proof, the JSON document of one publication: its canonical content, and the record of the
//     approval request that led to it.
//
// Verify checks a Proof without a server or a database. api/proof.md documents the format.
package proof
