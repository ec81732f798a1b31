// Package blobstore implements ports.BlobStore on gocloud.dev/blob: in a folder, in
// memory, or on S3 and compatible servers.
package blobstore
