package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/cachetag"
	"imprimatur/core/reading"
	"imprimatur/core/review"
)

const (
	projectsBase = "/public/v2/projects"
	publicOwn    = projectsBase + "/{projectUuid}"
	publicBase   = publicOwn + "/collections"

	publicComponents = publicOwn + "/components"
)

func (a *API) registerPublic() {
	const (
		tag      = "Public content"
		one      = publicBase + "/{slug}"
		all, own = one + "/entries", one + "/entries/{entryId}"
	)
	stale := staleAt("/public/v2/projects/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/collections/articles/entries/42")
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: publicOwn, ID: "getPublicProject", Tag: tag, Action: access.ReadPublic, Conditional: true,
		Title: "Read the Project", About: "Returns the Project of the token with its locales and their fallbacks.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.PublicProject, error) {
		a.dependOn(c, nil)
		return wire.PublicProjectOf(c.Project()), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: publicBase, ID: "listPublicCollections", Tag: tag, Action: access.ReadPublic, Conditional: true,
		Title: "List collections", About: "Returns the collections of the Project with their fields, ordered by slug.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.PublicCollection], error) {
		a.dependOn(c, nil)
		found, err := a.Reader.Collections(c.Context(), c.Project())
		return wire.ListOf(found, err, wire.PublicCollectionOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getPublicCollection", Tag: tag, Action: access.ReadPublic, Conditional: true,
		Title: "Read a collection", About: "Returns one collection with its fields.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.PublicCollection, error) {
		a.dependOn(c, nil)
		found, err := a.publicCollection(c)
		return wire.Shown(found, err, wire.PublicCollectionOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: publicComponents, ID: "listPublicComponents", Tag: tag, Action: access.ReadPublic, Conditional: true,
		Title: "List components", About: "Returns the components of the Project with their fields, ordered by slug. Items of fields of the types group and blocks have these fields.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.PublicComponent], error) {
		a.dependOn(c, nil)
		found, err := a.Collections.Components().List(c.Context(), c.Project())
		return wire.ListOf(found, err, wire.PublicComponentOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: publicComponents + "/{slug}", ID: "getPublicComponent", Tag: tag, Action: access.ReadPublic, Conditional: true,
		Title: "Read a component", About: "Returns one component with its fields.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.PublicComponent, error) {
		a.dependOn(c, nil)
		found, err := a.Collections.Components().List(c.Context(), c.Project())
		component := core.ComponentsBySlug(found)[c.Request.PathValue("slug")]
		if err == nil && component == nil {
			err = core.NotFound("component")
		}
		return wire.Shown(component, err, wire.PublicComponentOf)
	})
	endpoint.HandleRead[wire.CursorPage[wire.Entry]](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listEntries", Tag: tag, Action: access.ReadPublic, Conditional: true, Listing: true,
		Query: []*endpoint.QueryParam{endpoint.FieldsParam, endpoint.DepthParam, endpoint.AfterParam, endpoint.SearchParam, endpoint.AlternatesParam, endpoint.ReferrersParam},
		Title: "List entries",
		About: "Returns entries of a collection. All conditions in where must hold, and all conditions of at least one group in or. " +
			"For each translation group, the list contains the first entry in the fallback chain of the requested locale; filters, sorts and totals apply to these entries. " +
			"Drafts require a token with allowDrafts.",
	}, a.listEntries)
	endpoint.HandleRead[wire.Data[wire.ValueCount]](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all + "/counts", ID: "countEntries", Tag: tag, Action: access.ReadPublic, Conditional: true, Counting: true,
		Query: []*endpoint.QueryParam{required(endpoint.ByParam), endpoint.ZoneParam, endpoint.SearchParam},
		Title: "Count entries by value",
		About: "Returns the values of a field with the number of entries that have each: those with the most entries first, then in the order of the values, at most 200. " +
			"The conditions, the search, the state and the locale with its fallbacks select entries as in a list. Entries without a value are not counted. " +
			"The status is 503 with the code `too_slow` if counting takes longer than 2 seconds.",
	}, a.countEntries)
	endpoint.HandleRead[wire.Entry](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: own, ID: "getEntry", Tag: tag, Action: access.ReadPublic, Conditional: true,
		Title: "Read an entry", About: "Returns one published entry. With locale, it is the translation that a list in the locale has, of the public entry with the id in the path.",
		Query: []*endpoint.QueryParam{entryLocaleParam, endpoint.TimestampsParam, endpoint.FieldsParam, endpoint.DepthParam, endpoint.AlternatesParam, endpoint.ReferrersParam, asOfParam}, Uncached: asOfParam.Name, Headers: []string{shortenedHeader},
	}, a.getEntry)
	endpoint.HandleRead[wire.CursorPage[wire.Entry]](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: own + "/referrers", ID: "listReferrers", Tag: tag, Action: access.ReadPublic, Conditional: true,
		Query: []*endpoint.QueryParam{referringCollectionParam, referringFieldParam, referrersLimitParam, referrersAfterParam},
		Title: "List the entries that refer to an entry",
		About: "Returns published entries that refer to a published entry, in a relation, in items or in rich text, and that serve its locale: one of each translation group, the newest first. `_collection` is the collection of each. Their relations are only id and collection.",
	}, a.listReferrers)
	endpoint.HandleRead[wire.Entry](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/entry", ID: "getSingleEntry", Tag: tag, Action: access.ReadPublic, Conditional: true,
		Title: "Read the entry of a singleton",
		About: "Returns the published entry of a collection with singleton true: the first one in the fallback chain of the locale. " +
			"The status is 404 while nothing of it is public, and for other collections.",
		Query: []*endpoint.QueryParam{singleLocaleParam, endpoint.TimestampsParam, endpoint.FieldsParam, endpoint.DepthParam, endpoint.AlternatesParam, endpoint.ReferrersParam, asOfParam}, Uncached: asOfParam.Name, Headers: []string{shortenedHeader},
	}, a.getSingleEntry)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createEntry", Tag: tag, Action: access.CreatePublic, Versioned: true, Idempotent: true,
		Query: []*endpoint.QueryParam{checkParam(checkPublish)},
		Title: "Create an entry", About: "The response to an invalid body lists all errors by field. Approval workflows apply to tokens too: if a workflow governs the Project, published true opens an approval request.",
		Status: http.StatusCreated, Headers: []string{"Location"},
	}, a.createEntry)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: own, ID: "updateEntry", Tag: tag, Action: access.UpdatePublic, Versioned: true, Stale: stale,
		Query: []*endpoint.QueryParam{checkParam(checkPublish), withdrawReleaseParam},
		Title: "Change an entry", About: "Replaces the fields that the body contains. null clears a field.",
		Fails: []core.Kind{core.KindConflict},
	}, withPublicEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, in wire.EntryWrite) (wire.ManagedEntry, error) {
		wr, err := writeOf(c, in, checkPublish)
		if err != nil {
			return wire.ManagedEntry{}, err
		}
		w, err := a.writer(c).InEmergency(in.Emergency).Update(c.Context(), c.Actor, ref, ifMatch, wr)
		return a.written(c, in, w, err)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: own, ID: "deleteEntry", Tag: tag, Action: access.DeletePublic, Versioned: true, Stale: stale, Query: []*endpoint.QueryParam{reasonParam, withdrawReleaseParam}, Fails: []core.Kind{core.KindInvalid, core.KindConflict},
		Title: "Move an entry to the trash", About: "The content API no longer returns the entry. The dashboard API can restore or destroy it. The end of the publication stays: an entry that is restored later than that is a draft. " + aboutUnpublishing,
	}, withPublicEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, _ endpoint.None) (endpoint.None, error) {
		_, err := a.writer(c).Trash(c.Context(), c.Actor, ref, ifMatch, c.Params[reasonParam.Name])
		return endpoint.None{}, err
	}))
}

