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
//	file:<folder>        created if it does not exist
//	mem://               in memory, lost when the process ends
//	s3://<bucket>/<prefix>?region=…&endpoint=…
//
// S3 credentials come from the default sources of the AWS SDK. With endpoint, the bucket
// is part of the path and the default region is us-east-1. All other parameters are those
// of gocloud.dev/blob/s3blob. An error is one sentence about the address.
func Open(ctx context.Context, address string) (*Store, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme {
	case "file":
		return openFolder(strings.TrimPrefix(rest, "//"))
	case "mem":
		return &Store{bucket: memblob.OpenBucket(nil), timeout: timeout}, nil
	case "s3":
		return openS3(ctx, address)
	default:
		return nil, errors.New("must start with file:, mem:// or s3://")
	}
}

// folderMode is the mode of new folders.
const folderMode = 0o750

func openFolder(folder string) (*Store, error) {
	if folder == "" {
		return nil, errors.New("must name a folder: file:<folder>")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, errors.New("cannot resolve the folder " + folder)
	}
	if err := os.MkdirAll(folder, folderMode); err != nil {
		return nil, errors.New("cannot create the folder " + folder)
	}
	if err := writable(folder); err != nil {
		return nil, errors.New("cannot write to the folder " + folder)
	}
	bucket, err := fileblob.OpenBucket(folder, &fileblob.Options{
		// NoTempDir writes temporary files next to their final name, so that the last
		// step is a rename. Nothing uses metadata files.
		NoTempDir: true, Metadata: fileblob.MetadataDontWrite, DirFileMode: folderMode,
	})
	if err != nil {
		return nil, errors.New("cannot open the folder " + folder)
	}
	return &Store{bucket: bucket, folder: folder, timeout: timeout}, nil
}

// writable reports an error when a file cannot be created in folder. A full disk is no
// error, because space can become available.
func writable(folder string) error {
	if err := probe(folder, 0); !full(err) {
		return err
	}
	return nil
}

// probe writes a file of size bytes to folder and removes it.
func probe(folder string, size int) error {
	file, err := os.CreateTemp(folder, ".probe-")
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, size))
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
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
	// Range responses have no checksum, so validation would reject them.
	preset("response_checksum_validation", "when_required")
	prefix := strings.Trim(u.Path, "/")
	bucket, err := new(s3blob.URLOpener).OpenBucketURL(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, RawQuery: parameters.Encode()})
	if err != nil {
		return nil, errors.New("the bucket address has an unknown or invalid parameter")
	}
	if prefix != "" {
		bucket = blob.PrefixedBucket(bucket, prefix+"/")
	}
	if ok, err := bucket.IsAccessible(ctx); err != nil || !ok {
		return nil, errors.Join(errors.New("cannot reach the bucket "+u.Host+", or its objects cannot be listed with these credentials"), bucket.Close())
	}
	return &Store{bucket: bucket, timeout: timeout, uploads: make(chan struct{}, maxUploads)}, nil
}
