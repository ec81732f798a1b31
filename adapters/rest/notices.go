package rest

import (
	"net/http"
	"slices"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core/access"
	"imprimatur/core/notices"
)

// noticePage is one page of notices.
type noticePage = wire.Pages[wire.Notice]

// noticeParams are the query parameters of the list of notices.
var noticeParams = append(slices.Clone(endpoint.PageParams("items", notices.DefaultPerPage)), endpoint.FlagParam("unread", "Only unread ones."))

func (a *API) registerNotices() {
	const tag, all = "Me", "/api/me/notices"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listMyNotices", Tag: tag, Action: access.SignedIn,
		Title: "List my notices", About: "Returns what concerns the caller and the caller may still see, the newest first. Notices are kept for 90 days.",
		Query: noticeParams,
	}, a.listNotices)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all + "/summary", ID: "getMyNoticeSummary", Tag: tag, Action: access.SignedIn,
		Title: "Count my unread notices", About: "Returns the number of unread notices that the caller may still see.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.NoticeSummary, error) {
		unread, err := a.Notices.Unread(c.Context(), c.Actor)
		return wire.NoticeSummary{Unread: unread}, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all + "/read", ID: "readMyNotices", Tag: tag, Action: access.SignedIn, Idempotent: true,
		Title: "Mark my notices as read", About: "Marks those with the given ids, or all until a time. Others than those of the caller are ignored.",
	}, func(c *endpoint.Call, in wire.NoticesRead) (endpoint.None, error) {
		return endpoint.None{}, a.Notices.Read(c.Context(), c.Actor, in.IDs, in.Time())
	})
}

func (a *API) listNotices(c *endpoint.Call, _ endpoint.None) (noticePage, error) {
	filter := notices.Filter{Window: windowOf(c), Unread: c.Bool("unread")}
	if err := c.BadQuery(); err != nil {
		return noticePage{}, err
	}
	found, err := a.Notices.List(c.Context(), c.Actor, filter)
	return wire.PagesOf(found, err, wire.NoticeOf)
}