// dependOn makes the response of a read say what it depends on besides the Project.
func (a *API) dependOn(c *endpoint.Call, add func(*cachetag.Dependencies)) {
	depends := a.Tags.Collect()
	if depends == nil || c.Actor.Token == nil {
		return
	}
	if add != nil {
		add(depends)
	}
	c.Shared = func(r *httpx.Response) { r.AddShared(a.Tags, c.Project(), depends, false) }
}

func (a *API) publicCollection(c *endpoint.Call) (*core.Collection, error) {
	return a.Reader.Collection(c.Context(), c.Project(), c.Request.PathValue("slug"))
}

// listEntries returns the response with the entries encoded by the use case.
func (a *API) listEntries(c *endpoint.Call) (*httpx.Response, error) {
	q := *c.Query
	q.Collection, q.Cursor, q.Bounded = c.Request.PathValue("slug"), true, true
	q.Depends = a.Tags.Collect()
	reader, err := a.readerOf(c)
	if err != nil {
		return nil, err
	}
	listing, err := reader.Prepare(c.Context(), c.Project(), c.Actor.ReadsDrafts(), q)
	if err != nil {
		return nil, err
	}
	page, total, err := readPage(c.Context(), listing, q.Total)
	if err != nil {
		return nil, err
	}
	const head = `{"data":[`
	body := append(make([]byte, 0, len(head)+len(page.JSON)+maxMeta+len(page.Next)), head...)
	body = append(body, page.JSON...)
	end := len(body)
	body = appendMeta(body, page, total)
	digest := core.DigestOf(page.JSON)
	response := &httpx.Response{Body: body, Tag: httpx.ContentETag(append(digest[:], body[end:]...))}
	if listing.Selection().State == core.StatePublished {
		response.AddShared(a.Tags, c.Project(), q.Depends, true)
	}
	return response, nil
}

