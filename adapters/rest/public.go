package rest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/content"
)

const (
	projectsBase = "/public/v2/projects"
	publicBase   = projectsBase + "/{projectUuid}/collections"
)

// publicCollection is a collection as the holders of tokens see it.
type publicCollection struct {
	Slug        string        `json:"slug" example:"articles"`
	Name        string        `json:"name" example:"Articles"`
	Description string        `json:"description" example:"What the desk writes."`
	Fields      []publicField `json:"fields" nullable:"false" doc:"In the order they are shown; secret ones are absent."`
}

type publicField struct {
	Name       string          `json:"name" example:"title"`
	Label      string          `json:"label" example:"Title"`
	Type       publicFieldType `json:"type" example:"text"`
	Required   bool            `json:"required" example:"true"`
	Multiple   bool            `json:"multiple" doc:"A list of values." example:"false"`
	Choices    []string        `json:"choices,omitempty" doc:"Of an enumeration." example:"[\"news\",\"opinion\"]"`
	Collection string          `json:"collection,omitempty" doc:"Of a relation: the slug of the collection it points to." example:"countries"`
}

// entry documents the entry of the content API. Its own fields follow the system
// ones, in the collection's order.
type entry struct {
	_           struct{} `additionalProperties:"true"`
	ID          int64    `json:"id" example:"42"`
	Locale      string   `json:"locale" doc:"The locale that this entry has, which may be a fallback of the one asked for." example:"en"`
	PublishedAt *string  `json:"publishedAt" format:"date-time" doc:"null: a draft." example:"2026-01-02T15:04:05.000Z"`
	CreatedAt   string   `json:"createdAt,omitempty" format:"date-time" doc:"With timestamps=true." example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string   `json:"updatedAt,omitempty" format:"date-time" doc:"With timestamps=true." example:"2026-01-02T15:04:05.000Z"`
}

func showPublicCollection(c *core.Collection) publicCollection {
	shown := publicCollection{Slug: c.Slug, Name: c.Name, Description: c.Description, Fields: []publicField{}}
	for _, f := range c.Fields {
		if !f.Secret() {
			shown.Fields = append(shown.Fields, publicField{f.Name, f.Label, publicFieldType(f.Type), f.Required, f.Multiple, f.Choices, f.Collection})
		}
	}
	return shown
}

func (a *API) registerPublic() {
	const (
		tag      = "Public content"
		one      = publicBase + "/{slug}"
		all, own = one + "/entries", one + "/entries/{entryId}"
	)
	handleRaw[list[publicCollection]](a, operation{
		method: http.MethodGet, path: publicBase, id: "listPublicCollections", tag: tag, action: access.ReadPublic, conditional: true,
		title: "List collections", about: "The collections of the token's Project with their fields, ordered by slug.",
	}, a.listPublicCollections)
	handleRaw[publicCollection](a, operation{
		method: http.MethodGet, path: one, id: "getPublicCollection", tag: tag, action: access.ReadPublic, conditional: true,
		title: "Read a collection", about: "One collection with its fields.",
	}, a.getPublicCollection)
	handleRead[page[entry]](a, operation{
		method: http.MethodGet, path: all, id: "listEntries", tag: tag, action: access.ReadPublic, conditional: true, listing: true,
		title: "List entries",
		about: "Entries of a collection. Clauses in where are ANDed; those of one group in or are ANDed, the groups ORed, and the whole is ANDed with where. " +
			"The locale asked for serves, for each translation group, the best entry of its fallback chain; filters, sorts and totals run on what is served. " +
			"Drafts need a token with allowDrafts.",
	}, a.listEntries)
	handleRead[entry](a, operation{
		method: http.MethodGet, path: own, id: "getEntry", tag: tag, action: access.ReadPublic, conditional: true,
		title: "Read an entry", about: "One published entry.", query: []*queryParam{timestampsParam},
	}, a.getEntry)
	handle(a, operation{
		method: http.MethodPost, path: all, id: "createEntry", tag: tag, action: access.CreatePublic, versioned: true, idempotent: true,
		title: "Write a new entry", about: "Every fault is reported at once, by field. A token goes through approval like anyone else: on a gated Project published true opens a request.",
		status: http.StatusCreated, fails: []core.Kind{core.KindConflict}, headers: []string{"Location"},
	}, a.createEntry)
	handle(a, operation{
		method: http.MethodPatch, path: own, id: "updateEntry", tag: tag, action: access.UpdatePublic, versioned: true,
		title: "Change an entry", about: "Replaces the fields that the body names and leaves the others; null clears.",
		fails: []core.Kind{core.KindConflict},
	}, withPublicEntry(a, func(c *call, ref entryRef, ifMatch *int64, in entryWrite) (content.Managed, error) {
		m, err := a.Writer.Update(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch, content.Write(in))
		return c.written(in, m, err)
	}))
	handle(a, operation{
		method: http.MethodDelete, path: own, id: "deleteEntry", tag: tag, action: access.DeletePublic, versioned: true,
		title: "Move an entry to the trash", about: "No API shows it any more; the dashboard can restore or destroy it.",
	}, withPublicEntry(a, func(c *call, ref entryRef, ifMatch *int64, _ none) (none, error) {
		_, err := a.Writer.Trash(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch)
		return none{}, err
	}))
}

func (a *API) listPublicCollections(c *call) error {
	found, err := a.Reader.Collections(c.ctx(), c.project())
	if err != nil {
		return err
	}
	return c.writeTaggedJSON(listOf(found, showPublicCollection))
}

func (a *API) getPublicCollection(c *call) error {
	found, err := a.publicCollection(c)
	if err != nil {
		return err
	}
	return c.writeTaggedJSON(showPublicCollection(found))
}

func (a *API) publicCollection(c *call) (*core.Collection, error) {
	return a.Reader.Collection(c.ctx(), c.project(), c.r.PathValue("slug"))
}

// listEntries passes the entries' bytes on as the use case shaped them.
func (a *API) listEntries(c *call) (*found, error) {
	q := c.list.query
	q.Collection = c.r.PathValue("slug")
	listing, err := a.Reader.Prepare(c.ctx(), c.project(), c.actor.Token.AllowDrafts, q)
	if err != nil {
		return nil, err
	}
	page, total, err := readPage(c.ctx(), listing, q.Total)
	if err != nil {
		return nil, err
	}
	meta := appendMeta(make([]byte, 0, maxMeta), page, total)
	// The digest of the entries stands in for them, as it need not be made for each answer.
	tag := httpx.ContentETag(append(append(make([]byte, 0, maxMeta), page.Digest[:]...), meta...))
	answer := newFound(`{"data":[`, page.JSON, meta, tag)
	answer.page = page
	return answer, nil
}

// readPage reads a page, and how many entries there are in all if that was asked.
func readPage(ctx context.Context, listing *content.Listing, counted bool) (*content.Page, *int64, error) {
	if counted {
		page, total, err := listing.PageAndTotal(ctx)
		return page, &total, err
	}
	page, err := listing.Page(ctx)
	return page, nil, err
}

// maxMeta is how many bytes a page has at most beside its entries.
const maxMeta = 160

// appendMeta appends what follows the entries of a page[entry].
func appendMeta(b []byte, page *content.Page, total *int64) []byte {
	b = strconv.AppendInt(append(b, `],"meta":{"offset":`...), page.Offset, 10)
	b = strconv.AppendInt(append(b, `,"limit":`...), page.Limit, 10)
	b = strconv.AppendBool(append(b, `,"hasMore":`...), page.HasMore)
	if total != nil {
		b = strconv.AppendInt(append(b, `,"total":`...), *total, 10)
	}
	return append(b, `}}`...)
}

func (a *API) getEntry(c *call) (*found, error) {
	timestamps, err := c.bool("timestamps")
	if err != nil {
		return nil, err
	}
	id, err := c.id("entryId", "entry")
	if err != nil {
		return nil, err
	}
	entry, err := a.Reader.Entry(c.ctx(), c.project(), c.r.PathValue("slug"), id, timestamps)
	if err != nil {
		return nil, err
	}
	return newFound("", entry.JSON, nil, httpx.ContentETag(entry.JSON)), nil
}

func (a *API) createEntry(c *call, in entryWrite) (content.Managed, error) {
	target, err := a.publicCollection(c)
	if err != nil {
		return content.Managed{}, err
	}
	m, err := a.Writer.Create(c.ctx(), c.actor, c.project(), target.ID, content.Write(in))
	made, err := c.written(in, m, err)
	if err == nil {
		c.w.Header().Set("Location", c.r.URL.EscapedPath()+"/"+strconv.FormatInt(made.ID, 10))
	}
	return made, err
}

// written answers a token's write. A token that may not read what it wrote to gets of
// the entry's fields only those that its body named, and of the faults no other values:
// else an empty change would be a way to read any draft.
func (c *call) written(in entryWrite, m *content.Managed, err error) (content.Managed, error) {
	reads := c.actor.Token.Can(core.AbilityRead)
	drafts := reads && c.actor.Token.AllowDrafts
	switch {
	case err != nil && !drafts:
		return content.Managed{}, core.WithoutValues(err, func(location string) bool { return !in.names(location) })
	case err == nil && (!reads || m.ShowsDraft() && !drafts):
		m = m.Only(in.Fields)
	}
	return c.managed(m, err)
}

// names reports whether a fault's location is in the body.
func (in entryWrite) names(location string) bool {
	name, ok := strings.CutPrefix(location, "fields.")
	if !ok {
		return true
	}
	name, _, _ = strings.Cut(name, "[")
	_, named := in.Fields[name]
	return named
}

// withPublicEntry reads what a change on the content API names: the collection by
// its slug, the entry and If-Match.
func withPublicEntry[B, A any](a *API, do func(c *call, ref entryRef, ifMatch *int64, body B) (A, error)) func(*call, B) (A, error) {
	return func(c *call, body B) (A, error) {
		var nothing A
		in, err := a.publicCollection(c)
		if err != nil {
			return nothing, err
		}
		id, err := c.id("entryId", "entry")
		if err != nil {
			return nothing, err
		}
		match, err := httpx.IfMatch(c.r)
		if err != nil {
			return nothing, err
		}
		ref := entryRef{in.ID, id}
		ifMatch, err := match.Version(func() (int64, []string, error) { return c.readUnder(match, ref) })
		if err != nil {
			return nothing, err
		}
		return do(c, ref, ifMatch, body)
	}
}

// readUnder returns the version of an entry and the entity tags of its reads, as far as
// match needs them. The version is read first: a write that comes between makes it
// stale, and never lets older content pass for newer.
func (c *call) readUnder(match httpx.Match, ref entryRef) (version int64, tags []string, err error) {
	m, err := c.api.Manager.Entry(c.ctx(), c.project(), ref.collection, ref.id)
	if err != nil {
		return 0, nil, err
	}
	if version = m.Version; !match.NeedsContent() {
		return version, nil, nil
	}
	for _, timestamps := range []bool{false, true} {
		entry, err := c.api.Reader.StoredEntry(c.ctx(), c.project(), c.r.PathValue("slug"), ref.id, timestamps)
		switch {
		case errors.Is(err, core.ErrNotFound): // not published
			return version, nil, nil
		case err != nil:
			return 0, nil, err
		}
		tags = append(tags, httpx.ContentETag(entry.JSON))
	}
	return version, tags, nil
}

// writeTaggedJSON answers a read with v under the entity tag of its bytes.
func (c *call) writeTaggedJSON(v any) error {
	b := takeBuffer()
	defer giveBack(b)
	if err := encode(b, v); err != nil {
		return err
	}
	c.writeTagged(b.Bytes())
	return nil
}
