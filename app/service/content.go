package service

import (
	"go.uber.org/fx"

	"imprimatur/core/content"
	"imprimatur/ports"
)

// contentModule provides the use cases about content.
var contentModule = fx.Module("content", fx.Provide(
	content.OpenGate,
	func(stores ports.Stores, schemas ports.Schemas) *content.Reader {
		return content.NewReader(stores.Entries, schemas, stores.Media)
	},
	content.NewWriter,
	content.NewManager,
	content.NewCollections,
	content.NewImporter,
	content.NewExporter,
))
