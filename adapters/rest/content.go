package rest

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/entrystatus"
	"imprimatur/core/library"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/writing"
)

// The values of the parameter check.
const (
	checkDraft   = "draft"
	checkPublish = "publish"
)

// checkParam documents the parameter check of a write.
func checkParam(byDefault string) *endpoint.QueryParam {
	return endpoint.EnumParam("check", "draft accepts a draft that does not meet the options required, min and pattern of its fields; "+
		"faults in the response lists them. publish checks everything. A version that becomes public or is submitted is always checked whole: "+
		"of a write without published in a published entry, the published version with the named fields. A write that changes nothing is not refused because of other fields.", byDefault, checkDraft, checkPublish)
}

// aboutReason describes what happens to the reason for taking an entry away from readers.
const aboutReason = "The event has the reason. The submitter, the contributors and the reviewers of the last publication, those of published entries that require the entry, and the admins of the Project get a notice (`unpublished`) with it."

// withdrawReleaseParam documents the parameter that confirms the end of the request of a release.
var withdrawReleaseParam = endpoint.FlagParam("withdrawRelease", "Confirms that the release in which the entry is submitted is withdrawn, with all its entries. Without it, the status is 409 `in_release`.")

// writer returns the Writer for a request with the parameter withdrawRelease.
func (a *API) writer(c *endpoint.Call) *writing.Writer {
	if c.Bool(withdrawReleaseParam.Name) {
		return a.Writer.WithdrawingReleases()
	}
	return a.Writer
}

// aboutUnpublishing documents the statuses of a write that takes a published entry offline.
const aboutUnpublishing = "The workflow may reserve this: for admins of the Project (403), or for the review of a release (409 `unpublish_reviewed`), unless an admin of the Project sends `emergency` with a reason."

// emergencyParam documents the parameter emergency of routes that move an entry to the trash.
var emergencyParam = endpoint.TextParam("emergency", "Why a published entry cannot wait for a review, in at most 500 characters. Only for admins of the Project. The event and the notice have it instead of the reason.", "A court order.")

// reasonParam documents the parameter reason of routes that take an entry away from readers.
var reasonParam = endpoint.TextParam("reason", "Why readers no longer see the entry, in at most 500 characters. "+aboutReason, "The figures were wrong.")

// writeOf returns the write that the body and the parameter check describe.
func writeOf(c *endpoint.Call, in wire.EntryWrite, byDefault string) (core.EntryWrite, error) {
	check, given := c.Params["check"]
	if !given {
		check = byDefault
	}
	if check != checkDraft && check != checkPublish {
		return core.EntryWrite{}, endpoint.BadParameter("check", "must be draft or publish")
	}
	wr := in.Write()
	wr.AllowIncomplete = check == checkDraft
	return wr, nil
}

// staleEntry documents the 412 response to a change of an entry.
type staleEntry struct {
	httpx.Problem

	Current wire.ManagedEntry `json:"current" doc:"The entry as it is now. A token that may not read the draft gets no fields and no faults."`
}

// staleAt documents the 412 response under a path.
func staleAt(path string) *endpoint.Outcome {
	const at = "2026-01-02T15:04:05.000Z"
	return &endpoint.Outcome{
		About: "The version in If-Match is not the current one. current is the entry as it is now.",
		Gives: reflect.TypeFor[staleEntry](),
		Example: staleEntry{
			httpx.Problem{
				Type: "about:blank", Title: "Precondition Failed", Status: http.StatusPreconditionFailed, Code: "precondition_failed",
				Detail: "the entry has another version than the one given", Instance: path, RequestID: "BZQ3K5T7N2MXW4RVJ6PCYD1HGE",
			},
			wire.ManagedEntry{
				ID: 42, CollectionID: 1, Locale: "en", TranslationGroup: 41, State: reading.StateDraft, Status: entrystatus.Draft, Version: 7, CreatedAt: at, UpdatedAt: at,
				Fields: wire.Encoded[wire.EntryFields](`{"title":"Second week","summary":null}`),
				Faults: []wire.DraftFault{{Message: "is required", Location: "fields.summary"}},
			},
		},
	}
}

// Lists of entries of the dashboard API.
type (
	managedPage = wire.Page[wire.ManagedEntry]
	managedList = wire.List[wire.ManagedEntry]
)

// entryOf returns the entry in a path of the dashboard API.
func entryOf(c *endpoint.Call) review.EntryRef {
	return review.EntryRef{Project: c.Project(), CollectionID: c.ID("collectionId"), ID: c.ID("contentId")}
}

// drafts returns the drafts of the Project as the user of the session sees them.
func (a *API) drafts(c *endpoint.Call) *reading.Drafts {
	if access.SeesHidden(c.Actor, c.Project()) {
		return a.Drafts.WithHidden()
	}
	return a.Drafts
}

