package blobstore

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"
)

// Open opens the store at address:
//
//	file:<folder>        made when there is none
//	mem://               gone with the process
//	s3://<bucket>/<prefix>?region=…&endpoint=…
//
// Credentials of S3 come from where its own tools look for them. With an endpoint
// the bucket stands in the path, and the region is us-east-1 unless said; any other
// parameter is one of gocloud.dev/blob/s3blob. Every error is a sentence about what
// is wrong with the address.
func Open(ctx context.Context, address string) (*Store, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme {
	case "file":
		return openFolder(strings.TrimPrefix(rest, "//"))
	case "mem":
		return &Store{bucket: memblob.OpenBucket(nil), patience: patience}, nil
	case "s3":
		return openS3(ctx, address)
	default:
		return nil, errors.New("must start with file:, mem:// or s3://")
	}
}

func openFolder(folder string) (*Store, error) {
	if folder == "" {
		return nil, errors.New("must name a folder: file:<folder>")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, errors.New("the folder cannot be found")
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return nil, errors.New("the folder " + folder + " cannot be made")
	}
	if err := writable(folder); err != nil {
		return nil, errors.New("the folder " + folder + " cannot be written to")
	}
	bucket, err := fileblob.OpenBucket(folder, &fileblob.Options{
		// Files beside their own, so that the last step is a rename; without files of
		// attributes, which nothing needs.
		NoTempDir: true, Metadata: fileblob.MetadataDontWrite, DirFileMode: 0o750,
	})
	if err != nil {
		return nil, errors.New("the folder " + folder + " cannot be opened")
	}
	return &Store{bucket: bucket, folder: folder, patience: patience}, nil
}

// writable tries; a disk that is full may have room again later.
func writable(folder string) error {
	probe, err := os.CreateTemp(folder, ".probe-")
	if err != nil {
		if full(err) {
			return nil
		}
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func openS3(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("must name a bucket: s3://<bucket>")
	}
	parameters := u.Query()
	preset := func(name, value string) {
		if !parameters.Has(name) {
			parameters.Set(name, value)
		}
	}
	if parameters.Has("endpoint") {
		preset("region", "us-east-1")
		preset("use_path_style", "true")
	}
	// Parts of an object have no checksum of their own: asking for one breaks ranges.
	preset("response_checksum_validation", "when_required")
	prefix := strings.Trim(u.Path, "/")
	bucket, err := new(s3blob.URLOpener).OpenBucketURL(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, RawQuery: parameters.Encode()})
	if err != nil {
		return nil, errors.New("a parameter of the bucket's address is not known or not valid")
	}
	if prefix != "" {
		bucket = blob.PrefixedBucket(bucket, prefix+"/")
	}
	if there, err := bucket.IsAccessible(ctx); err != nil || !there {
		return nil, errors.Join(errors.New("the bucket "+u.Host+" cannot be reached, or these credentials may not list it"), bucket.Close())
	}
	return &Store{bucket: bucket, patience: patience, places: make(chan struct{}, uploadsAtOnce)}, nil
}
