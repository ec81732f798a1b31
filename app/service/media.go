package service

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/blobstore"
	"imprimatur/adapters/egress"
	"imprimatur/adapters/imaging"
	"imprimatur/app/config"
	"imprimatur/core/media"
	"imprimatur/ports"
)

// mediaModule provides the use cases of media and the blob storage.
var mediaModule = fx.Module("media", fx.Provide(
	openBlobs,
	func(blobs *watchedBlobs) ports.BlobStore { return blobs },
	func(cfg config.Config) ports.Imager {
		return imaging.New(imaging.Options{Memory: int64(cfg.ImageMemoryMB) << 20})
	},
	newLibrary,
	media.NewSweeper,
	media.NewRebuilder,
	media.NewCleaner,
	media.NewChecker,
	media.NewRenditions,
))

func newLibrary(stores ports.Stores, tx ports.Tx, blobs ports.BlobStore, imager ports.Imager, clock ports.Clock, client *egress.Client) *media.Library {
	return media.NewLibrary(stores, tx, blobs, imager, clock, media.WithFetcher(egress.NewFetcher(client)))
}

// blobTimeout is the time limit for opening the file storage.
const blobTimeout = 15 * time.Second

func openBlobs(lifecycle fx.Lifecycle, cfg config.Config, log *zap.Logger) (*watchedBlobs, error) {
	if folder, ok := strings.CutPrefix(cfg.BlobURL, "file:"); ok && cfg.Existing {
		folder = strings.TrimPrefix(folder, "//")
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return nil, startFault("setting --blob-url: no folder %s; imprimatur serve creates it", folder)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), blobTimeout)
	defer cancel()
	store, err := blobstore.Open(ctx, cfg.BlobURL)
	if err != nil {
		return nil, startFault("setting --blob-url: %v", err)
	}
	lifecycle.Append(fx.StopHook(store.Close))
	return watchBlobs(store, log), nil
}
