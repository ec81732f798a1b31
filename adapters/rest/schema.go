package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
)

const (
	aboutPlan = "Changes nothing. The response to a file that is not valid lists all errors with their lines; locations are places in the file. " +
		"removes and acknowledge say what applying the file needs."
	aboutApply = "Makes the definitions those of the file, in one transaction: components and collections that the file does not have are removed with their entries. " +
		"Indexes are filled in the background. The status is 409 `schema_moved` if the definitions are not those of base, " +
		"`cannot_change` if the file changes the type, multiple or target of a field, " +
		"`removes` if allowRemove is needed, and `governed` if acknowledge is needed."
)

func (a *API) registerSchema() {
	a.schemaRoutes(publicOwn+"/schema", "Public", access.SchemaPublic, access.SchemaPublic,
		" Requires a token with allowSchema.", " allowRemove and acknowledge need a token with allowSchema destructive.")
	a.schemaRoutes("/api/projects/{projectId}/schema", "", access.ViewCollections, access.ManageCollections, "", "")
}

// schemaRoutes registers the routes of the definitions as a file.
func (a *API) schemaRoutes(path, public string, view, change access.Action, aboutToken, aboutDestructive string) {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: path, ID: "get" + public + "Schema", Tag: "Schema", Action: view,
		Title: "Read the definitions as a file", About: "Returns the components and collections of the Project with all options of their fields as YAML, ordered by key." + aboutToken,
	}, func(c *endpoint.Call, _ endpoint.None) (wire.SchemaFile, error) {
		found, err := a.Planner.Pull(c.Context(), c.Project())
		return wire.Shown(found, err, wire.SchemaFileOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path + "/plan", ID: "plan" + public + "Schema", Tag: "Schema", Action: change,
		Title: "Plan a change of the definitions", About: aboutPlan + aboutToken, Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.SchemaPlanning) (wire.SchemaPlan, error) {
		plan, err := a.Planner.Plan(c.Context(), c.Actor, c.Project(), []byte(in.Schema))
		return wire.Shown(plan, err, wire.SchemaPlanOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path + "/apply", ID: "apply" + public + "Schema", Tag: "Schema", Action: change, Idempotent: true, Status: http.StatusOK,
		Title: "Apply a file", About: aboutApply + aboutToken + aboutDestructive, Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.SchemaApplying) (wire.SchemaPlan, error) {
		plan, err := a.Planner.Apply(c.Context(), c.Actor, c.Project(), []byte(in.Schema), in.Options())
		return wire.Shown(plan, err, wire.SchemaPlanOf)
	})
}
