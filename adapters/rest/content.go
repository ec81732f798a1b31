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

// entryWrite is content.Write on the wire.
type entryWrite struct {
	Locale        *string                    `json:"locale,omitempty" doc:"One of the locales of the Project. Default in a new entry: the default locale." example:"en"`
	TranslationOf *int64                     `json:"translationOf,omitempty" doc:"The id of an entry of the same collection that this one translates." example:"41"`
	Published     *bool                      `json:"published,omitempty" doc:"The requested publication state: true publishes, false unpublishes, omitted changes nothing." example:"true"`
	PublishAt     *time.Time                 `json:"publishAt,omitempty" doc:"With published true: the time of publication." example:"2026-01-02T15:04:05.000Z"`
	Fields        map[string]json.RawMessage `json:"fields,omitempty" doc:"Values by field name; null clears." example:"{\"title\":\"Hello\"}"`
}

type publishInput struct {
	PublishAt *time.Time `json:"publishAt,omitempty" doc:"Omitted or in the past means immediately." example:"2026-01-02T15:04:05.000Z"`
}

// managedEntry documents content.Managed: an entry as the dashboard API shows it.
type managedEntry struct {
	ID                    int64        `json:"id" example:"42"`
	CollectionID          int64        `json:"collectionId" example:"1"`
	Locale                string       `json:"locale" example:"en"`
	TranslationGroup      int64        `json:"translationGroup" doc:"The same for all translations of an entry." example:"41"`
	State                 string       `json:"state" enum:"draft,published" example:"published"`
	HasUnpublishedChanges bool         `json:"hasUnpublishedChanges" doc:"Whether the draft differs from the published version." example:"false"`
	Version               int64        `json:"version" doc:"The version in the ETag." example:"7"`
	PublishedAt           *string      `json:"publishedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	ScheduledPublishAt    *string      `json:"scheduledPublishAt" format:"date-time" doc:"The time of the scheduled publication: set directly without a workflow, or approved. null means none." example:"2026-03-03T06:00:00.000Z"`
	ScheduledPublishFault *string      `json:"scheduledPublishFault" doc:"The error of the last scheduled attempt. The publication is retried." example:"some values are not valid; fields.title is required"`
	CreatedAt             string       `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt             string       `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	TrashedAt             *string      `json:"trashedAt" format:"date-time" doc:"null means not in the trash." example:"2026-01-02T15:04:05.000Z"`
	Fields                entryFields  `json:"fields" doc:"The draft. Relations and media are ids; secret fields are omitted."`
	Approval              approvalNote `json:"approval" doc:"The open or latest approval request, or null."`
}

// versions are both versions of an entry.
type versions struct {
	Draft     entryFields  `json:"draft" doc:"The version that editors change."`
	Published fieldsOrNull `json:"published" doc:"The version that readers see; null means not published."`
}

type managedPage = page[content.Managed]

func showManaged(p *content.ManagedPage) managedPage {
	return managedPage{
		Data: each(p.Entries, func(m content.Managed) content.Managed { return m }),
		Meta: pageMeta{Offset: p.Offset, Limit: p.Limit, HasMore: p.HasMore, Total: p.Total},
	}
}

// entryRef identifies an entry by a path of the dashboard API.
type entryRef struct{ collection, id int64 }

func entryOf(c *call) (ref entryRef, err error) {
	if ref.collection, err = c.id("collectionId", "collection"); err != nil {
		return ref, err
	}
	ref.id, err = c.id("contentId", "entry")
	return ref, err
}

// managedTo returns a function that sets the ETag of the response to c and returns the
// entry, or the error.
func managedTo(c *call) func(*content.Managed, error) (content.Managed, error) {
	return func(m *content.Managed, err error) (content.Managed, error) {
		if err != nil {
			return content.Managed{}, err
		}
		c.w.Header()["Etag"] = []string{httpx.VersionETag(m.Version)}
		return *m, nil
	}
}

func (a *API) registerContent() {
	const (
		tag      = "Content"
		in       = "/api/projects/{projectId}/collections/{collectionId}"
		all, one = in + "/content", in + "/content/{contentId}"
	)
	handle(a.set, operation{
		method: http.MethodGet, path: all, id: "listContent", tag: tag, action: access.ReadContent, listing: true,
		title: "List content", about: "Returns the drafts of entries. The parameters are those of the content API; the default of state is with_draft.",
	}, withCollection(a.listContent))
	handle(a.set, operation{
		method: http.MethodPost, path: all, id: "createContent", tag: tag, action: access.WriteContent, versioned: true, idempotent: true,
		title: "Create an entry", about: "The response to an invalid body lists all errors by field. With published true the entry is published, unless a workflow governs the Project.",
		status: http.StatusCreated, fails: []core.Kind{core.KindConflict},
	}, withCollection(func(c *call, id int64, in entryWrite) (content.Managed, error) {
		return managedTo(c)(a.Writer.Create(c.ctx(), c.actor, c.project(), id, content.Write(in)))
	}))
	handle(a.set, operation{
		method: http.MethodGet, path: in + "/trash", id: "listTrash", tag: tag, action: access.ReadContent,
		title: "List the trash", about: "Returns the trashed entries of the collection, the latest first.",
		query: []*queryParam{offsetParam, limitParam}, fails: []core.Kind{core.KindBadRequest},
	}, withCollection(a.listTrash))
	handle(a.set, operation{
		method: http.MethodGet, path: one, id: "getContent", tag: tag, action: access.ReadContent, versioned: true,
		title: "Read an entry", about: "Returns the draft. state and hasUnpublishedChanges describe the published version.",
	}, func(c *call, _ none) (content.Managed, error) {
		ref, err := entryOf(c)
		if err != nil {
			return content.Managed{}, err
		}
		return managedTo(c)(a.Manager.Entry(c.ctx(), c.project(), ref.collection, ref.id))
	})
	handle(a.set, operation{
		method: http.MethodPatch, path: one, id: "updateContent", tag: tag, action: access.WriteContent, versioned: true,
		title: "Change an entry", about: "Replaces the fields that the body contains. null clears a field.",
		fails: []core.Kind{core.KindConflict},
	}, withEntry(a, func(c *call, ref entryRef, ifMatch *int64, in entryWrite) (content.Managed, error) {
		return managedTo(c)(a.Writer.Update(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch, content.Write(in)))
	}))
	handle(a.set, operation{
		method: http.MethodDelete, path: one, id: "trashContent", tag: tag, action: access.WriteContent, versioned: true,
		title: "Move an entry to the trash", about: "Readers no longer see the entry. A pending request or schedule is withdrawn.",
	}, withEntry(a, func(c *call, ref entryRef, ifMatch *int64, _ none) (none, error) {
		_, err := a.Writer.Trash(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch)
		return none{}, err
	}))
	register(a.set, operation{
		method: http.MethodPost, path: one + "/publish", id: "publishContent", tag: tag, action: access.WriteContent, versioned: true, bodyOptional: true, idempotent: true,
		title: "Publish an entry", about: "Publishes the draft immediately or at publishAt. If a workflow governs the Project, the status is 202 and the body is the open approval request; the draft is published after every step has approved it.",
		fails: []core.Kind{core.KindConflict}, accepted: &outcome{
			about: "A workflow governs the Project. The body is the open approval request.", gives: reflect.TypeFor[approval.ShownRequest](), example: storySubmitted,
		},
	}, reflect.TypeFor[publishInput](), reflect.TypeFor[content.Managed](), func(c *call, in publishInput) error {
		answer, err := withEntry(a, a.publish)(c, in)
		if err != nil {
			return err
		}
		return c.writeJSON(answer)
	})
	handle(a.set, operation{
		method: http.MethodDelete, path: one + "/schedule", id: "unscheduleContent", tag: tag, action: access.WriteContent, versioned: true, status: http.StatusOK,
		title: "Cancel a scheduled publication", about: "Does not change the draft or the published version. The schedule of an approved request must be changed through the request: the status is 409.",
		fails: []core.Kind{core.KindConflict},
	}, withEntry(a, func(c *call, ref entryRef, ifMatch *int64, _ none) (content.Managed, error) {
		return managedTo(c)(a.Writer.Unschedule(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch))
	}))
	handle(a.set, operation{
		method: http.MethodGet, path: "/api/projects/{projectId}/schedules", id: "listSchedules", tag: tag, action: access.ReadContent,
		title: "List scheduled publications", about: "Returns the scheduled publications of the Project, with or without an approved request, ordered by their next attempt.",
		query: scheduleParams, fails: []core.Kind{core.KindBadRequest},
	}, a.listSchedules)
	handle(a.set, operation{
		method: http.MethodPost, path: one + "/unpublish", id: "unpublishContent", tag: tag, action: access.WriteContent, versioned: true, idempotent: true,
		title: "Unpublish an entry", about: "Readers no longer see the entry; the draft remains. No approval is needed.", fails: []core.Kind{core.KindConflict},
	}, withEntry(a, func(c *call, ref entryRef, ifMatch *int64, _ none) (content.Managed, error) {
		return managedTo(c)(a.Writer.Unpublish(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch))
	}))
	handle(a.set, operation{
		method: http.MethodPost, path: one + "/restore", id: "restoreContent", tag: tag, action: access.WriteContent, versioned: true, idempotent: true,
		title: "Restore an entry from the trash", about: "An entry that was published is published again. If a workflow governs the Project, it becomes a draft.", fails: []core.Kind{core.KindConflict},
	}, withEntry(a, func(c *call, ref entryRef, ifMatch *int64, _ none) (content.Managed, error) {
		return managedTo(c)(a.Writer.Restore(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch))
	}))
	handle(a.set, operation{
		method: http.MethodDelete, path: one + "/permanent", id: "destroyContent", tag: tag, action: access.DestroyContent, versioned: true,
		title: "Destroy an entry", about: "Removes the entry permanently. Only an entry in the trash can be destroyed.", fails: []core.Kind{core.KindConflict},
	}, withEntry(a, func(c *call, ref entryRef, ifMatch *int64, _ none) (none, error) {
		return none{}, a.Writer.Destroy(c.ctx(), c.actor, c.project(), ref.collection, ref.id, ifMatch)
	}))
	handle(a.set, operation{
		method: http.MethodGet, path: one + "/versions", id: "listContentVersions", tag: tag, action: access.ReadContent,
		title: "Read both versions of an entry", about: "Returns the draft and the published version.",
	}, func(c *call, _ none) (*content.Versions, error) {
		ref, err := entryOf(c)
		if err != nil {
			return nil, err
		}
		return a.Manager.Versions(c.ctx(), c.project(), ref.collection, ref.id)
	})
}

func (a *API) listContent(c *call, id int64, _ none) (managedPage, error) {
	found, err := a.Manager.List(c.ctx(), c.project(), id, c.query)
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

// scheduleParams are the query parameters of the list of scheduled publications.
var scheduleParams = []*queryParam{
	{
		Name: "collection", In: "query", Description: "Only entries of this collection.", Example: 2,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0)},
	},
	flagParam("mine", "Only publications that the caller scheduled."),
	flagParam("failed", "Only publications that failed and are retried."),
	offsetParam, limitParam,
}

func (a *API) listSchedules(c *call, _ none) (page[publication], error) {
	var f content.ScheduleFilter
	err := c.positive("collection", &f.CollectionID)
	if err != nil {
		return page[publication]{}, err
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

// publish returns the entry, or the approval request that the publication needs.
func (a *API) publish(c *call, ref entryRef, ifMatch *int64, in publishInput) (any, error) {
	m, pending, err := a.Writer.Publish(c.ctx(), c.actor, c.project(), ref.collection, ref.id, in.PublishAt, ifMatch)
	entry, err := managedTo(c)(m, err)
	if err != nil || !pending {
		return entry, err
	}
	c.status = http.StatusAccepted
	v, err := a.Reviews.Current(c.ctx(), c.actor, c.project(), ref.collection, ref.id)
	if err != nil {
		return nil, err
	}
	return v.Show(), nil
}

// withEntry reads the entry in the path and the If-Match header for its version.
func withEntry[B, A any](a *API, do func(c *call, ref entryRef, ifMatch *int64, body B) (A, error)) func(*call, B) (A, error) {
	return withVersion(a.entryVersion, do)
}

// withVersion is withEntry with an If-Match header for the version that versionOf
// returns.
func withVersion[B, A any](
	versionOf func(c *call, ref entryRef) (int64, error), do func(c *call, ref entryRef, ifMatch *int64, body B) (A, error),
) func(*call, B) (A, error) {
	return func(c *call, body B) (A, error) {
		var nothing A
		ref, err := entryOf(c)
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

func (a *API) entryVersion(c *call, ref entryRef) (int64, error) {
	return a.Manager.Version(c.ctx(), c.project(), ref.collection, ref.id)
}