// changed returns the response to a change of an entry, with its ETag.
func (a *API) changed(c *endpoint.Call, w *core.Written, err error) (wire.ManagedEntry, error) {
	if err != nil {
		return wire.ManagedEntry{}, err
	}
	m, err := a.drafts(c).Written(c.Context(), w)
	return managed(c, m, err)
}

// managed sets the ETag of the response to c and returns the entry, or the error.
func managed(c *endpoint.Call, m *reading.Managed, err error) (wire.ManagedEntry, error) {
	if err != nil {
		return wire.ManagedEntry{}, err
	}
	epoch, err := c.Epoch()
	if err != nil {
		return wire.ManagedEntry{}, err
	}
	c.Writer.Header()["Etag"] = []string{httpx.EntryETag(m.Tag, epoch)}
	return wire.ManagedEntryOf(*m), nil
}

// managedFieldsParam documents the parameter fields of lists of the dashboard API.
var managedFieldsParam = endpoint.TextParam(endpoint.FieldsParam.Name, "The members of `fields` that each entry has: names joined by commas, `seo.title` for one field of a group, "+
	"`body.hero.title` for one of the items of a type; `*` for all. Omitted means all but those of the types group and blocks.", "title,body")

func (a *API) registerContent() {
	const (
		tag      = "Content"
		in       = "/api/projects/{projectId}/collections/{collectionId}"
		all, one = in + "/content", in + "/content/{contentId}"
	)
	stale := staleAt("/api/projects/1/collections/1/content/42")
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listContent", Tag: tag, Action: access.ReadDrafts, Listing: true,
		Query: []*endpoint.QueryParam{
			managedFieldsParam, endpoint.SearchParam, endpoint.StatusParam, endpoint.EditedByParam, endpoint.OutdatedParam,
		},
		Title: "List content", About: "Returns the drafts of entries. The parameters are those of the content API, status and editedBy; the default of state is with_draft.",
	}, func(c *endpoint.Call, _ endpoint.None) (managedPage, error) {
		found, err := a.drafts(c).List(c.Context(), c.Project(), c.ID("collectionId"), *c.Query)
		return wire.Shown(found, err, wire.ManagedPageOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createContent", Tag: tag, Action: access.DraftContent, Versioned: true, Idempotent: true,
		Query: []*endpoint.QueryParam{checkParam(checkDraft)},
		Title: "Create an entry", About: "The response to an invalid body lists all errors by field. With published true the entry is published, unless a workflow governs the Project.",
		Status: http.StatusCreated,
	}, func(c *endpoint.Call, in wire.EntryWrite) (wire.ManagedEntry, error) {
		wr, err := writeOf(c, in, checkDraft)
		if err != nil {
			return wire.ManagedEntry{}, err
		}
		w, err := a.Writer.Create(c.Context(), c.Actor, c.Project(), c.ID("collectionId"), wr)
		return a.changed(c, w, err)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: in + "/trash", ID: "listTrash", Tag: tag, Action: access.ReadContent,
		Title: "List the trash", About: "Returns the trashed entries of the collection, the latest first.",
		Query: []*endpoint.QueryParam{managedFieldsParam, endpoint.OffsetParam, endpoint.LimitParam},
	}, a.listTrash)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: in + "/trash/{contentId}", ID: "getTrashed", Tag: tag, Action: access.ReadContent, Versioned: true,
		Title: "Read an entry in the trash", About: "Returns the draft of an entry in the trash. The status is 404 if the entry is not there.",
	}, withRef(func(c *endpoint.Call, ref review.EntryRef, _ endpoint.None) (wire.ManagedEntry, error) {
		m, err := a.Drafts.Trashed(c.Context(), ref)
		return managed(c, m, err)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getContent", Tag: tag, Action: access.ReadDrafts, Versioned: true,
		Title: "Read an entry", About: "Returns the draft; editors also get the values of hidden fields. state and hasUnpublishedChanges describe the published version.",
	}, withRef(func(c *endpoint.Call, ref review.EntryRef, _ endpoint.None) (wire.ManagedEntry, error) {
		m, err := a.drafts(c).Entry(c.Context(), ref)
		return managed(c, m, err)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateContent", Tag: tag, Action: access.DraftContent, Versioned: true, Stale: stale,
		Query: []*endpoint.QueryParam{checkParam(checkDraft), withdrawReleaseParam},
		Title: "Change an entry", About: "Replaces the fields that the body contains. null clears a field.",
		Fails: []core.Kind{core.KindConflict},
	}, withEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, in wire.EntryWrite) (wire.ManagedEntry, error) {
		wr, err := writeOf(c, in, checkDraft)
		if err != nil {
			return wire.ManagedEntry{}, err
		}
		w, err := a.writer(c).InEmergency(in.Emergency).Update(c.Context(), c.Actor, ref, ifMatch, wr)
		return a.changed(c, w, err)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "trashContent", Tag: tag, Action: access.WriteContent, Versioned: true, Stale: stale, Query: []*endpoint.QueryParam{reasonParam, emergencyParam, withdrawReleaseParam}, Fails: []core.Kind{core.KindInvalid, core.KindConflict},
		Title: "Move an entry to the trash", About: "Readers no longer see the entry. A pending request or schedule is withdrawn. The end of the present publication stays: an entry that is restored later than that is a draft. " + aboutUnpublishing,
	}, withEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, _ endpoint.None) (endpoint.None, error) {
		_, err := a.writer(c).InEmergency(c.Params[emergencyParam.Name]).Trash(c.Context(), c.Actor, ref, ifMatch, c.Params[reasonParam.Name])
		return endpoint.None{}, err
	}))
	endpoint.Register[wire.PublishInput, wire.ManagedEntry](a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/publish", ID: "publishContent", Tag: tag, Action: access.DraftContent, Versioned: true, Stale: stale, BodyOptional: true, Idempotent: true,
		Title: "Publish an entry", About: "Publishes the draft immediately or at publishAt, until unpublishAt. If the draft is not complete, the status is 422 and the problem lists all faults. If a workflow governs the Project, the status is 202 and the body is the open approval request; the draft is published after every step has approved it. There, a new end of a publication needs a request as well, because it changes what readers see.",
		Accepted: &endpoint.Outcome{
			About: "A workflow governs the Project. The body is the open approval request.", Gives: reflect.TypeFor[wire.ApprovalRequest](), Example: storySubmitted,
		},
	}, func(c *endpoint.Call, in wire.PublishInput) error {
		answer, err := withEntry(a, a.publish)(c, in)
		if err != nil {
			return err
		}
		return c.WriteJSON(answer)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one + "/schedule", ID: "unscheduleContent", Tag: tag, Action: access.WriteContent, Versioned: true, Stale: stale, Status: http.StatusOK,
		Title: "Cancel a scheduled publication", About: "Cancels the scheduled publication and the scheduled end of the present one. Does not change the draft or the published version. The schedule of an approved request must be changed through the request, and if a workflow governs the Project, the end is removed by publishing with unpublishAt null: the status is 409.",
		Fails: []core.Kind{core.KindConflict},
	}, withEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, _ endpoint.None) (wire.ManagedEntry, error) {
		w, err := a.Writer.Unschedule(c.Context(), c.Actor, ref, ifMatch)
		return a.changed(c, w, err)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/unpublish", ID: "unpublishContent", Tag: tag, Action: access.WriteContent, Versioned: true, Stale: stale, Idempotent: true, BodyOptional: true,
		Query: []*endpoint.QueryParam{withdrawReleaseParam}, Fails: []core.Kind{core.KindConflict},
		Title: "Unpublish an entry", About: "Readers no longer see the entry; the draft remains. What is pending or scheduled for the entry is withdrawn. " + aboutUnpublishing + " " + aboutReason,
	}, withEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, in wire.UnpublishInput) (wire.ManagedEntry, error) {
		w, err := a.writer(c).InEmergency(in.Emergency).Unpublish(c.Context(), c.Actor, ref, ifMatch, in.Reason)
		return a.changed(c, w, err)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/restore", ID: "restoreContent", Tag: tag, Action: access.WriteContent, Versioned: true, Stale: stale, Idempotent: true,
		Title: "Restore an entry from the trash", About: "An entry that was published is published again, until the end that it had. It becomes a draft if a workflow governs the Project, if that end has passed, or if its published version is no longer valid, such as without a value that is required now.",
	}, withEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, _ endpoint.None) (wire.ManagedEntry, error) {
		w, err := a.Writer.Restore(c.Context(), c.Actor, ref, ifMatch)
		return a.changed(c, w, err)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one + "/permanent", ID: "destroyContent", Tag: tag, Action: access.DestroyContent, Versioned: true, Stale: stale, Query: []*endpoint.QueryParam{reasonParam},
		Title: "Destroy an entry", About: "Removes the entry permanently. Only an entry in the trash can be destroyed.", Fails: []core.Kind{core.KindConflict, core.KindInvalid},
	}, withEntry(a, func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Writer.Destroy(c.Context(), c.Actor, ref, ifMatch, c.Params[reasonParam.Name])
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/versions", ID: "listContentVersions", Tag: tag, Action: access.ReadContent,
		Title: "Read both versions of an entry", About: "Returns the draft and the published version.",
	}, withRef(func(c *endpoint.Call, ref review.EntryRef, _ endpoint.None) (wire.Versions, error) {
		found, err := a.Drafts.Versions(c.Context(), ref)
		return wire.Shown(found, err, wire.VersionsOf)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/usage", ID: "listContentUses", Tag: tag, Action: access.ReadContent,
		Title: "List the entries that refer to an entry",
		About: "Returns the entries that refer to the entry or its translations, with a relation or a link in rich text, in the draft, in the published version or in an open approval request, ordered by id and including the trash. The entry itself can be in the trash. The list has at most " + strconv.Itoa(library.MaxUses) + " entries.",
	}, withRef(func(c *endpoint.Call, ref review.EntryRef, _ endpoint.None) (wire.List[wire.ContentUse], error) {
		found, err := a.Drafts.Uses(c.Context(), ref)
		return wire.ListOf(found, err, wire.ContentUseOf)
	}))
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one + "/translations", ID: "listTranslations", Tag: tag, Action: access.ReadContent, Query: []*endpoint.QueryParam{managedFieldsParam},
		Title: "List the translations of an entry", About: "Returns the entries of the translation group, this one included, ordered by id. Entries in the trash are left out.",
	}, withRef(func(c *endpoint.Call, ref review.EntryRef, _ endpoint.None) (managedList, error) {
		fields := c.Shape().Fields
		if err := c.BadQuery(); err != nil {
			return managedList{}, err
		}
		found, err := a.drafts(c).Translations(c.Context(), ref, fields)
		return wire.ListOf(found, err, wire.ManagedEntryOf)
	}))
}

