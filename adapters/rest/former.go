package rest

import (
	"net/http"
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core/access"
	"imprimatur/core/reading"
)

var (
	formerSlugParam   = endpoint.TextParam("slug", "A slug. The response is the entry that has it now or, if there is none, the latest one that had it. Omitted means all former slugs.", "harbour-closes")
	formerLocaleParam = endpoint.TextParam("locale", "A locale, without fallbacks. Omitted means the Project's default locale with slug, and every locale without.", "en")
	formerAfterParam  = endpoint.TextParam("after", "The value of `meta.next` in the page before. Empty means the first page.", "ZW4vaGFyYm91ci1jbG9zZXM")
	formerLimitParam  = endpoint.IntParam("limit", "The largest number of slugs to return, 1 to 500. A page can have fewer.", 100, 1, new(float64(reading.MaxFormer)), reading.DefaultFormer)
)

func (a *API) registerFormer() {
	endpoint.HandleRead[wire.Former](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: publicBase + "/{slug}/former", ID: "listFormerSlugs", Tag: "Public content", Action: access.ReadPublic, Conditional: true,
		Query: []*endpoint.QueryParam{formerSlugParam, formerLocaleParam, formerAfterParam, formerLimitParam},
		Title: "Find former slugs",
		About: "For redirects from addresses that entries had: the first slug field of the collection counts, in each locale, with the last 20 slugs of each entry that readers saw. " +
			"With slug, returns the published entry to redirect to; the status is 404 if there is none. Without slug, returns all former slugs page by page, in the order of locale and slug, but those that a published entry has now.",
	}, a.former)
}

// former returns the entry that has or had a slug, or a page of former slugs.
func (a *API) former(c *endpoint.Call) (*httpx.Response, error) {
	limit := c.Int(formerLimitParam.Name)
	if err := c.BadQuery(); err != nil {
		return nil, err
	}
	slug, named := c.Params[formerSlugParam.Name]
	locale, in := c.Params[formerLocaleParam.Name]
	if in && locale == "" {
		return nil, endpoint.BadParameter(formerLocaleParam.Name, "is empty")
	}
	after, follows := c.Params[formerAfterParam.Name]
	if named && (follows || limit != nil) {
		return nil, endpoint.BadParameter(formerSlugParam.Name, "must be omitted beside after and limit")
	}
	depends := a.Tags.Collect()
	var answer any
	if named {
		found, err := a.Former.Find(c.Context(), c.Project(), c.Request.PathValue("slug"), slug, locale, depends)
		if err != nil {
			return nil, err
		}
		answer = wire.FormerEntryOf(found)
	} else {
		size := int64(reading.DefaultFormer)
		if limit != nil {
			if size = *limit; size < 1 || size > reading.MaxFormer {
				return nil, endpoint.BadParameter(formerLimitParam.Name, "must be between 1 and "+strconv.Itoa(reading.MaxFormer))
			}
		}
		page, err := a.Former.Page(c.Context(), c.Project(), c.Request.PathValue("slug"), locale, after, int(size), depends)
		if err != nil {
			return nil, err
		}
		shown := wire.CursorPage[wire.FormerSlug]{Data: wire.Each(page.Slugs, wire.FormerSlugOf)}
		shown.Meta.Limit, shown.Meta.HasMore, shown.Meta.Next = size, page.HasMore, page.Next
		answer = shown
	}
	body, err := endpoint.Encode(answer)
	if err != nil {
		return nil, err
	}
	response := &httpx.Response{Body: body, Tag: httpx.ContentETag(body)}
	response.AddShared(a.Tags, c.Project(), depends, true)
	return response, nil
}
