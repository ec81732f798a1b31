package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/comments"
	"imprimatur/core/review"
)

// peopleSearch limits the people of a request.
var peopleSearch = endpoint.TextParam("search", "Only people whose name has all of these words, or parts of words.", "e")

// registerComments registers the comments on the requests about of.
func (a *API) registerComments(of reviewed) {
	const tag = "Approval"
	all := of.path + "/comments"
	one := all + "/{commentId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listComments" + of.suffix, Tag: tag, Action: access.CommentApproval,
		Title: "List the comments on the request of the " + of.thing,
		About: "Returns the comments of the open or the latest request, by id: those that were made on it, and those of earlier requests that were open when it began, with their replies.",
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, _ endpoint.None) (wire.List[wire.Comment], error) {
		found, err := a.Reviews.Comments(c.Context(), c.Actor, ref)
		return wire.ListOf(found, err, wire.CommentOf)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "addComment" + of.suffix, Tag: tag, Action: access.CommentApproval, Status: http.StatusCreated, Idempotent: true,
		Title: "Comment on the request of the " + of.thing,
		About: "Adds a comment to the open request. Everybody who sees the request may. It is about the snapshot: about all of it, a field, an item by its key, or a passage of a text. " +
			"If the request has ended, the status is 409 `not_open`, as for all changes of comments. " +
			"A request has at most 500 open comments, replies included, and 100 more that come with decisions; with closed ones at most 2,000. " +
			"Beyond that, the status is 409 `too_many_comments`; resolving and deleting comments makes room for others. A comment that was resolved or deleted takes no replies (422).",
		Fails: []core.Kind{core.KindConflict}, Sends: wire.CommentInput{Text: "Is this the official name?"},
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, in wire.CommentInput) (wire.Comment, error) {
		made, err := a.Reviews.AddComment(c.Context(), c.Actor, ref, in.Input())
		return wire.Shown(made, err, wire.CommentOf)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: of.path + "/people", ID: "listMentionable" + of.suffix, Tag: tag, Action: access.ViewApproval,
		Title: "List the people that a comment on the request of the " + of.thing + " can name",
		About: "Returns the first 50 active users who see the open or the latest request, by name.",
		Query: []*endpoint.QueryParam{peopleSearch},
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, _ endpoint.None) (wire.List[wire.Person], error) {
		search := c.Params[peopleSearch.Name]
		if err := c.BadQuery(); err != nil {
			return wire.List[wire.Person]{}, err
		}
		found, err := a.Reviews.People(c.Context(), c.Actor, ref, search)
		return wire.ListOf(found, err, func(p comments.Person) wire.Person { return wire.Person(p) })
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "editComment" + of.suffix, Tag: tag, Action: access.ViewApproval, Fails: []core.Kind{core.KindConflict},
		Permit: func(c *endpoint.Call) error {
			return a.Reviews.OwnsComment(c.Context(), c.Actor, of.subject(c), c.ID("commentId"))
		},
		Title: "Change a comment on the request of the " + of.thing,
		About: "Changes the text. The author may for 15 minutes, then the status is 409 `too_late`. Earlier texts are kept.",
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, in wire.CommentChange) (wire.Comment, error) {
		changed, err := a.Reviews.EditComment(c.Context(), c.Actor, ref, c.ID("commentId"), in.Text)
		return wire.Shown(changed, err, wire.CommentOf)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteComment" + of.suffix, Tag: tag, Action: access.ViewApproval,
		Title: "Delete a comment on the request of the " + of.thing,
		About: "Removes the texts and the passage. What is left says who commented and when. The author may. Replies of others stay open, and what is left of the comment with them, until they are resolved or deleted.", Fails: []core.Kind{core.KindConflict},
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Reviews.DeleteComment(c.Context(), c.Actor, ref, c.ID("commentId"))
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/resolve", ID: "resolveComment" + of.suffix, Tag: tag, Action: access.ViewApproval, Status: http.StatusOK,
		Idempotent: true, BodyOptional: true, Fails: []core.Kind{core.KindConflict}, Sends: wire.Resolution{},
		Permit: func(c *endpoint.Call) error {
			return a.Reviews.ResolvesComment(c.Context(), c.Actor, of.subject(c), c.ID("commentId"))
		},
		Title: "Resolve a comment on the request of the " + of.thing,
		About: "Closes the comment with its replies, so that it does not come along into the next round. Its author may, and the reviewers of the request whom allowSelfApproval does not exclude; " +
			"if a step waits for it, only the users who may decide that step. While no user can approve that step, an admin of the Project may, with a reason.",
	}, withSubject(of, func(c *endpoint.Call, ref review.Subject, in wire.Resolution) (wire.Comment, error) {
		reason := ""
		core.Assign(&reason, in.Reason)
		closed, err := a.Reviews.ResolveComment(c.Context(), c.Actor, ref, c.ID("commentId"), reason)
		return wire.Shown(closed, err, wire.CommentOf)
	}))
}