// required returns a parameter that must be given.
func required(p *endpoint.QueryParam) *endpoint.QueryParam {
	needed := *p
	needed.Required = true
	return &needed
}

// countEntries returns the counts by value.
func (a *API) countEntries(c *endpoint.Call) (*httpx.Response, error) {
	if c.Query.By == "" {
		return nil, endpoint.BadParameter(endpoint.ByParam.Name, "is required")
	}
	q := *c.Query
	q.Collection, q.Depends = c.Request.PathValue("slug"), a.Tags.Collect()
	reader, err := a.readerOf(c)
	if err != nil {
		return nil, err
	}
	counts, err := reader.Counts(c.Context(), c.Project(), c.Actor.ReadsDrafts(), q)
	if err != nil {
		return nil, err
	}
	body, err := endpoint.Encode(wire.Data[wire.ValueCount]{Data: wire.Each(counts, wire.ValueCountOf)})
	if err != nil {
		return nil, err
	}
	response := &httpx.Response{Body: body, Tag: httpx.ContentETag(body)}
	if q.State == "" || core.States[q.State] == core.StatePublished {
		response.AddShared(a.Tags, c.Project(), q.Depends, true)
	}
	return response, nil
}

// readPage reads a page, and the total number of entries if counted.
func readPage(ctx context.Context, listing *reading.Listing, counted bool) (*reading.Page, *int64, error) {
	if counted {
		page, total, err := listing.PageAndTotal(ctx)
		return page, &total, err
	}
	page, err := listing.Page(ctx)
	return page, nil, err
}

// maxMeta is the largest number of bytes in a page besides its entries and its cursor.
const maxMeta = 160

// appendMeta appends the JSON that follows the entries in a wire.CursorPage[wire.Entry].
func appendMeta(b []byte, page *reading.Page, total *int64) []byte {
	b = strconv.AppendInt(append(b, `],"meta":{"offset":`...), page.Offset, 10)
	b = strconv.AppendInt(append(b, `,"limit":`...), page.Limit, 10)
	b = strconv.AppendBool(append(b, `,"hasMore":`...), page.HasMore)
	if page.Next != "" {
		b = append(append(append(b, `,"next":"`...), page.Next...), '"')
	}
	if total != nil {
		b = strconv.AppendInt(append(b, `,"total":`...), *total, 10)
	}
	return append(b, `}}`...)
}

func (a *API) getEntry(c *endpoint.Call) (*httpx.Response, error) {
	shape := c.Shape()
	if err := c.BadQuery(); err != nil {
		return nil, err
	}
	id, err := c.Number("entryId", "entry")
	if err != nil {
		return nil, err
	}
	slug, locale := c.Request.PathValue("slug"), c.Params[entryLocaleParam.Name]
	if err := presentOnly(c, entryLocaleParam.Name, endpoint.AlternatesParam.Name, endpoint.ReferrersParam.Name); err != nil {
		return nil, err
	}
	entry, err := a.readAt(c, func(reader *reading.Reader, at *time.Time) (*reading.Shaped, error) {
		if at != nil {
			return a.History.Entry(c.Context(), c.Project(), slug, id, shape, *at)
		}
		shape.Depends = a.Tags.Collect()
		if locale != "" {
			return reader.EntryIn(c.Context(), c.Project(), slug, id, locale, shape)
		}
		return reader.Entry(c.Context(), c.Project(), slug, id, shape)
	})
	if err != nil {
		return nil, err
	}
	return a.single(c, singleRead{shape, locale}, entry), nil
}

// presentOnly returns an error if a parameter that only reads of the present have is empty, or given beside asOf.
func presentOnly(c *endpoint.Call, names ...string) error {
	_, past := c.Params[asOfParam.Name]
	for _, name := range names {
		value, given := c.Params[name]
		switch {
		case given && value == "":
			return endpoint.BadParameter(name, "is empty")
		case given && past:
			return endpoint.BadParameter(name, "must be omitted beside asOf")
		}
	}
	return nil
}

