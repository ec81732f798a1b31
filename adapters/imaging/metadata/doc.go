// Package metadata removes from pictures what says where they were taken, without touching their
// pixels.
//
// NewReader returns the cleaned bytes of a JPEG, PNG, WebP, GIF, AVIF or HEIC while it reads them. It walks
// the segments, chunks or blocks of the file and copies those that the picture consists of. Of
// metadata it copies a fixed list, because makers put places where no specification names them:
//
//   - Exif (exif.go): the tags in exifTags are written to a new block. GPS tags, maker notes,
//     user comments, serial numbers, the owner of the camera and the thumbnail are left out.
//   - XMP (xmp.go): the properties in xmpProperties are written to a new packet.
//   - IPTC (photoshop.go): the records in iptcRecords are kept.
//   - Colour profiles, resolution and, in PNG, the texts in pngTexts are kept.
//
// So orientation, colours, title, description, keywords, creator, credit, copyright, camera and
// exposure stay. Everything else goes, also what follows the end of the picture: previews, depth
// maps, HDR gain maps and videos. Metadata that cannot be parsed is left out whole.
//
// In AVIF and HEIC all Exif and XMP is replaced by zeros where it is: other parts of the file are found
// by their offsets.
//
// A file may be damaged after its picture has begun. It is cleaned up to there, and the rest is left out.
//
// The size of the metadata that is held in memory at a time is at most maxMetadata. The result of
// a cleaned picture is the same picture.
package metadata
