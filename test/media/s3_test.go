package media_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"

	"imprimatur/core/media"
)

// TestS3 keeps a library on a server of the S3 protocol.
func TestS3(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("media"))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	for name, database := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t, database(t), "s3://media/"+name+"?anonymous=true&endpoint="+url.QueryEscape(server.URL))
			first, err := d.upload(t.Context(), picture(1))
			require.NoError(t, err)
			twin, err := d.upload(t.Context(), picture(1))
			require.NoError(t, err)
			_, err = d.upload(t.Context(), picture(2))
			require.NoError(t, err)
			require.Equal(t, first.Blobs(), twin.Blobs())
			d.delete(t, first.ID)
			d.wantItemBlobs(t, twin)
			report, err := media.NewRebuilder(d.Stores, d.Tx, d.Blobs, d.Imager, d.Clock).Rebuild(t.Context(), media.PictureSelection{}, nil)
			require.NoError(t, err)
			require.Equal(t, int64(2), report.Rebuilt)
			d.sweep(t)
			d.delete(t, twin.ID)
			d.sweep(t)
			require.NoError(t, d.Stores.Projects.Delete(t.Context(), d.project.ID))
			d.sweep(t)
			require.Empty(t, d.names(t))
		})
	}
}

// TestS3Requests counts the requests of uploads of pictures: of a new one, of one with the same bytes, and
// of one over the size of a part.
func TestS3Requests(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket("media"))
	var mu sync.Mutex
	var requests []string
	bucket := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests = append(requests, r.Method)
		mu.Unlock()
		bucket.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d := setup(t, engines["SQLite"](t), "s3://media?anonymous=true&endpoint="+url.QueryEscape(server.URL))
	large := append(picture(2), make([]byte, 8<<20)...)
	for _, upload := range []struct {
		content []byte
		want    []string
	}{
		{picture(1), []string{"PUT", "PUT", "PUT", "PUT"}},
		{picture(1), []string{"HEAD", "HEAD", "HEAD", "HEAD"}},
		{large, []string{"PUT", "PUT", "PUT", "PUT"}},
	} {
		mu.Lock()
		requests = nil
		mu.Unlock()
		item, err := d.upload(t.Context(), upload.content)
		require.NoError(t, err)
		mu.Lock()
		sent := slices.Clone(requests)
		mu.Unlock()
		require.Equal(t, upload.want, sent)
		d.wantItemBlobs(t, item)
	}
	d.sweep(t)
}
