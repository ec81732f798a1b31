// Package imaging implements ports.Imager: it reads JPEG, PNG, GIF and WebP and writes a
// thumbnail and smaller pictures for the web, upright, in sRGB and without metadata.
//
// Imager.Renditions first surveys a picture: it reads the structure of the file without
// decoding it, which yields the size, the orientation, the colours, the peak memory, and
// whether the file is complete. It rejects a picture that needs more memory than the whole
// budget. Then the picture waits for its share of the budget, is decoded to planes,
// scaled, converted to sRGB and encoded: lossy, or lossless when that is smaller for a
// drawing. All codecs are memory-safe Go. Equal pictures give equal bytes on all machines.
//
// One file per format contains its survey and decoding; raster.go and scale.go process the
// decoded planes, profile.go converts colours, encode.go writes the renditions. Package webp
// is the WebP encoder. Package metadata cleans originals for Imager.Clean.
package imaging
