package service

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"

	"imprimatur/adapters/cache"
	"imprimatur/app/config"
	"imprimatur/app/importing"
	"imprimatur/core/approval/proof"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/core/fileurl"
	"imprimatur/core/publishing"
	"imprimatur/core/reading"
	"imprimatur/core/signing"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

type fileBaseParts struct {
	fx.In

	Config    config.Config
	Addresses *Addresses `optional:"true"` // commands do not listen
}

func newFileBase(parts fileBaseParts) fileurl.Base {
	switch {
	case parts.Config.MediaBaseURL != "":
		return fileurl.Base(strings.TrimSuffix(parts.Config.MediaBaseURL, "/"))
	case parts.Addresses != nil:
		return fileurl.Base(parts.Addresses.Public)
	default:
		return ""
	}
}

// newFileBases returns the base URLs of the files of this installation, that of responses first.
func newFileBases(parts fileBaseParts) []fileurl.Base {
	bases := []fileurl.Base{newFileBase(parts), fileurl.Base(strings.TrimSuffix(parts.Config.BaseURL, "/"))}
	if parts.Addresses != nil {
		bases = append(bases, fileurl.Base(parts.Addresses.Public))
	}
	return bases
}

type readCacheParts struct {
	fx.In

	Config   config.Config
	Changes  ports.Changes
	Schemas  ports.Schemas        // must subscribe to changes before cache.NewReads
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
	newFileBase,
	newFileBases,
	newReadCache,
	func(stores ports.Stores, schemas ports.Schemas, files fileurl.Base) *reading.Reader {
		return reading.NewReader(stores.Entries, schemas, stores.Media, files)
	},
	func(
		stores ports.Stores, tx ports.Tx, schemas ports.Schemas, requests ports.Approval, publisher *publishing.Publisher, hasher ports.PasswordHasher,
	) *writing.Writer {
		return writing.NewWriter(stores, tx, schemas, requests, publisher, hasher)
	},
	func(stores ports.Stores, reader *reading.Reader, files []fileurl.Base) *reading.Drafts {
		return reading.NewDrafts(stores, reader, files...)
	},
	definition.NewCollections,
	schema.NewPlanner,
	signing.NewKeys,
	func(keys *signing.Keys) ports.Signer { return keys },
	proof.NewPublications,
	reading.NewHistory,
	reading.NewPreviews,
	func(reader *reading.Reader, stores ports.Stores) *reading.Former {
		return reading.NewFormer(reader, stores.Publications)
	},
	reading.NewChanges,
	newHub,
	func(w *writing.Writer) ports.BatchWriter { return w },
	transfer.NewImporter,
	transfer.NewExporter,
	importing.New,
	definition.NewChecker,
))
