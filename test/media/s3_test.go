package media_test

import (
	"net/http/httptest"
	"net/url"
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
