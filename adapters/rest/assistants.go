package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/assistant"
	"imprimatur/core/query"
)

func (a *API) registerAssistants() {
	const tag, mine = "Assistants", "/api/me/assistants"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: mine, ID: "listMyAssistants", Tag: tag, Action: access.SignedIn,
		Title: "List my assistants", About: "Returns the assistants of the caller that are neither revoked nor expired, by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.Assistant], error) {
		found, err := a.Assistants.List(c.Context(), c.Actor)
		return wire.ListOf(found, err, wire.AssistantOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: mine, ID: "createMyAssistant", Tag: tag, Action: access.SignedIn, Status: http.StatusCreated, Idempotent: true,
		Fails: []core.Kind{core.KindConflict},
		Title: "Make an assistant",
		About: "Makes a token with which a program acts for the caller in some projects, for at most 90 days. It reads what is public and, with drafts, reads and writes drafts, opens releases, " +
			"submits for review and comments, each as far as the caller may and never as more than an editor. It never publishes, decides, unpublishes, deletes, or changes definitions, settings and rights. " +
			"What it writes counts as written by the caller, who then may not approve it where that is so for authors. A user has at most 20, otherwise the status is 409 `too_many_assistants`. " +
			"The token is shown only in this response.",
		Sends: wire.AssistantInput{Name: "Claude", Projects: []int64{1}, ExpiresIn: 30, Drafts: true},
	}, func(c *endpoint.Call, in wire.AssistantInput) (wire.NewAssistant, error) {
		made, secret, err := a.Assistants.Create(c.Context(), c.Actor, in.Input())
		if err != nil {
			return wire.NewAssistant{}, err
		}
		return wire.NewAssistant{Assistant: wire.AssistantOf(made), Secret: secret}, nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: mine + "/{assistantId}", ID: "revokeMyAssistant", Tag: tag, Action: access.SignedIn,
		Title: "Revoke an assistant", About: "Revokes the token of an assistant of the caller immediately. What the assistant wrote stays. It is no error if it is revoked already.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Assistants.Revoke(c.Context(), c.Actor, c.ID("assistantId"))
	})
	a.registerAssistantRuns(tag)
}

// defaultRuns is the number of runs on a page.
const defaultRuns = 25

func (a *API) registerAssistantRuns(tag string) {
	const all = "/api/projects/{projectId}/assistant-runs"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listAssistantRuns", Tag: tag, Action: access.ReadContent, Query: endpoint.PageParams("runs", defaultRuns),
		Title: "List what assistants did",
		About: "Returns the runs of all assistants in the Project, the latest first. A run is what one assistant did without a pause of 30 minutes. " +
			"The list begins where the latest 10,000 events of assistants begin, or the record of events.",
	}, withWindow((*endpoint.Call).Project, func(c *endpoint.Call, p *core.Project, window query.Window) (page query.Page[assistant.Run], err error) {
		if err := window.Check(defaultRuns); err != nil {
			return page, err
		}
		runs, err := a.Writer.AssistantRuns(c.Context(), p.ID)
		page.Window, page.Total = window, int64(len(runs))
		from := min(window.Offset(), page.Total)
		to := min(from+window.PerPage, page.Total)
		page.Items, page.HasMore = runs[from:to], to < page.Total
		return page, err
	}, wire.AssistantRunOf))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all + "/{runId}/undo", ID: "undoAssistantRun", Tag: tag, Action: access.WriteContent, Status: http.StatusOK, Idempotent: true,
		Title: "Undo what an assistant did in a run",
		About: "Gives each draft of the run the content that it had before, as a new revision by the caller, and moves entries that the run created to the trash. What readers see does not change. " +
			"A draft stays as it is, with a reason in `kept`, if a write followed (`changed_since`), if the run created its entry and the request of that is open or approved for a time (`in_review`), if readers see what the run wrote (`published`), " +
			"if the revision before is not kept (`pruned`) or not valid any more (`invalid`), and if the entry is in the trash (`gone`). Releases and comments stay.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.UndoneRun, error) {
		done, err := a.Writer.UndoRun(c.Context(), c.Actor, c.Project(), c.ID("runId"))
		return wire.Shown(done, err, wire.UndoneRunOf)
	})
}
