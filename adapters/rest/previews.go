package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core/access"
	"imprimatur/core/review"
)

func (a *API) registerPreviews() {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: "/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/preview", ID: "previewContent", Tag: "Content",
		Action: access.ReadContent, Status: http.StatusCreated,
		Title: "Preview a version of an entry",
		About: "Returns a token with which a site reads the entry as it is not yet, or no longer, public: lists, single reads, searches and GraphQL of the Project show this version wherever the entry stands. " +
			"Its place in lists, conditions and totals stays that of the stored version. An entry that was never public stands in no list of published entries; reads by its id have it. " +
			"The token writes nothing, and the changes, the library and the past are 403 `preview_only`. Responses are not to be stored. " +
			"It ends after 15 minutes, with the session, and with the entry or the version; an entry that returns from the trash does not bring it back. " +
			"Of a session 20 are valid, the latest. Each read asks again whether the user may read drafts.",
	}, withRef(func(c *endpoint.Call, ref review.EntryRef, in wire.PreviewInput) (wire.NewPreview, error) {
		of, err := a.Previews.Of(c.Context(), ref, in.Input())
		if err != nil {
			return wire.NewPreview{}, err
		}
		made, secret, err := a.PreviewTokens.Create(c.Context(), c.Actor, of)
		return wire.NewPreviewOf(made, secret), err
	}))
}
