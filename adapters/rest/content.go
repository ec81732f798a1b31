package rest

import (
	"encoding/json"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/content"
)

// entryWrite is what a caller wants of an entry: content.Write on the wire.
type entryWrite struct {
	Locale        *string                    `json:"locale,omitempty" doc:"One of the Project's locales; left out on create: its default." example:"en"`
	TranslationOf *int64                     `json:"translationOf,omitempty" doc:"An entry of the same collection that this one translates." example:"41"`
	Published     *bool                      `json:"published,omitempty" doc:"The box: true wants it public, false takes it back, left out leaves it." example:"true"`
	PublishAt     *time.Time                 `json:"publishAt,omitempty" doc:"With published true: when." example:"2026-01-02T15:04:05.000Z"`
	Fields        map[string]json.RawMessage `json:"fields,omitempty" doc:"Values by field name; null clears." example:"{\"title\":\"Hello\"}"`
}

type publishInput struct {
	PublishAt *time.Time `json:"publishAt,omitempty" doc:"Left out or past: at once." example:"2026-01-02T15:04:05.000Z"`
}

// managedEntry documents content.Managed: an entry as those see it who write it.
type managedEntry struct {
	ID                    int64        `json:"id" example:"42"`
	CollectionID          int64        `json:"collectionId" example:"1"`
	Locale                string       `json:"locale" example:"en"`
	TranslationGroup      int64        `json:"translationGroup" doc:"Shared by the entries that translate each other." example:"41"`
	State                 string       `json:"state" enum:"draft,published" example:"published"`
	HasUnpublishedChanges bool         `json:"hasUnpublishedChanges" doc:"Whether the draft is not what readers see." example:"false"`
	Version               int64        `json:"version" doc:"The ETag, as a number." example:"7"`
	PublishedAt           *string      `json:"publishedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ScheduledPublishAt    *string      `json:"scheduledPublishAt" format:"date-time" doc:"When it will be published: scheduled where no workflow governs the Project, or approved. null: no time is set." example:"2026-03-03T06:00:00.000Z"`
	ScheduledPublishFault *string      `json:"scheduledPublishFault" doc:"Why that failed when its time came; it is tried again." example:"some values are not valid; fields.title is required"`
	CreatedAt             string       `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt             string       `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	TrashedAt             *string      `json:"trashedAt" format:"date-time" doc:"null: not in the trash." example:"2026-01-02T15:04:05.000Z"`
	Fields                entryFields  `json:"fields" doc:"The draft. Relations and media are ids; secret fields are absent."`
	Approval              approvalNote `json:"approval" doc:"The open or latest approval request, if there ever was one."`
}

// versions are the two versions of an entry.
type versions struct {
	Draft     entryFields  `json:"draft" doc:"What editors change."`
	Published fieldsOrNull `json:"published" doc:"What readers see; null: not published."`
}

type managedPage = page[content.Managed]

func showManaged(p *content.ManagedPage) managedPage {
	return managedPage{
		Data: each(p.Entries, func(m content.Managed) content.Managed { return m }),
		Meta: pageMeta{Offset: p.Offset, Limit: p.Limit, HasMore: p.HasMore, Total: p.Total},
	}
}

// entryRef is the entry that a management path names.
type entryRef struct{ collection, id int64 }

func (c *call) entry() (ref entryRef, err error) {
	if ref.collection, err = c.id("collectionId", "collection"); err != nil {
		return ref, err
	}
	ref.id, err = c.id("contentId", "entry")
	return ref, err
}

// managed answers with an entry under its version.
func (c *call) managed(m *content.Managed, err error) (content.Managed, error) {
	if err != nil {
		return content.Managed{}, err
	}
	c.w.Header()["Etag"] = []string{httpx.VersionETag(m.Version)}
	return *m, nil
}

func (a *API) registerContent() {
	const (
		tag      = "Content"
		in       = "/api/projects/{projectId}/collections/{collectionId}"
		all, one = in + "/content", in + "/content/{contentId}"
	)
	handle(a, operation{
		method: http.MethodGet, path: all, id: "listContent", tag: tag, action: access.ReadContent, listing: true,
		title: "List content", about: "The drafts of entries, by the same parameters as the content API; state is with_draft unless given.",
	}, withCollection(a.listContent))
	handle(a, operation{
		method: http.MethodPost, path: all, id: "createContent", tag: tag, action: access.WriteContent, versioned: true, idempotent: true,
		title: "Write a new entry", about: "Every fault is reported at once, by field. With published true it goes public, where no workflow governs the Project.",
		status: http.StatusCreated, fails: []core.Kind{core.KindConflict},
	}, withCollection(func(c *call, id int64, in entryWrite) (content.Managed, error) {
		return c.managed(a.Writer.Create(c.ctx(), c.actor, c.project(), id, content.Write(in)))
	}))
	handle(a, operation{
		method: http.MethodGet, path: in + "/trash", id: "listTrash", tag: tag, action: access.ReadContent,
		title: "List the trash", about: "What was trashed of the collection, the latest first.",
		query: []*queryParam{offsetParam, limitParam}, fails: []core.Kind{core.KindBadRequest},
	}, withCollection(a.listTrash))
	handle(a, operation{
		method: http.MethodGet, path: one, id: "getContent", tag: tag, action: access.ReadContent, versioned: true,
		title: "Read an entry", about: "Its draft, with what readers see of it in state and hasUnpublishedChanges.",
	}, func(c *call, _ none) (content.Managed, error) {
		ref, err := c.entry()
		if err != nil {
			return content.Managed{}, err
		}
		return c.managed(a.Manager.Entry(c.ctx(), c.project(), ref.collection, ref.id))
	})
	handle(a, operation{
		method: http.MethodPatch, path: one, id: "updateContent", tag: tag, action: access.WriteContent, versioned: true,
		title: "Change an entry", about: "Replaces the fields that the body names and leaves the others; null clears.",
		fails: []core.Kind{core.KindConflict},
	}, withEntry(func(c *call, ref entryRef, ifMatch *int64, in entryWrite) (content.Managed, error) {
		return c.managed(a.Writer.Update(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch, content.Write(in)))
	}))
	handle(a, operation{
		method: http.MethodDelete, path: one, id: "trashContent", tag: tag, action: access.WriteContent, versioned: true,
		title: "Move an entry to the trash", about: "No reader sees it any more; what was pending for it is withdrawn.",
	}, withEntry(func(c *call, ref entryRef, ifMatch *int64, _ none) (none, error) {
		_, err := a.Writer.Trash(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch)
		return none{}, err
	}))
	register(a, operation{
		method: http.MethodPost, path: one + "/publish", id: "publishContent", tag: tag, action: access.WriteContent, versioned: true, bodyOptional: true, idempotent: true,
		title: "Publish an entry", about: "Makes the draft public, at once or when its time comes. Where a workflow governs the Project the answer is 202 and the request that is open by then: nothing is public before every step has approved it.",
		fails: []core.Kind{core.KindConflict}, accepted: &outcome{
			about: "A workflow governs the Project: this request is open.", gives: reflect.TypeFor[approval.View](), example: storySubmitted,
		},
	}, reflect.TypeFor[publishInput](), reflect.TypeFor[content.Managed](), func(c *call, in publishInput) error {
		answer, err := withEntry(a.publish)(c, in)
		if err != nil {
			return err
		}
		return c.writeJSON(answer)
	})
	handle(a, operation{
		method: http.MethodDelete, path: one + "/schedule", id: "unscheduleContent", tag: tag, action: access.WriteContent, versioned: true, status: http.StatusOK,
		title: "Cancel a scheduled publication", about: "Draft and published version stay as they are; where nothing is scheduled, nothing changes. An approved request's schedule is changed by the request's own routes: 409.",
		fails: []core.Kind{core.KindConflict},
	}, withEntry(func(c *call, ref entryRef, ifMatch *int64, _ none) (content.Managed, error) {
		return c.managed(a.Writer.Unschedule(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch))
	}))
	handle(a, operation{
		method: http.MethodGet, path: "/api/projects/{projectId}/schedules", id: "listSchedules", tag: tag, action: access.ReadContent,
		title: "List what is to be published", about: "Scheduled publications of the Project, with or without an approved request, by when they are tried next.",
		query: scheduleParams, fails: []core.Kind{core.KindBadRequest},
	}, a.listSchedules)
	handle(a, operation{
		method: http.MethodPost, path: one + "/unpublish", id: "unpublishContent", tag: tag, action: access.WriteContent, versioned: true, idempotent: true,
		title: "Take an entry back", about: "Readers no longer see it; the draft stays. Never gated.", fails: []core.Kind{core.KindConflict},
	}, withEntry(func(c *call, ref entryRef, ifMatch *int64, _ none) (content.Managed, error) {
		return c.managed(a.Writer.Unpublish(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch))
	}))
	handle(a, operation{
		method: http.MethodPost, path: one + "/restore", id: "restoreContent", tag: tag, action: access.WriteContent, versioned: true, idempotent: true,
		title: "Restore an entry from the trash", about: "One that was published is so again; where a workflow governs the Project it comes back as a draft.", fails: []core.Kind{core.KindConflict},
	}, withEntry(func(c *call, ref entryRef, ifMatch *int64, _ none) (content.Managed, error) {
		return c.managed(a.Writer.Restore(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch))
	}))
	handle(a, operation{
		method: http.MethodDelete, path: one + "/permanent", id: "destroyContent", tag: tag, action: access.DestroyContent, versioned: true,
		title: "Destroy an entry", about: "For good. Only an entry in the trash can be destroyed.", fails: []core.Kind{core.KindConflict},
	}, withEntry(func(c *call, ref entryRef, ifMatch *int64, _ none) (none, error) {
		return none{}, a.Writer.Destroy(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch)
	}))
	handle(a, operation{
		method: http.MethodGet, path: one + "/versions", id: "listContentVersions", tag: tag, action: access.ReadContent,
		title: "Read both versions of an entry", about: "The draft and what readers see, side by side.",
	}, func(c *call, _ none) (*content.Versions, error) {
		ref, err := c.entry()
		if err != nil {
			return nil, err
		}
		return a.Manager.Versions(c.ctx(), c.project(), ref.collection, ref.id)
	})
}

func (a *API) listContent(c *call, id int64, _ none) (managedPage, error) {
	found, err := a.Manager.List(c.ctx(), c.project(), id, c.list.query)
	if err != nil {
		return managedPage{}, err
	}
	return showManaged(found), nil
}

func (a *API) listTrash(c *call, id int64, _ none) (managedPage, error) {
	offset, limit, err := c.window()
	if err != nil {
		return managedPage{}, err
	}
	found, err := a.Manager.Trash(c.ctx(), c.project(), id, offset, limit)
	if err != nil {
		return managedPage{}, err
	}
	return showManaged(found), nil
}

// scheduleParams are the query parameters of what is to be published.
var scheduleParams = []*queryParam{
	{
		Name: "collection", In: "query", Description: "Only entries of this collection.", Example: 2,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0)},
	},
	flagParam("mine", "Only what the caller scheduled."),
	flagParam("failed", "Only what failed when its time came, and is tried again."),
	offsetParam, limitParam,
}

func (a *API) listSchedules(c *call, _ none) (page[publication], error) {
	var f content.ScheduleFilter
	collection, err := c.int("collection")
	switch {
	case err != nil:
		return page[publication]{}, err
	case collection != nil && *collection < 1:
		return page[publication]{}, badParameter("collection", "must be at least 1")
	case collection != nil:
		f.CollectionID = *collection
	}
	if f.Mine, err = c.bool("mine"); err != nil {
		return page[publication]{}, err
	}
	if f.Failed, err = c.bool("failed"); err != nil {
		return page[publication]{}, err
	}
	if f.Offset, f.Limit, err = c.window(); err != nil {
		return page[publication]{}, err
	}
	found, err := a.Manager.Schedules(c.ctx(), c.actor, c.project(), f)
	if err != nil {
		return page[publication]{}, err
	}
	return page[publication]{
		Data: each(found.Publications, showPublication), Meta: pageMeta{Offset: found.Offset, Limit: found.Limit, HasMore: found.HasMore},
	}, nil
}

// publish answers with the entry or, when the wish became a request, with that.
func (a *API) publish(c *call, ref entryRef, ifMatch *int64, in publishInput) (any, error) {
	m, pending, err := a.Writer.Publish(c.ctx(), c.actor, c.project(), ref.collection, ref.id, in.PublishAt, ifMatch)
	entry, err := c.managed(m, err)
	if err != nil || !pending {
		return entry, err
	}
	c.status = http.StatusAccepted
	return a.Reviews.Current(c.ctx(), c.actor, c.project(), ref.collection, ref.id)
}

// withEntry reads what every change of an entry names: the entry and If-Match, which is
// about the entry.
func withEntry[B, A any](do func(c *call, ref entryRef, ifMatch *int64, body B) (A, error)) func(*call, B) (A, error) {
	return withVersion((*call).entryVersion, do)
}

// withVersion is withEntry where If-Match is about the thing that versionOf is of.
func withVersion[B, A any](
	versionOf func(c *call, ref entryRef) (int64, error), do func(c *call, ref entryRef, ifMatch *int64, body B) (A, error),
) func(*call, B) (A, error) {
	return func(c *call, body B) (A, error) {
		var nothing A
		ref, err := c.entry()
		if err != nil {
			return nothing, err
		}
		match, err := httpx.IfMatch(c.r)
		if err != nil {
			return nothing, err
		}
		ifMatch, err := match.Version(func() (int64, []string, error) {
			version, err := versionOf(c, ref)
			return version, nil, err
		})
		if err != nil {
			return nothing, err
		}
		return do(c, ref, ifMatch, body)
	}
}

func (c *call) entryVersion(ref entryRef) (int64, error) {
	return c.api.Manager.Version(c.ctx(), c.project(), ref.collection, ref.id)
}
