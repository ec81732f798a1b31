package wire

import (
	"io"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/fileurl"
	"imprimatur/core/review"
)

// ApprovalRequest is an approval request as a user sees it.
type ApprovalRequest struct {
	ID                   int64                   `json:"id" example:"9"`
	ReleaseNumber        string                  `json:"releaseNumber" doc:"CR-<year>-<sequence>, without gaps in a Tenant and year." example:"CR-2026-0001"`
	Status               review.RequestStatus    `json:"status" enum:"pending,approved,published,rejected,revision_requested,withdrawn" example:"pending"`
	Title                *string                 `json:"title" maxLength:"200" example:"Ceasefire holds"`
	Kind                 string                  `json:"kind" enum:"entry,release" doc:"What the request publishes." example:"entry"`
	ReleaseID            *int64                  `json:"releaseId" doc:"null means that the request publishes one entry." example:"12"`
	ReleaseName          *string                 `json:"releaseName" doc:"The name of the release at submission." example:"Spring campaign"`
	EntryID              *int64                  `json:"entryId" doc:"null for a release." example:"42"`
	CollectionID         *int64                  `json:"collectionId" doc:"null for a release." example:"2"`
	ProjectID            int64                   `json:"projectId" example:"1"`
	Locale               *string                 `json:"locale" doc:"null for a release." example:"en"`
	CurrentStep          CurrentStep             `json:"currentStep" doc:"The first open step of a pending request that the caller may decide, else the first open one; otherwise null."`
	CurrentSteps         []approval.WorkflowStep `json:"currentSteps" nullable:"false" doc:"The open steps of a pending request, which all lack approvals; otherwise empty."`
	Steps                []approval.WorkflowStep `json:"steps" nullable:"false" doc:"The steps at the time of submission."`
	AllowSelfApproval    bool                    `json:"allowSelfApproval" doc:"That of the workflow at the time of submission." example:"false"`
	ContentHash          string                  `json:"contentHash" doc:"Hex SHA-256 of the canonical JSON (RFC 8785) of snapshot or, for a release, of its name and members." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Snapshot             Encoded[Snapshot]       `json:"snapshot" doc:"The submitted content, which will be published; null in lists and for a release."`
	ContentChanged       Encoded[bool]           `json:"contentChanged,omitempty" required:"true" nullable:"true" doc:"Whether the draft, or the words of its media, differ from the snapshot; null for a release." example:"false"` // nil in exports
	ScheduledPublishAt   *string                 `json:"scheduledPublishAt" format:"date-time" doc:"The time of publication; null means on approval." example:"2026-01-02T15:04:05.000Z"`
	ScheduledUnpublishAt *string                 `json:"scheduledUnpublishAt" format:"date-time" doc:"When the entry is unpublished after this publication; null means never." example:"2026-04-03T06:00:00.000Z"`
	SubmittedBy          core.ActorRef           `json:"submittedBy"`
	Contributors         []core.ActorRef         `json:"contributors" nullable:"false"`
	DueAt                *string                 `json:"dueAt" format:"date-time" doc:"The earliest dueAt of the open steps; null means none." example:"2026-01-04T15:04:05.000Z"`
	Overdue              bool                    `json:"overdue" doc:"Whether a pending request is past dueAt or past its scheduledPublishAt." example:"false"`
	SubmittedAt          string                  `json:"submittedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	PublishedAt          *string                 `json:"publishedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	OpenComments         int                     `json:"openComments" doc:"The open comments, without replies." example:"0"`
	Actions              []approval.Action       `json:"actions,omitzero" required:"true" nullable:"false" doc:"The actions, oldest first."`                                              // nil in exports
	CanAct               *bool                   `json:"canAct,omitempty" required:"true" doc:"Whether the caller may decide an open step." example:"true"`                               // nil in exports
	CanActOn             []int                   `json:"canActOn,omitzero" required:"true" nullable:"false" doc:"The stepId of the open steps that the caller may decide." example:"[1]"` // nil in exports
	CanActFor            []LentDecision          `json:"canActFor,omitempty" nullable:"false" doc:"On whose behalf the caller may decide, by delegations. Omitted if on nobody's."`
	CanReschedule        *bool                   `json:"canReschedule,omitempty" required:"true" doc:"Whether the caller may change the times of the request now." example:"false"`      // nil in exports
	CanPublishNow        *bool                   `json:"canPublishNow,omitempty" required:"true" doc:"Whether the caller may publish the request now, before its time." example:"false"` // nil in exports
	Warnings             []StepWarning           `json:"warnings,omitempty" nullable:"false" doc:"The steps that no user can approve at present, with the reasons. Nothing is refused for them. Omitted if none."`
	Deciders             []StepDeciders          `json:"deciders,omitzero" required:"true" nullable:"false" doc:"The users that can decide the open and the later steps of a pending request; otherwise empty."` // nil in exports
	Reason               string                  `json:"reason,omitempty" doc:"If canAct is false: a sentence that says why." example:"You submitted this request, and the workflow does not allow self-approval."`
}

