package rest

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/review"
)

// revisionPage is one page of the revisions of an entry.
type revisionPage = wire.Pages[wire.Revision]

// Query parameters of revisions.
var (
	revisionParams = endpoint.PageParams("revisions", reading.DefaultRevisions)
	diffToParam    = &endpoint.QueryParam{
		Name: "to", In: "query", Required: true, Example: "draft", Schema: &huma.Schema{Type: huma.TypeString},
		Description: "draft, published, the number of another revision, or `publication:` and the number of one.",
	}
)

func (a *API) registerRevisions() {
	const (
		tag = "Content"
		all = "/api/projects/{projectId}/collections/{collectionId}/content/{contentId}/revisions"
		one = all + "/{number}"
	)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listRevisions", Tag: tag, Action: access.ReadContent, Query: revisionParams,
		Title: "List the revisions of an entry", About: "Returns the revisions of the draft, the newest first. " +
			"Writes by one person less than 10 minutes apart extend the newest revision. A submission, a publication, the restoring of a revision or a note closes it. " +
			"The Project limits the number of revisions (revisionLimit); those that a request or a publication refers to are always kept.",
		Example: revisionPage{
			Data: []wire.Revision{storyRevision, storyFirstRevision}, Meta: wire.PagesMeta{Page: 1, PerPage: reading.DefaultRevisions, Total: 2},
		},
	}, withWindow(entryOf, func(c *endpoint.Call, ref review.EntryRef, window query.Window) (query.Page[core.RevisionRecord], error) {
		return a.Drafts.Revisions(c.Context(), ref, window.Page, window.PerPage)
	}, wire.RevisionOf))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getRevision", Tag: tag, Action: access.ReadContent,
		Title: "Read a revision", About: "Returns the revision with its content.",
		Example: wire.RevisionContent{Revision: storyRevision, Fields: wire.Encoded[wire.EntryFields](`{"title":"Ceasefire holds for a second week","summary":null}`)},
	}, withNumber("revision", func(c *endpoint.Call, ref review.EntryRef, number int64, _ endpoint.None) (wire.RevisionContent, error) {
		r, err := a.Drafts.Revision(c.Context(), ref, number)
		if err != nil {
			return wire.RevisionContent{}, err
		}
		return wire.RevisionContentOf(r)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/diff", ID: "diffRevision", Tag: tag, Action: access.ReadContent, Query: []*endpoint.QueryParam{diffToParam},
		Title: "Compare a revision", About: "Returns a JSON Patch (RFC 6902) from the fields of the revision to those of the draft, of the published version or of another revision. " +
			"A version that is not published has no fields. Beside a publication, fields are as in approval/diff. Paths under /@media concern what the versions show of their media.",
		Example: wire.Patch(`[{"op":"replace","path":"/title","value":"Ceasefire holds for a third week"}]`),
	}, compareVersions("revision", a.Drafts.RevisionDiff, func(diff json.RawMessage) wire.Patch { return wire.Patch(diff) }))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/changes", ID: "listRevisionChanges", Tag: tag, Action: access.ReadContent, Query: []*endpoint.QueryParam{diffToParam},
		Title: "Compare a revision by the keys of items", About: "Returns the same as `/diff` by fields and items: an item that has only moved is one change, and no other. " + aboutChanges,
		Example: storyChanges,
	}, compareVersions("revision", a.Drafts.RevisionChanges, wire.ChangesOf))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/restore", ID: "restoreRevision", Tag: tag, Action: access.WriteContent, Versioned: true, Idempotent: true,
		Stale: staleAt("/api/projects/1/collections/1/content/42"),
		Title: "Restore a revision", About: "Makes the content of the revision the draft, as a new revision. Passwords and hidden fields do not change. " +
			"dropped names the fields of the revision that no longer exist. If values are no longer valid, or if media or entries that they name no longer exist, " +
			"the status is 422, the problem lists all faults, and nothing changes. A published entry changes with its draft, unless a workflow governs the Project.",
	}, withEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, _ endpoint.None) (wire.ManagedEntry, error) {
		number, err := c.Number("number", "revision")
		if err != nil {
			return wire.ManagedEntry{}, err
		}
		w, err := a.Writer.RestoreRevision(c.Context(), c.Actor, ref, number, ifMatch)
		return a.changed(c, w, err)
	}))
}

// compareVersions returns the handler of a comparison of a revision or publication with the version that the parameter
// to names.
func compareVersions[D, A any](
	thing string, compare func(ctx context.Context, ref review.EntryRef, number int64, to string) (D, error), show func(D) A,
) func(*endpoint.Call, endpoint.None) (A, error) {
	return withNumber(thing, func(c *endpoint.Call, ref review.EntryRef, number int64, _ endpoint.None) (A, error) {
		to, given := c.Params["to"]
		if !given {
			var nothing A
			return nothing, endpoint.BadParameter("to", "is required: draft, published or the number of a "+thing)
		}
		found, err := compare(c.Context(), ref, number, to)
		return wire.Shown(found, err, show)
	})
}

// aboutChanges describes wire.Change.
const aboutChanges = "Each change is of one field of the entry, of one item of a list (with `key`), or of the hash and the words of a media item (path `" + core.MediaMember + "`, its id as `key`). " +
	"An item that moved among the items that both versions have is `moved`, also if it was edited; `fields` then has what was edited. One that was added or removed has all its values there. " +
	"Items inside of an item have changes of their own, such as path `body[k1].links`."

// The revisions of the entry in the examples.
var (
	storyRevision = wire.Revision{
		Number: 2, ContentHash: storyHash, Changed: []string{"title"}, Note: new("Figures checked with the ministry"),
		CreatedAt: "2026-01-02T15:04:05.000Z", UpdatedAt: "2026-01-02T15:11:40.000Z", By: core.ActorRef{Kind: "user", ID: 6, Name: "Emil Santos"},
	}
	storyFirstRevision = wire.Revision{
		Number: 1, ContentHash: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752", Changed: []string{"title", "slug"},
		CreatedAt: "2026-01-01T09:30:00.000Z", UpdatedAt: "2026-01-01T09:30:00.000Z", By: core.ActorRef{Kind: "user", ID: 6, Name: "Emil Santos"},
	}
)