func (a *API) listTrash(c *endpoint.Call, _ endpoint.None) (managedPage, error) {
	fields, offset, limit := c.Shape().Fields, c.Int("offset"), c.Int("limit")
	if err := c.BadQuery(); err != nil {
		return managedPage{}, err
	}
	found, err := a.drafts(c).Trash(c.Context(), c.Project(), c.ID("collectionId"), fields, offset, limit)
	return wire.Shown(found, err, wire.ManagedPageOf)
}

// publish returns the entry, or the approval request that the publication needs.
func (a *API) publish(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, in wire.PublishInput) (any, error) {
	w, err := a.Writer.Publish(c.Context(), c.Actor, ref, writing.Publication{At: in.PublishAt, Until: in.UnpublishAt.Optional, Comment: in.Comment}, ifMatch)
	entry, err := a.changed(c, w, err)
	if err != nil || !w.Submitted {
		return entry, err
	}
	c.Status = http.StatusAccepted
	v, err := a.Reviews.Awaited(c.Context(), c.Actor, ref)
	if err != nil {
		return nil, err
	}
	return wire.ApprovalRequestOf(*v), nil
}

// withEntry reads the entry in the path and the If-Match header for its version. If the version is
// not current, the error contains the entry.
func withEntry[B, A any](a *API, do entryChange[B, A]) func(*endpoint.Call, B) (A, error) {
	return withRef(withIfMatch(a.entryVersion, func(c *endpoint.Call, ref review.EntryRef) (*reading.Managed, error) {
		return a.drafts(c).Current(c.Context(), ref)
	}, do))
}

