package service

import (
	"strings"

	"go.uber.org/fx"

	"imprimatur/app/config"
	"imprimatur/core/content"
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

// contentModule provides the use cases about content.
var contentModule = fx.Module("content", fx.Provide(
	newFileAddress,
	func(stores ports.Stores, schemas ports.Schemas, files fileAddress) *content.Reader {
		return content.NewReader(stores.Entries, schemas, stores.Media, string(files))
	},
	content.NewWriter,
	content.NewManager,
	content.NewCollections,
	content.NewImporter,
	content.NewExporter,
))
