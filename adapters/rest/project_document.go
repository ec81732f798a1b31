package rest

import (
	"encoding/json"
	"net/http"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/rest/internal/projectdoc"
	"imprimatur/adapters/wire"
	"imprimatur/core/access"
)

func (a *API) registerProjectDocument() {
	endpoint.HandleRead[wire.Object](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: publicOwn + "/openapi.json", ID: "getProjectDocument", Tag: "Public content", Action: access.ReadPublic, Conditional: true,
		Title: "Read the OpenAPI document of the Project",
		About: "Returns an OpenAPI 3.1 document of the content API of this Project: the operations of each collection with the schemas of its entries, for generators of clients. " +
			"It changes with the definitions. Secret fields are not in it. The status is 400 with the code `too_large` if it would have more than 10 MB.",
		Example: map[string]any{
			"openapi": "3.1.0", "info": map[string]any{"title": "World Desk", "version": "2.0.0"},
			"servers": []any{map[string]any{"url": "/public/v2/projects/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f"}}, "paths": map[string]any{},
		},
	}, a.projectDocument)
}

// projectDocument returns the OpenAPI document of the Project.
func (a *API) projectDocument(c *endpoint.Call) (*httpx.Response, error) {
	project, depends := c.Project(), a.Tags.Collect()
	collections, err := a.Reader.Collections(c.Context(), project)
	if err != nil {
		return nil, err
	}
	components, err := a.Collections.Components().List(c.Context(), project)
	if err != nil {
		return nil, err
	}
	template, err := a.template()
	if err != nil {
		return nil, err
	}
	body, err := template.Document(projectdoc.Definitions{Project: project, Collections: collections, Components: components}, projectsBase+"/"+project.UUID)
	if err != nil {
		return nil, err
	}
	response := &httpx.Response{Body: body, Tag: httpx.ContentETag(body)}
	if depends != nil {
		response.AddShared(a.Tags, project, depends, false)
	}
	return response, nil
}

// newTemplate returns what the documents of all Projects share.
func (a *API) newTemplate() (*projectdoc.Template, error) {
	whole, err := json.Marshal(a.document())
	if err != nil {
		return nil, err
	}
	return projectdoc.New(whole, publicOwn)
}