// entryChange changes an entry, or the request of an entry, whose tag is ifMatch; nil means any.
type entryChange[B, A any] func(c *endpoint.Call, ref review.EntryRef, ifMatch *core.EntryTag, body B) (A, error)

// withIfMatch reads the If-Match header and calls do with the tag that it names. version
// returns the current version and the entity tags of its read responses. If current is set and the
// version is not current, the error contains the entry that current returns.
func withIfMatch[R, B, A any](
	version func(c *endpoint.Call, ref R, match httpx.Match) (version int64, tags []string, err error),
	current func(c *endpoint.Call, ref R) (*reading.Managed, error), do func(c *endpoint.Call, ref R, ifMatch *core.EntryTag, body B) (A, error),
) func(c *endpoint.Call, ref R, body B) (A, error) {
	return func(c *endpoint.Call, ref R, body B) (answer A, err error) {
		epoch, err := c.Epoch()
		if err != nil {
			return answer, err
		}
		match, err := httpx.IfMatch(c.Request, epoch)
		if err != nil {
			return answer, err
		}
		ifMatch, err := match.Entry(func() (int64, []string, error) { return version(c, ref, match) })
		if err == nil {
			answer, err = do(c, ref, ifMatch, body)
		}
		if current == nil || !errors.Is(err, core.ErrPrecondition) {
			return answer, err
		}
		entry, failed := current(c, ref)
		if failed != nil {
			return answer, failed
		}
		return answer, &httpx.Extended{Err: err, Name: "current", Value: wire.ManagedEntryOf(*entry)}
	}
}

func (a *API) entryVersion(c *endpoint.Call, ref review.EntryRef, _ httpx.Match) (version int64, tags []string, err error) {
	version, err = a.Drafts.Version(c.Context(), ref)
	return version, nil, err
}
