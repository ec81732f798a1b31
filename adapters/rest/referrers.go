package rest

import (
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core/reading"
)

var (
	referringCollectionParam = endpoint.TextParam("collection", "The slug of the collection of the referring entries. Omitted means all.", "articles")
	referringFieldParam      = endpoint.TextParam("field", "The field of that collection in which they refer to the entry. Omitted means all.", "body")
	referrersLimitParam      = endpoint.IntParam("limit", "The largest number of entries to return, 1 to 100.", 10, 1, new(float64(reading.MaxReferrersPage)), reading.DefaultReferrersPage)
	referrersAfterParam      = endpoint.TextParam("after", "The value of `meta.next` in the page before.", "42")
)

// listReferrers returns the entries that refer to an entry.
func (a *API) listReferrers(c *endpoint.Call) (*httpx.Response, error) {
	q := reading.ReferrersOf{Limit: c.Int(referrersLimitParam.Name), Before: c.Positive(referrersAfterParam.Name)}
	if err := c.BadQuery(); err != nil {
		return nil, err
	}
	for _, name := range []string{referringCollectionParam.Name, referringFieldParam.Name} {
		if value, given := c.Params[name]; given && value == "" {
			return nil, endpoint.BadParameter(name, "is empty")
		}
	}
	q.Collection, q.Field = c.Params[referringCollectionParam.Name], c.Params[referringFieldParam.Name]
	id, err := c.Number("entryId", "entry")
	if err != nil {
		return nil, err
	}
	q.Depends = a.Tags.Collect()
	reader, err := a.readerOf(c)
	if err != nil {
		return nil, err
	}
	page, err := reader.Referrers(c.Context(), c.Project(), c.Request.PathValue("slug"), id, q)
	if err != nil {
		return nil, err
	}
	shown := reading.Page{Limit: page.Limit, HasMore: page.HasMore}
	if page.HasMore {
		shown.Next = strconv.FormatInt(page.Next, 10)
	}
	body := appendMeta(append([]byte(`{"data":[`), page.JSON...), &shown, nil)
	response := &httpx.Response{Body: body, Tag: httpx.ContentETag(body)}
	response.AddShared(a.Tags, c.Project(), q.Depends, true)
	return response, nil
}
