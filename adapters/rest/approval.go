package rest

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/approval"
)

// workflow is the JSON form of core.Workflow.
type workflow struct {
	Scope             string                  `json:"scope" enum:"department,project" example:"department"`
	DepartmentID      int64                   `json:"departmentId,omitempty" doc:"Only in the scope department." example:"1"`
	ProjectID         int64                   `json:"projectId,omitempty" doc:"Only in the scope project." example:"1"`
	Steps             []approval.WorkflowStep `json:"steps" nullable:"false" doc:"At least one step, in order."`
	AllowSelfApproval bool                    `json:"allowSelfApproval" example:"true"`
	UpdatedAt         string                  `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// effectiveWorkflow is the workflow that governs a Project, with its source.
type effectiveWorkflow struct {
	Workflow orNull[workflow] `json:"workflow" doc:"null means that content is published without approval."`
	Source   string           `json:"source" enum:"project,department,none" example:"department"`
	Reason   string           `json:"reason" doc:"A sentence for users." example:"The project has no workflow of its own, so that of its department governs it."`
}

// approvalDiff is the JSON form of approval.Diff.
type approvalDiff struct {
	PublishedToSnapshot patch `json:"publishedToSnapshot" nullable:"false" doc:"The changes from the published version to the snapshot."`
	SnapshotToDraft     patch `json:"snapshotToDraft" nullable:"true" doc:"The changes from the snapshot to the draft; null if the caller may not read the entry."`

	Published orNull[comparedVersion] `json:"published" doc:"The published version; null means not published."`
	Draft     orNull[comparedVersion] `json:"draft" doc:"The draft; null means that the entry was deleted, or that the caller may not read it."`

	Fields  []field      `json:"fields" nullable:"false" doc:"The definitions of the fields, without hidden ones, in display order."`
	Library []shownMedia `json:"library" nullable:"false" doc:"The media items of the three versions that still exist, as they are in the library now."`
}

// comparedVersion is the JSON form of approval.Compared.
type comparedVersion struct {
	Fields jsonObject `json:"fields" doc:"The values. Relations and media are ids." example:"{\"title\":\"Ceasefire announced\",\"cover\":12}"`
	Media  jsonObject `json:"media" doc:"The hash and the words of each media item that the fields name, by id."`
}

func showCompared(c *approval.Compared) orNull[comparedVersion] {
	if c == nil {
		return orNull[comparedVersion]{}
	}
	media := jsonObject(c.Media)
	if media == nil {
		media = jsonObject("{}")
	}
	return orNull[comparedVersion]{&comparedVersion{jsonObject(c.Fields), media}}
}

// patch is a JSON Patch (RFC 6902).
type patch = encoded[[]patchStep]

// patchStep is one operation of a JSON Patch.
type patchStep struct {
	_     struct{} `additionalProperties:"true"`
	Op    string   `json:"op" enum:"add,remove,replace,move,copy,test" example:"replace"`
	Path  string   `json:"path" doc:"A JSON Pointer into the fields, or to the words of a media item: /@media/12/caption." example:"/title"`
	Value any      `json:"value,omitempty" example:"\"Ceasefire holds\""`
}

// decisionInput is the decision of a reviewer.
type decisionInput struct {
	Comment     *string `json:"comment,omitempty" nullable:"true" maxLength:"4000" doc:"Feedback for the author. Required to request a revision." example:"Please check the figures."`
	StepOrder   *int    `json:"stepOrder,omitempty" doc:"The expected current step. If the request is at another step, the status is 409." example:"1"`
	ContentHash *string `json:"contentHash,omitempty" doc:"The expected hash of the content. If it differs, the status is 409." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// scheduleInput is the requested period of publication. A body has at least one of the times.
type scheduleInput struct {
	PublishAt   endpoint.Optional[time.Time] `json:"publishAt,omitzero" example:"2026-01-02T15:04:05.000Z"`
	UnpublishAt endpoint.Optional[time.Time] `json:"unpublishAt,omitzero" doc:"The end of the publication, later than publishAt and now. null means never. Omitted changes nothing." example:"2026-04-03T06:00:00.000Z"`
}

// snapshot documents approval.Snapshot: an object or null.
type snapshot struct{}

// Schema implements huma.SchemaProvider.
func (snapshot) Schema(r huma.Registry) *huma.Schema {
	text := func(example string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Examples: []any{example}}
	}
	return &huma.Schema{OneOf: []*huma.Schema{
		{
			Type: huma.TypeObject, Required: []string{"collection", "fields", "locale"},
			Properties: map[string]*huma.Schema{
				"collection": text("articles"), "fields": entryFields{}.Schema(r), "locale": text("en"),
				"media": {
					Type: huma.TypeObject, Description: "The media items that the fields name, by id, as they were at submission. Left out when there are none.",
					AdditionalProperties: r.Schema(reflect.TypeFor[core.SealedItem](), true, ""),
				},
			},
		},
		{Type: "null"},
	}}
}

// orNull is a T or null.
type orNull[T any] struct{ value *T }

// MarshalJSON implements json.Marshaler.
func (o orNull[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// Schema implements huma.SchemaProvider.
func (orNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"}}}
}

func showWorkflow(w *approval.WorkflowView) workflow {
	scope := "project"
	if w.DepartmentID != 0 {
		scope = "department"
	}
	return workflow{scope, w.DepartmentID, w.ProjectID, approval.ShowSteps(w.Steps, w.Unreachable), w.AllowSelfApproval, core.FormatTime(w.UpdatedAt)}
}