// TransformSchema implements huma.SchemaTransformer.
func (ApprovalRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"title": "The first 200 characters of the submitted value of the field that names entries: a text field with one " +
			"value that is not hidden, named title or name, or else the first. null means none. For a release, its name.",
		"contributors": "At submission: the users with a revision of the entry since its last publication, and the tokens of users. With " +
			"allowSelfApproval false, they and the creators of these tokens may not act on the request.",
	})
}

// ApprovalRequestOf returns v for a response.
func ApprovalRequestOf(v approval.View) ApprovalRequest {
	shown := requestOf(&v)
	shown.CanAct, shown.CanActOn, shown.Reason = &v.CanAct, append([]int{}, v.Steps...), v.Reason
	shown.CanActFor = LentDecisionsOf(v)
	if shown.ContentChanged = Encoded[bool]("null"); v.Request.Release == nil {
		shown.ContentChanged = strconv.AppendBool(nil, v.ContentChanged)
	}
	shown.CanReschedule, shown.CanPublishNow = &v.CanReschedule, &v.CanPublishNow
	shown.Deciders = []StepDeciders{}
	shown.Warnings = Each(v.Deciders.Warnings(v.Request.Steps), StepWarningOf)
	for i, step := range v.Request.Steps {
		if users, ahead := v.Users[i+1]; ahead {
			shown.Deciders = append(shown.Deciders, StepDeciders{i + 1, step.Order, users})
		}
	}
	shown.Actions = Each(v.Actions, func(a review.Action) approval.Action {
		action := approval.ActionOf(&a)
		action.RoleLost = slices.Contains(v.Former, a.ID)
		return action
	})
	return shown
}

// requestOf returns the members of v that do not depend on the user.
func requestOf(v *approval.View) ApprovalRequest {
	r, item := &v.Request, v.Request.Item()
	shown := ApprovalRequest{
		ID: r.ID, ReleaseNumber: r.ReleaseNumber(), Status: r.Status, Title: core.NullIfZero(v.Title), Kind: kindEntry, EntryID: &item.EntryID, CollectionID: &item.CollectionID,
		ProjectID: r.ProjectID, Locale: &item.Locale, Steps: approval.StepsIn(r, v.Deciders), AllowSelfApproval: r.AllowSelfApproval,
		ContentHash: r.ContentHash(), Snapshot: Encoded[Snapshot](v.Shown),
		ScheduledPublishAt: TimeOrNull(r.ScheduledAt), ScheduledUnpublishAt: TimeOrNull(r.UnpublishAt), SubmittedBy: r.SubmittedBy,
		Contributors: append([]core.ActorRef{}, r.Contributors...), SubmittedAt: core.FormatTime(r.SubmittedAt), PublishedAt: TimeOrNull(r.PublishedAt), DueAt: TimeOrNull(r.Deadline()), Overdue: r.Overdue(), OpenComments: r.OpenComments,
	}
	if r.Release != nil {
		shown.Kind, shown.ReleaseID, shown.ReleaseName = kindRelease, &r.Release.ID, &r.Release.Name
		shown.EntryID, shown.CollectionID, shown.Locale = nil, nil, nil
	}
	if at := v.CurrentStep(); at >= 0 {
		shown.CurrentStep.WorkflowStep = &shown.Steps[at]
	}
	shown.CurrentSteps = []approval.WorkflowStep{}
	for _, id := range r.OpenSteps() {
		shown.CurrentSteps = append(shown.CurrentSteps, shown.Steps[id-1])
	}
	return shown
}

