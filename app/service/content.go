package service

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"

	"imprimatur/adapters/cache"
	"imprimatur/app/config"
	"imprimatur/core/content"
	"imprimatur/core/transfer"
	"imprimatur/ports"
)

// fileAddress is the address that serves /files to the outside.
type fileAddress string

type fileAddressParts struct {
	fx.In

	Config    config.Config
	Addresses *Addresses `optional:"true"` // commands do not listen
}

func newFileAddress(parts fileAddressParts) fileAddress {
	switch {
	case parts.Config.MediaBaseURL != "":
		return fileAddress(strings.TrimSuffix(parts.Config.MediaBaseURL, "/"))
	case parts.Addresses != nil:
		return fileAddress(parts.Addresses.Public)
	default:
		return ""
	}
}

type readCacheParts struct {
	fx.In

	Config   config.Config
	Changes  ports.Changes
	Schemas  ports.Schemas        // subscribes to changes first, as cache.NewReads asks for
	Registry *prometheus.Registry `optional:"true"` // commands have none
}

func newReadCache(parts readCacheParts) ports.ReadCache {
	reads := cache.NewReads(int64(parts.Config.ReadCacheMB)<<20, parts.Changes)
	if parts.Registry != nil {
		parts.Registry.MustRegister(readCacheMetrics(reads)...)
	}
	return reads
}

// contentModule provides the use cases of content.
var contentModule = fx.Module("content", fx.Provide(
	newFileAddress,
	newReadCache,
	func(stores ports.Stores, schemas ports.Schemas, cache ports.ReadCache, files fileAddress) *content.Reader {
		return content.NewReader(stores.Entries, schemas, stores.Media, string(files), content.WithCache(cache))
	},
	func(tx ports.Tx, stores ports.Stores, schemas ports.Schemas, gate ports.PublishGate, hasher ports.PasswordHasher, clock ports.Clock) *content.Writer {
		return content.NewWriter(tx, stores, schemas, gate, hasher, clock)
	},
	content.NewManager,
	content.NewCollections,
	func(w *content.Writer) ports.BatchWriter { return w },
	transfer.NewImporter,
	transfer.NewExporter,
	content.NewChecker,
))
