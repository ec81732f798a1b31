package contract_test

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"imprimatur/adapters/blobstore"
	"imprimatur/ports"
	"imprimatur/test/contract"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	contract.BlobStore(t, func(t *testing.T) ports.BlobStore { return openBlobs(t, "file:"+t.TempDir()) })
}

func TestMemoryBlobs(t *testing.T) {
	t.Parallel()
	contract.BlobStore(t, func(t *testing.T) ports.BlobStore { return openBlobs(t, "mem://") })
}

// TestS3 uses an S3 server, once with the whole bucket and once under a prefix.
func TestS3(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/some/prefix"} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			t.Parallel()
			contract.BlobStore(t, func(t *testing.T) ports.BlobStore { return openBlobs(t, s3Address(t, prefix)) })
		})
	}
}

func openBlobs(t *testing.T, address string) ports.BlobStore {
	t.Helper()
	store, err := blobstore.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, store.Close()) })
	return store
}

// s3Address returns the address of an empty bucket on a server that stops with t.
func s3Address(t *testing.T, prefix string) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("media"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return "s3://media" + prefix + "?anonymous=true&endpoint=" + url.QueryEscape(server.URL)
}