// The kinds of requests.
const (
	kindEntry   = "entry"
	kindRelease = "release"
)

// CurrentStep is a step of a workflow or, when nil, null.
type CurrentStep struct{ *approval.WorkflowStep }

// MarshalJSON implements json.Marshaler.
func (c CurrentStep) MarshalJSON() ([]byte, error) { return core.EncodeJSON(c.WorkflowStep) }

// Schema implements huma.SchemaProvider.
func (CurrentStep) Schema(r huma.Registry) *huma.Schema { return OrNull[WorkflowStep]{}.Schema(r) }

// StepDeciders lists the users that can decide a step.
type StepDeciders struct {
	StepID    int     `json:"stepId" example:"1"`
	StepOrder int     `json:"stepOrder" example:"1"`
	UserIDs   []int64 `json:"userIds" nullable:"false" example:"[4,5]"`
}

// TransformSchema implements huma.SchemaTransformer.
func (StepDeciders) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"userIds": "The ids of the active users that have the role of the step and are not excluded by allowSelfApproval so far, " +
			"and have not approved it or a step that is open with it, in ascending order. Those of the open steps are the users whose canAct is true, without those who may decide on behalf of others only.",
	})
}

// Snapshot documents the submitted content: an object or null.
type Snapshot struct{}

// Schema implements huma.SchemaProvider.
func (Snapshot) Schema(r huma.Registry) *huma.Schema {
	text := func(example string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Examples: []any{example}}
	}
	return &huma.Schema{OneOf: []*huma.Schema{
		{
			Type: huma.TypeObject, Required: []string{"collection", "fields", "locale"},
			Properties: map[string]*huma.Schema{
				"collection": text("articles"), "fields": EntryFields{}.Schema(r), "locale": text("en"),
				"media": {
					Type: huma.TypeObject, Description: "The media items that the fields name, by id, as they were at submission. Left out when there are none.",
					AdditionalProperties: r.Schema(reflect.TypeFor[SealedItem](), true, ""),
				},
			},
		},
		{Type: "null"},
	}}
}

// DecisionInput is the decision of a reviewer.
type DecisionInput struct {
	Comment     *string `json:"comment,omitempty" nullable:"true" maxLength:"4000" doc:"Feedback for the author. Required to request a revision." example:"Please check the figures."`
	StepOrder   *int    `json:"stepOrder,omitempty" doc:"The expected current step. If the request is at another step, the status is 409." example:"1"`
	StepID      *int    `json:"stepId,omitempty" doc:"The open step to decide. Required if the caller may decide several. If it is not open, the status is 409." example:"1"`
	For         *int64  `json:"for,omitempty" doc:"The id of the user on whose behalf the decision is. Default: the own name, or the oldest delegation." example:"5"`
	ContentHash *string `json:"contentHash,omitempty" doc:"The expected hash of the content. If it differs, the status is 409." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`

	Signature *SignatureInput `json:"signature,omitempty" doc:"The answer to the challenge for this decision. Required at a step with signature."`

	Comments []CommentInput `json:"comments,omitempty" nullable:"false" maxItems:"100" doc:"Comments on the request, which are stored with the decision or not at all."`
}

// Withdrawal is the end of a request by those who submit.
type Withdrawal struct {
	Comment *string `json:"comment,omitempty" nullable:"true" maxLength:"4000" doc:"Why, for the record and the reviewers." example:"The date has moved."`
}

// ScheduleInput is the requested period of publication. A body has at least one of the times.
type ScheduleInput struct {
	PublishAt   Optional[time.Time] `json:"publishAt,omitzero" example:"2026-01-02T15:04:05.000Z"`
	UnpublishAt Optional[time.Time] `json:"unpublishAt,omitzero" doc:"The end of the publication, later than publishAt and now. null means never. Omitted changes nothing." example:"2026-04-03T06:00:00.000Z"`
}

// TransformSchema implements huma.SchemaTransformer.
func (ScheduleInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"publishAt": "A past time means immediately, if approved. null is allowed while pending and means on approval. Omitted changes nothing.",
	})
}

