// Package media manages the files of Projects: their media libraries, the stored bytes, and the
// variants of pictures. The main types are
//
//   - Library, which receives, copies, lists, changes and deletes items;
//   - Sweeper, which deletes bytes that no item needs;
//   - Rebuilder, which makes the variants of pictures again;
//   - Cleaner, which removes the location from stored pictures;
//   - Checker, which compares items, ledger and bytes;
//   - Pictures, which makes pictures of other sizes and formats on demand.
//
// Bytes are stored once per Project under their SHA-256. ports.BlobLedger counts the items that
// need them. An upload (receive.go) detects the type, reads a picture into memory without its location,
// or streams another file to a temporary name, and makes the variants. Keep reserves the final names in the
// ledger, stores the bytes under them, and then stores the item in a transaction
// that counts its bytes in the ledger. Bytes without references are deleted at once or by the
// Sweeper.
//
// A rendition (pictures.go) is made of a stored picture when a request asks for it, and kept until it is
// not used any more or its original is deleted. It has a record and no references.
//
// Read receive.go next, then blob.go for the rules of the ledger.
package media
