// Package archive backs up a whole installation into one file, and restores it from there into an
// empty database of either engine.
//
// An archive is a tar file, compressed with zstd. Its members are, in this order:
//
//   - tables/<table>/<number>.jsonl: rows as JSON lines, in parts of some megabytes. What is derived
//     from other rows (index, texts, counters) is left out and made again by a restore, and so is
//     what must not outlive it (sessions, used challenges).
//   - blobs/<number>.jsonl: the names of up to 500 blobs, followed by their bytes as
//     blobs/<SHA-256>. Bytes that several names have are there once. Bytes that the archive was made
//     without are not there.
//   - manifest.json: a [Manifest] with the format, the counts, and the hash of every part.
//
// [Write] makes an archive of a ports.ArchiveSource beside running writers. [Open] reads one whole, and
// checks every hash and name in it, before [Archive.Restore] changes anything. Both need memory for one
// part, whatever the size of the installation is. The list of tables is in adapters/sqlstore/archivetables.go.
package archive
