// Package media manages the files of Projects: their media libraries, the stored bytes, and the
// renditions of pictures. A picture is an uploaded image; every image that is made of it is a rendition. The
// main types are
//
//   - Library, which receives, copies, lists, changes and deletes items;
//   - Sweeper, which deletes bytes that no item needs;
//   - Rebuilder, which makes the fixed renditions of pictures again;
//   - Cleaner, which removes the location from stored pictures;
//   - Checker, which compares items, ledger and bytes;
//   - Renditions, which makes renditions of other sizes and formats on demand.
//
// Bytes are stored once per Project under their SHA-256. ports.BlobLedger counts the items that
// need them. An upload (receive.go) detects the type, reads a picture into memory without its location,
// or streams another file to a temporary name, and makes the fixed renditions. Keep reserves the final names in the
// ledger, stores the bytes under them, and then stores the item in a transaction
// that counts its bytes in the ledger. Bytes without references are deleted at once or by the
// Sweeper.
//
// The fixed renditions, the thumbnails and the WebP, are made at upload and belong to the item, which counts
// them in the ledger. Any other rendition (renditions.go) is made when a request asks for it, and kept until
// it is not used any more or its original is deleted. It has a record and no references.
//
// Read receive.go next, then blob.go for the rules of the ledger.
package media
