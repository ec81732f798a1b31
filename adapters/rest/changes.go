package rest

import (
	"net/http"
	"strconv"
	"time"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/canonical"
	"imprimatur/core/reading"
)

// pollAfter is when a copy that is up to date should ask again, in seconds.
const pollAfter = 5

// Query parameters of changes.
var (
	sinceParam = endpoint.TextParam("since", "A cursor: the value of `meta.next` in the page before, with the same collection and locale. Omitted means from the beginning.", "AVd2J1l9aHfhkKoG")
	ofParam    = endpoint.TextParam("collection", "Only the entries of this collection. Media are not restricted.", "articles")
	inParam    = endpoint.TextParam("locale", "Only the entries in this locale, without fallbacks. Media are not restricted.", "de")
	mostParam  = endpoint.IntParam("limit", "The largest number of changes to return, 1 to 500. A page with large entries has fewer.", 100, 1, new(float64(reading.MaxChanges)), reading.DefaultChanges)
)

func (a *API) registerChanges() {
	endpoint.HandleRead[wire.ChangePage](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: projectsBase + "/{projectUuid}/changes", ID: "listChanges", Tag: "Public content", Action: access.ReadPublicOnly,
		Conditional: true, CachedWith: sinceParam.Name, Fails: []core.Kind{core.KindGone}, Headers: []string{"Retry-After"},
		Title: "Follow the changes",
		About: "For copies of the published content: without since everything that is public, page by page, then what has changed since. Each thing is in a page once, as it is now. " +
			"Request the next page after `Retry-After`: 5 s, or 0 while `meta.hasMore` is true; without a change the response to `If-None-Match` is 304. " +
			"Follow `meta.next` also when the page is empty. After `reset`, drop the copy of that collection, or of everything if none is named, and read it again without since. " +
			"The status is 410 `cursor_expired` when events after the cursor are no longer kept: read everything again.",
		Query: []*endpoint.QueryParam{sinceParam, ofParam, inParam, mostParam},
	}, a.listChanges)
}

func (a *API) listChanges(c *endpoint.Call) (*httpx.Response, error) {
	q := reading.ChangesQuery{Limit: c.Int(mostParam.Name)}
	if err := c.BadQuery(); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		name  string
		value *string
	}{{sinceParam.Name, &q.Since}, {ofParam.Name, &q.Collection}, {inParam.Name, &q.Locale}} {
		value, given := c.Params[p.name]
		if given && value == "" {
			return nil, endpoint.BadParameter(p.name, "is empty")
		}
		*p.value = value
	}
	page, err := a.Changes.Page(c.Context(), c.Project(), q)
	if err != nil {
		return nil, err
	}
	body := a.appendChanges(nil, c.Project().ID, page)
	wait := pollAfter
	if page.HasMore {
		wait = 0
	}
	return &httpx.Response{Body: body, Tag: httpx.ContentETag(body), More: http.Header{"Retry-After": {strconv.Itoa(wait)}}}, nil
}

// appendChanges appends a wire.ChangePage.
func (a *API) appendChanges(b []byte, projectID int64, page *reading.ChangesPage) []byte {
	b = append(b, `{"data":[`...)
	for i := range page.Changes {
		if i > 0 {
			b = append(b, ',')
		}
		b = a.appendChange(b, projectID, &page.Changes[i])
	}
	b = append(append(append(b, `],"meta":{"next":"`...), page.Next...), `","hasMore":`...)
	return append(strconv.AppendBool(b, page.HasMore), `}}`...)
}

func (a *API) appendChange(b []byte, projectID int64, c *reading.PublicChange) []byte {
	text := func(name, value string) {
		if value != "" {
			b = canonical.AppendQuote(append(append(append(b, `,"`...), name...), `":`...), value)
		}
	}
	number := func(name string, value int64) {
		if value != 0 {
			b = strconv.AppendInt(append(append(append(b, `,"`...), name...), `":`...), value, 10)
		}
	}
	b = append(append(append(b, `{"op":"`...), c.Op...), '"')
	if c.Media == nil {
		number("id", c.ID)
	}
	number("group", c.Group)
	text("collection", c.Collection)
	text("locale", c.Locale)
	text("contentHash", c.ContentHash)
	text("publishedAt", formatTime(c.PublishedAt))
	if c.Entry != nil {
		b = append(append(b, `,"entry":`...), c.Entry...)
	}
	if c.Media != nil {
		b = append(append(b, `,"media":`...), a.showMedia(*c.Media)...)
	}
	for i, tag := range a.tagsOf(projectID, c) {
		separator := ","
		if i == 0 {
			separator = `,"tags":[`
		}
		b = append(append(append(append(b, separator...), '"'), tag...), '"')
	}
	if a.Tags != nil {
		b = append(b, ']')
	}
	return append(b, '}')
}

// tagsOf returns the tags of the responses that a change outdates; nil if tags are off.
func (a *API) tagsOf(projectID int64, c *reading.PublicChange) []string {
	switch c.Op {
	case reading.ChangePut, reading.ChangeDelete:
		return a.Tags.Entry(projectID, c.ID, c.Group, c.Collection)
	case reading.ChangeMedia, reading.ChangeMediaDeleted:
		return a.Tags.Medium(projectID, c.ID)
	default:
		return a.Tags.Definition(projectID)
	}
}

// formatTime returns t as responses have it, "" for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return core.FormatTime(t)
}