// entryLocaleParam documents the locale of the read of an entry.
var entryLocaleParam = endpoint.TextParam("locale", "A locale. The response is the translation of the entry that a list in this locale has; the status is 404 if there is none. "+
	"The id in the path may be that of any public translation. Omitted means the entry with that id itself.", "de")

// asOfParam documents the parameter asOf of a single read.
var asOfParam = endpoint.TimeParam("asOf", "Returns what readers saw at that time, with the relations of that time and the words that media had. "+
	"Fields and fallbacks of locales are those of now. The status is 404 if the entry was not public then. Requires a token with allowHistory.", "2026-03-02T12:00:00Z")

// singleLocaleParam documents the locale of the entry of a singleton.
var singleLocaleParam = endpoint.TextParam("locale", "The locale. Omitted means the Project's default locale. If the entry is not public in it, the fallbacks of the locale follow.", "de")

// getSingleEntry returns the entry of a singleton.
func (a *API) getSingleEntry(c *endpoint.Call) (*httpx.Response, error) {
	shape := c.Shape()
	if err := c.BadQuery(); err != nil {
		return nil, err
	}
	locale, given := c.Params[singleLocaleParam.Name]
	if given && locale == "" {
		return nil, endpoint.BadParameter(singleLocaleParam.Name, "is empty")
	}
	if err := presentOnly(c, endpoint.AlternatesParam.Name, endpoint.ReferrersParam.Name); err != nil {
		return nil, err
	}
	slug := c.Request.PathValue("slug")
	entry, err := a.readAt(c, func(reader *reading.Reader, at *time.Time) (*reading.Shaped, error) {
		if at != nil {
			return a.History.Single(c.Context(), c.Project(), slug, locale, shape, *at)
		}
		shape.Depends = a.Tags.Collect()
		return reader.Single(c.Context(), c.Project(), slug, locale, shape)
	})
	if err != nil {
		return nil, err
	}
	return a.single(c, singleRead{Shape: shape}, entry), nil
}

// shortenedHeader says that relations of a single read show less than the default depth does.
const shortenedHeader = "X-Shortened"

// single returns the response of a single read. Shared caches keep none of the past: it has no tags.
func (a *API) single(c *endpoint.Call, read singleRead, entry *reading.Shaped) *httpx.Response {
	response := &httpx.Response{Body: entry.JSON, Tag: entryETag(read, entry.JSON)}
	if entry.Shortened {
		response.More = http.Header{shortenedHeader: {"relations"}}
	}
	if _, past := c.Params[asOfParam.Name]; !past {
		response.AddShared(a.Tags, c.Project(), read.Depends, true)
	}
	return response
}

// readerOf returns the Reader of what the caller may see.
func (a *API) readerOf(c *endpoint.Call) (*reading.Reader, error) {
	if c.Actor.Preview == nil {
		return a.Reader, nil
	}
	return a.Previews.Reader(c.Context(), c.Project(), c.Actor.Preview)
}

// readAt calls read with the time in the parameter asOf, or with the Reader of the present if the parameter is omitted.
func (a *API) readAt(c *endpoint.Call, read func(reader *reading.Reader, at *time.Time) (*reading.Shaped, error)) (*reading.Shaped, error) {
	if _, given := c.Params[asOfParam.Name]; !given {
		reader, err := a.readerOf(c)
		if err != nil {
			return nil, err
		}
		return read(reader, nil)
	}
	if c.Actor.Preview != nil {
		return nil, access.PreviewOnly()
	}
	if !c.Actor.ReadsHistory() {
		return nil, core.Forbidden("asOf requires a token with allowHistory")
	}
	at := c.Time(asOfParam.Name)
	if err := c.BadQuery(); err != nil {
		return nil, err
	}
	return read(nil, at)
}

func (a *API) createEntry(c *endpoint.Call, in wire.EntryWrite) (wire.ManagedEntry, error) {
	target, err := a.publicCollection(c)
	if err != nil {
		return wire.ManagedEntry{}, err
	}
	wr, err := writeOf(c, in, checkPublish)
	if err != nil {
		return wire.ManagedEntry{}, err
	}
	w, err := a.Writer.Create(c.Context(), c.Actor, c.Project(), target.ID, wr)
	made, err := a.written(c, in, w, err)
	if err == nil {
		c.Writer.Header().Set("Location", c.Request.URL.EscapedPath()+"/"+strconv.FormatInt(made.ID, 10))
	}
	return made, err
}