// ApprovalDiff compares a request with the published version and the draft.
type ApprovalDiff struct {
	PublishedToSnapshot Patch `json:"publishedToSnapshot" nullable:"false" doc:"The changes from the published version to the snapshot."`
	SnapshotToDraft     Patch `json:"snapshotToDraft" nullable:"true" doc:"The changes from the snapshot to the draft; null if the caller may not read the entry."`

	FromToSnapshot Patch `json:"fromToSnapshot" nullable:"true" doc:"The changes from the snapshot of the request from to that of the present request; null without from."`

	Published OrNull[ComparedVersion] `json:"published" doc:"The published version; null means not published."`
	Draft     OrNull[ComparedVersion] `json:"draft" doc:"The draft; null means that the entry was deleted, or that the caller may not read it."`

	From OrNull[ComparedVersion] `json:"from" doc:"The snapshot of the request from; null without it."`

	Fields     []Field     `json:"fields" nullable:"false" doc:"The definitions of the fields, without hidden ones, in display order."`
	Components []Component `json:"components" nullable:"false" doc:"The components of the items in the versions, ordered by slug."`

	Library []Encoded[MediaItem] `json:"library" nullable:"false" doc:"The media items of the versions that still exist, as they are in the library now."`

	Withheld []Withheld `json:"withheld" nullable:"false" doc:"What the draft keeps although the definition does not admit it now. Empty if the caller may not read the entry."`

	Faults []DraftFault `json:"faults" nullable:"false" doc:"The required relations of the snapshot of an open request whose targets are not public now. Readers would not see them."`

	Assistants []FieldBy `json:"assistants,omitempty" nullable:"false" doc:"The fields that assistants changed after the version that was public at submission."`
}

// FieldBy is a field that an assistant changed.
type FieldBy struct {
	Field string        `json:"field" example:"title"`
	By    core.ActorRef `json:"by" doc:"The last assistant that changed it."`
}

// fieldsBy shows the fields that assistants changed.
func fieldsBy(fields []core.FieldBy) []FieldBy {
	return Each(fields, func(f core.FieldBy) FieldBy { return FieldBy(f) })
}

// ComparedVersion is one version of an ApprovalDiff.
type ComparedVersion struct {
	Fields Object `json:"fields" doc:"The values. Relations and media are ids." example:"{\"title\":\"Ceasefire announced\",\"cover\":12}"`
	Media  Object `json:"media" doc:"The hash and the words of each media item that the fields name, by id."`
}

// ApprovalDiffOf returns d for a response, with the URLs of files below files.
func ApprovalDiffOf(files fileurl.Base, d *approval.Diff) ApprovalDiff {
	return ApprovalDiff{
		Patch(d.PublishedToSnapshot), Patch(d.SnapshotToDraft), Patch(d.FromToSnapshot), comparedOf(d.Published), comparedOf(d.Draft), comparedOf(d.From),
		Each(d.Fields, FieldOf), Each(d.Components, ComponentOf), Each(d.Library, func(item core.MediaItem) Encoded[MediaItem] { return MediaItemOf(files, item) }),
		WithheldOf(d.Withheld),
		Each(d.Faults, func(f core.FieldError) DraftFault { return DraftFault{Message: f.Message, Location: f.Location} }),
		fieldsBy(d.Assistants),
	}
}

func comparedOf(c *core.Version) OrNull[ComparedVersion] {
	if c == nil {
		return OrNull[ComparedVersion]{}
	}
	media := Object(c.Media)
	if media == nil {
		media = Object("{}")
	}
	return OrNull[ComparedVersion]{&ComparedVersion{Object(c.Fields), media}}
}

// WriteApprovals returns a function for approval.Exporter that writes each request with its verified
// record as a line of JSON to w. api/audit.md documents the format.
func WriteApprovals(w io.Writer) func(approval.Exported) error {
	return func(e approval.Exported) error {
		// Both types have a member "actions". The less nested one, of AuditRecord, is encoded.
		type request struct{ ApprovalRequest }
		line, err := core.EncodeJSON(struct {
			request
			AuditRecord
		}{request{requestOf(&e.View)}, auditRecordOf(e.Audit)})
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	}
}
