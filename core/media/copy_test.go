package media_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/media"
)

// fetcher returns the body for every address.
type fetcher struct{ body io.Reader }

func (f fetcher) Fetch(ctx context.Context, address string) (string, io.ReadCloser, error) {
	if f.body == nil {
		return "", nil, core.Invalid(core.FieldError{Location: "url", Message: "cannot be loaded", Value: address})
	}
	return "harbour.png", io.NopCloser(until{ctx, f.body}), nil
}

// until is a body that ends with its context.
type until struct {
	ctx  context.Context
	body io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, u.ctx.Err()
	}
	return u.body.Read(p)
}

// dripping is a body that sends one byte each second.
type dripping struct{}

func (dripping) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	p[0] = 'x'
	return 1, nil
}

func (d *fixture) copyFrom(t *testing.T, body io.Reader) (core.MediaItem, error) {
	t.Helper()
	library := media.NewLibrary(d.stores, d.tx, d.blobs, d.imager, d.clock, media.WithFetcher(fetcher{body}))
	item, _, err := library.Copy(t.Context(), core.Actor{System: true}, d.project, "https://example.org/harbour.png")
	return item, err
}

func TestCopy(t *testing.T) {
	t.Parallel()
	d := setup(t)
	item, err := d.copyFrom(t, strings.NewReader(png("x")))
	require.NoError(t, err)
	require.Equal(t, "harbour.png", item.FileName)
	require.Equal(t, "image/png", item.MimeType)
	require.Equal(t, d.needed(item), d.names(t))

	_, err = d.copyFrom(t, nil)
	require.Equal(t, map[string]string{"url": "cannot be loaded"}, faults(t, err, core.KindInvalid))
	_, err = d.copyFrom(t, strings.NewReader(png("x")+strings.Repeat("x", int(d.project.UploadLimit))))
	require.Equal(t, core.KindTooLarge, core.KindOf(err))
	_, err = d.copyFrom(t, strings.NewReader("<html>not a picture</html>"))
	require.Equal(t, core.KindUnsupportedMedia, core.KindOf(err))
	require.Equal(t, d.needed(item), d.names(t))
}

func TestCopyEndsAfterItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := setup(t)
		began := time.Now()
		_, err := d.copyFrom(t, dripping{})
		require.Equal(t, map[string]string{"url": "cannot be loaded: its server is too slow"}, faults(t, err, core.KindInvalid))
		require.Less(t, time.Since(began), time.Minute)
		require.Empty(t, d.names(t))
	})
}