// written returns the response to a write by a token. Errors contain only values that the body
// contained, unless the token may read every draft.
func (a *API) written(c *endpoint.Call, in wire.EntryWrite, w *core.Written, err error) (wire.ManagedEntry, error) {
	if err != nil {
		if !c.Actor.Token.Can(core.AbilityRead) || !c.Actor.Token.AllowDrafts {
			err = withoutValues(err, func(location string) bool { return !reading.InFields(in.Fields, location) })
		}
		return wire.ManagedEntry{}, err
	}
	m, err := a.Drafts.Written(c.Context(), w)
	if err != nil {
		return wire.ManagedEntry{}, err
	}
	return managed(c, visible(c, in.Fields, m), nil)
}

// visible returns m as the token of the request may see it. A token without the ability read,
// or without allowDrafts where m shows a draft, sees only the fields in named. Otherwise an empty
// change would reveal a draft.
func visible(c *endpoint.Call, named map[string]json.RawMessage, m *reading.Managed) *reading.Managed {
	if token := c.Actor.Token; token.Can(core.AbilityRead) && (token.AllowDrafts || !m.ShowsDraft()) {
		return m
	}
	return m.Only(named)
}

// withPublicEntry reads the collection slug, the entry and the If-Match header of a change in the
// content API. If the version is not current, the error contains the entry. A token that may not
// read the draft sees none of its fields, not even the fields in the body, because the draft can
// have other values than the body.
func withPublicEntry[B, A any](a *API, do entryChange[B, A]) func(*endpoint.Call, B) (A, error) {
	change := withIfMatch(a.readUnder, func(c *endpoint.Call, ref review.EntryRef) (*reading.Managed, error) {
		m, err := a.Drafts.Entry(c.Context(), ref)
		if err != nil {
			return nil, err
		}
		return visible(c, nil, m), nil
	}, do)
	return func(c *endpoint.Call, body B) (nothing A, err error) {
		in, err := a.publicCollection(c)
		if err != nil {
			return nothing, err
		}
		id, err := c.Number("entryId", "entry")
		if err != nil {
			return nothing, err
		}
		return change(c, review.EntryRef{Project: c.Project(), CollectionID: in.ID, ID: id}, body)
	}
}

// readUnder returns the version of an entry and, if match needs them and the token may read, the
// entity tags of its read responses. It reads the version first: a concurrent write then makes the
// version stale, and the tags never belong to an older version.
func (a *API) readUnder(c *endpoint.Call, ref review.EntryRef, match httpx.Match) (version int64, tags []string, err error) {
	m, err := a.Drafts.Entry(c.Context(), ref)
	if err != nil {
		return 0, nil, err
	}
	// Readers do not see the draft: the tag of a read must not permit to overwrite its changes.
	if version = m.Version; !match.NeedsContent() || !c.Actor.Token.Can(core.AbilityRead) || m.HasUnpublishedChanges {
		return version, nil, nil
	}
	reads, err := readsOf(match.Tags())
	if err != nil {
		return 0, nil, err
	}
	for _, read := range reads {
		entry, err := a.readAgain(c, ref.ID, read)
		switch {
		case errors.Is(err, core.ErrNotFound) && read.locale == "": // not published
			return version, nil, nil
		case core.KindOf(err) == core.KindBadRequest: // the parameters are no longer valid
		case errors.Is(err, core.ErrNotFound): // no translation serves the locale any more
		case err != nil:
			return 0, nil, err
		case entry.ID == ref.ID: // another translation says nothing about this one
			tags = append(tags, entryETag(read, entry.JSON))
		}
	}
	return version, tags, nil
}

// readAgain returns what a single read of an entry returns now.
func (a *API) readAgain(c *endpoint.Call, id int64, read singleRead) (*reading.Shaped, error) {
	slug := c.Request.PathValue("slug")
	if read.locale != "" {
		return a.Reader.EntryIn(c.Context(), c.Project(), slug, id, read.locale, read.Shape)
	}
	return a.Reader.Entry(c.Context(), c.Project(), slug, id, read.Shape)
}

// withoutValues returns err without the values of the Fields whose location hide accepts.
func withoutValues(err error, hide func(location string) bool) error {
	return core.EditFields(err, func(f *core.FieldError) {
		if hide(f.Location) {
			f.Value = nil
		}
	})
}
