package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core/signing"
)

func (a *API) registerKeys() {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: signing.DocumentPath, ID: "readKeys", Tag: "Publications", Action: endpoint.Anonymous, Conditional: true,
		Title: "Read the public keys", About: "Returns the public keys with which this installation signs proofs, also earlier and revoked ones. " +
			"A rotation or revocation shows at once. `imprimatur verify FILE --key` takes this document; keep a copy apart from this server. api/proof.md documents the format.",
		Example: storyKeys,
	}, func(c *endpoint.Call, _ endpoint.None) (signing.KeyDocument, error) {
		return a.Keys.Document(c.Context())
	})
}
