// Package canonical reads and writes canonical JSON (RFC 8785) as bytes. It decodes no more
// than a caller needs: Quote and Unquote convert strings, Elements visits the elements of an
// array, and StringEnd and ValueEnd find the end of a value in a document. Transform returns the
// canonical form of any JSON text, and Hash and HashOf the hashes of content and records.
//
// Except Unquote, the readers rely on the canonical form and do not validate it: no white
// space between tokens, and only the escapes of RFC 8785. core.Document is built on them.
package canonical
