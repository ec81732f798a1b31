package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// Release is a set of entries that are published and unpublished together. Members that do not apply are left out.
type Release struct {
	ID          int64           `json:"id" example:"12"`
	Name        string          `json:"name" maxLength:"120" example:"Spring campaign"`
	Description string          `json:"description,omitempty" maxLength:"2000" example:"Everything for the first of March."`
	State       release.State   `json:"state" example:"open"`
	PublishAt   *string         `json:"publishAt,omitempty" format:"date-time" doc:"When the release is published; left out: as soon as it is approved." example:"2026-03-01T06:00:00.000Z"`
	Counts      ReleaseCounts   `json:"counts"`
	CreatedBy   core.ActorRef   `json:"createdBy"`
	CreatedAt   string          `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Version     int64           `json:"version" doc:"Counts the changes of the release and of its members. It is the ETag." example:"3"`
	ETag        string          `json:"etag,omitempty" doc:"The ETag without quotes, if it is not version." example:"3.2"`
	Request     *ReleaseRequest `json:"request,omitempty"`
	Rounds      int             `json:"rounds" doc:"The number of submissions." example:"1"`
	Fault       string          `json:"fault,omitempty" doc:"Why it was not published at its time: it is open again or, if approved, tried again." example:"the entry 42 was published meanwhile"`
	PublishedAt *string         `json:"publishedAt,omitempty" format:"date-time" example:"2026-03-01T06:00:00.012Z"`
	RevertOf    int64           `json:"revertOf,omitempty" doc:"The release that this one takes back." example:"11"`
	RevertedBy  int64           `json:"revertedBy,omitempty" doc:"The latest published release that takes this one back." example:"14"`
}

// TransformSchema implements huma.SchemaTransformer.
func (Release) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(enumerate(s, "state", release.States()), members{
		"state": "open: its members may change. pending: its request waits for a decision. approved: it waits for its time. " +
			"After a rejection, a request for revision or a withdrawal it is open again. published and closed are for ever.",
		"request": "The approval request of the latest submission.",
	})
}

// ReleaseCounts has the numbers of members of a release.
type ReleaseCounts struct {
	Members   int `json:"members" example:"12"`
	Publish   int `json:"publish" example:"10"`
	Unpublish int `json:"unpublish" example:"2"`
}

// ReleaseRequest is the approval request of a release.
type ReleaseRequest struct {
	ID            int64                `json:"id" example:"9"`
	Status        review.RequestStatus `json:"status" enum:"pending,approved,published,rejected,revision_requested,withdrawn" example:"pending"`
	ReleaseNumber string               `json:"releaseNumber" example:"CR-2026-0001"`
}

// ReleaseOf returns r for a response.
func ReleaseOf(r release.Release) Release {
	shown := Release{
		ID: r.ID, Name: r.Name, Description: r.Description, State: r.State, PublishAt: TimeOrNull(r.PublishAt), Counts: ReleaseCounts(r.Counts),
		CreatedBy: r.CreatedBy, CreatedAt: core.FormatTime(r.CreatedAt), Version: r.Version, Rounds: r.Rounds, Fault: r.Fault,
		PublishedAt: TimeOrNull(r.PublishedAt), RevertOf: r.RevertOf, RevertedBy: r.RevertedBy,
	}
	if shown.Fault == "" {
		shown.Fault = r.Failing
	}
	if r.Latest.ID != 0 {
		shown.Request = &ReleaseRequest{r.Latest.ID, r.Latest.Status, r.Latest.ReleaseNumber}
	}
	return shown
}

// ReleaseInput is the body of a new release.
type ReleaseInput struct {
	Name        string     `json:"name" maxLength:"120" example:"Spring campaign"`
	Description *string    `json:"description,omitempty" maxLength:"2000" example:"Everything for the first of March."`
	PublishAt   *time.Time `json:"publishAt,omitempty" nullable:"true" doc:"When to publish the release; omitted: as soon as it is approved." example:"2026-03-01T06:00:00.000Z"`
}

// Change returns the change that in describes.
func (in ReleaseInput) Change() releasing.Change {
	return releasing.Change{Name: &in.Name, Description: in.Description, PublishAt: core.Optional[time.Time]{Given: in.PublishAt != nil, Value: in.PublishAt}}
}

// ReleaseChange is the body of a change of a release.
type ReleaseChange struct {
	Name        *string             `json:"name,omitempty" maxLength:"120" example:"Spring campaign"`
	Description *string             `json:"description,omitempty" maxLength:"2000" example:"Everything for the first of March."`
	PublishAt   Optional[time.Time] `json:"publishAt,omitzero" doc:"null means as soon as it is approved." example:"2026-03-01T06:00:00.000Z"`
}

// Change returns the change that in describes.
func (in ReleaseChange) Change() releasing.Change {
	return releasing.Change{Name: in.Name, Description: in.Description, PublishAt: in.PublishAt.Optional}
}

// ReleaseMembersInput is the body of adding members to a release.
type ReleaseMembersInput struct {
	Members []ReleaseMemberInput `json:"members" minItems:"1" maxItems:"500"`
}

// ReleaseMemberInput is an entry to put into a release.
type ReleaseMemberInput struct {
	EntryID int64         `json:"entryId" example:"42"`
	Action  string        `json:"action,omitempty" enum:"publish,unpublish" default:"publish" example:"publish"`
	From    ReleaseSource `json:"from,omitzero"`
}

// Inputs returns the members that in describes.
func (in ReleaseMembersInput) Inputs() []releasing.MemberInput {
	return Each(in.Members, func(m ReleaseMemberInput) releasing.MemberInput {
		return releasing.MemberInput{EntryID: m.EntryID, Action: schedule.Action(m.Action), From: int64(m.From)}
	})
}

// ReleaseMembersGone is the body of removing members from a release.
type ReleaseMembersGone struct {
	EntryIDs []int64 `json:"entryIds" minItems:"1" maxItems:"500" example:"[42,43]"`
}

// ReleaseSource is what a member of a release publishes: the publication with that number, or, 0, the draft.
type ReleaseSource int64

// MarshalJSON implements json.Marshaler.
func (s ReleaseSource) MarshalJSON() ([]byte, error) {
	if s == 0 {
		return []byte(`"draft"`), nil
	}
	return fmt.Appendf(nil, `{"publication":%d}`, s), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *ReleaseSource) UnmarshalJSON(raw []byte) error {
	if *s = 0; string(raw) == `"draft"` {
		return nil
	}
	number, err := publicationIn(raw)
	*s = ReleaseSource(number)
	return err
}

// Expectation describes the JSON of a source, as a fault.
func (ReleaseSource) Expectation() string { return `must be "draft" or {"publication": <number>}` }

// publicationIn returns the number in the JSON of a publication as a source. The faults of an object are core.ErrInvalid,
// located in it.
func publicationIn(raw []byte) (number int64, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return 0, err
	}
	const name = "publication"
	var found core.Faults
	value, given := members[name]
	switch {
	case !given:
		found.Add(name, nil, "is required")
	case json.Unmarshal(value, &number) != nil:
		found.Add(name, nil, "must be a whole number")
	case number < 1: // also null
		found.Add(name, nil, "must be at least 1")
	}
	delete(members, name)
	for _, unknown := range slices.Sorted(maps.Keys(members)) {
		found.Add(unknown, nil, "is not a known member")
	}
	return number, found.Err()
}

// publicationSchema is the schema of a publication as a source.
var publicationSchema = &huma.Schema{
	Type: huma.TypeObject, Required: []string{"publication"}, AdditionalProperties: false,
	Properties: map[string]*huma.Schema{"publication": {Type: huma.TypeInteger, Format: "int64", Examples: []any{3}}},
}

// Schema implements huma.SchemaProvider.
func (ReleaseSource) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "What is published: the draft as it is at the submission, or again the publication with that number.",
		OneOf: []*huma.Schema{
			{Type: huma.TypeString, Enum: []any{"draft"}},
			publicationSchema,
		},
		Examples: []any{"draft"},
	}
}

// ReleaseMember is an entry in a release. Members that do not apply are left out.
type ReleaseMember struct {
	EntryID        int64           `json:"entryId" example:"42"`
	Collection     string          `json:"collection" doc:"The slug of its collection." example:"articles"`
	CollectionID   int64           `json:"collectionId" example:"2"`
	Locale         string          `json:"locale" example:"en"`
	Title          string          `json:"title" example:"Ceasefire holds"`
	Action         schedule.Action `json:"action" enum:"publish,unpublish" example:"publish"`
	Kind           release.Kind    `json:"kind" enum:"new,changed,unpublish" doc:"What changes for readers: they see the entry for the first time or again, another version of it, or no longer." example:"changed"`
	From           ReleaseSource   `json:"from"`
	ContentHash    string          `json:"contentHash,omitempty" doc:"The hash of what is published: while the release is open, as it would be submitted now." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Base           *ReleaseBase    `json:"base,omitempty"`
	ContentChanged bool            `json:"contentChanged" doc:"Whether the draft differs from what was submitted; false while the release is open, and if a publication is the source." example:"false"`
	Seen           bool            `json:"seen" doc:"Whether the caller has marked this content as seen." example:"false"`
	Unchanged      bool            `json:"unchanged" doc:"Whether action, content and base are those of the round of the caller's last decision." example:"false"`
	Changed        []string        `json:"changed" nullable:"false" doc:"The paths that it changes, at most 50; @media: words and files of media. Empty while the release is open." example:"[\"title\"]"`
	Gone           bool            `json:"gone,omitempty" doc:"Whether the entry was deleted or is in the trash." example:"true"`
	Dropped        []string        `json:"dropped,omitempty" nullable:"false" doc:"The fields of the source publication that no longer exist." example:"[]"`
}

// TransformSchema implements huma.SchemaTransformer.
func (ReleaseMember) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"title": "The first 200 characters of the field that names entries, as in approval requests; empty: none.",
		"base":  "The publication that readers see now or, after a submission, saw then. Left out if they saw none.",
	})
}

// ReleaseBase is the publication that a member of a release replaces or ends.
type ReleaseBase struct {
	Number int64  `json:"number" example:"2"`
	Hash   string `json:"hash" example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
}

// ReleaseMemberOf returns m for a response.
func ReleaseMemberOf(m releasing.Member) ReleaseMember {
	shown := ReleaseMember{
		EntryID: m.EntryID, Collection: m.Collection, CollectionID: m.CollectionID, Locale: m.Locale, Title: m.Title, Action: m.Action, Kind: m.Kind(),
		From: ReleaseSource(m.From), ContentHash: m.ContentHash, ContentChanged: m.ContentChanged, Seen: m.Seen, Unchanged: m.Unchanged, Changed: append([]string{}, m.Changed...),
		Gone: m.Gone, Dropped: m.Dropped,
	}
	if m.BaseNumber != 0 {
		shown.Base = &ReleaseBase{m.BaseNumber, m.BaseHash}
	}
	return shown
}

// ReleaseMembers is a page of members of a release.
type ReleaseMembers struct {
	Data   []ReleaseMember     `json:"data" nullable:"false"`
	Meta   PagesMeta           `json:"meta"`
	Counts ReleaseMemberCounts `json:"counts"`
	Paths  []ReleasePath       `json:"paths" nullable:"false" doc:"The paths that members change, the most frequent first."`
}

// ReleaseMemberCounts counts the members of a release.
type ReleaseMemberCounts struct {
	Members   int `json:"members" example:"12"`
	New       int `json:"new" example:"4"`
	Changed   int `json:"changed" example:"6"`
	Unpublish int `json:"unpublish" example:"2"`
	Seen      int `json:"seen" doc:"Marked as seen by the caller." example:"5"`
	Unchanged int `json:"unchanged" doc:"As in the round of the caller's last decision." example:"3"`
}

// ReleasePath is a path that members of a release change.
type ReleasePath struct {
	Path  string `json:"path" example:"title"`
	Count int    `json:"count" doc:"The number of members that change it." example:"3"`
}

// ReleaseMembersOf returns page for a response.
func ReleaseMembersOf(page releasing.MemberPage) ReleaseMembers {
	return ReleaseMembers{
		Data: Each(page.Items, ReleaseMemberOf), Meta: PagesMeta{page.Page.Page, page.PerPage, page.Total, page.HasMore},
		Counts: ReleaseMemberCounts(page.Counts), Paths: Each(page.Paths, func(p releasing.PathCount) ReleasePath { return ReleasePath(p) }),
	}
}

// ReleaseMemberContent is a member of a release with what it changes for readers.
type ReleaseMemberContent struct {
	ReleaseMember

	Snapshot  OrNull[ComparedVersion] `json:"snapshot" doc:"What was or would be submitted. null if the member is unpublished, or the caller may not see it."`
	Published OrNull[ComparedVersion] `json:"published" doc:"The publication that it replaces or ends; null: none."`

	PublishedToSnapshot Patch `json:"publishedToSnapshot" nullable:"false" doc:"The changes from published to snapshot."`

	Earlier           OrNull[ComparedVersion] `json:"earlier" doc:"With from in the query: what that request would have published. null without it, and if the entry was to be unpublished."`
	EarlierToSnapshot Patch                   `json:"earlierToSnapshot" nullable:"true" doc:"With from in the query: the changes from earlier to snapshot; null without it."`

	Changes    []Change             `json:"changes" nullable:"false" doc:"The changes to snapshot by fields and the keys of items: with from in the query from that, otherwise from published."`
	Fields     []Field              `json:"fields" nullable:"false" doc:"The definitions of the fields, without hidden ones, in display order."`
	Components []Component          `json:"components" nullable:"false" doc:"The components of the items, ordered by slug."`
	Library    []Encoded[MediaItem] `json:"library" nullable:"false" doc:"The media items of the versions that still exist, as they are in the library now."`
	Faults     []DraftFault         `json:"faults" nullable:"false" doc:"Of an open release: what keeps the member from being submitted."`
	Withheld   []Withheld           `json:"withheld" nullable:"false" doc:"What the draft keeps although the definition does not admit it now."`
	Assistants []FieldBy            `json:"assistants,omitempty" nullable:"false" doc:"The fields of snapshot that assistants changed after published."`
}

// ReleaseMemberContentOf returns m for a response, with the URLs of files below files.
func ReleaseMemberContentOf(files fileurl.Base, m *releasing.MemberContent) ReleaseMemberContent {
	return ReleaseMemberContent{
		ReleaseMemberOf(m.Member), comparedOf(m.Snapshot), comparedOf(m.Published), Patch(m.Patch),
		comparedOf(m.From), Patch(m.FromPatch), ChangesOf(m.Changes),
		Each(m.Fields, FieldOf), Each(m.Components, ComponentOf),
		Each(m.Library, func(item core.MediaItem) Encoded[MediaItem] { return MediaItemOf(files, item) }),
		Each(m.Faults, func(f core.FieldError) DraftFault { return DraftFault{Message: f.Message, Location: f.Location} }), WithheldOf(m.Withheld), fieldsBy(m.Assistants),
	}
}

// ReleaseCheck is what a submission of a release would answer.
type ReleaseCheck struct {
	Faults       []ReleaseFault   `json:"faults" nullable:"false" doc:"All faults of all members. With none the release can be submitted."`
	Warnings     []ReleaseWarning `json:"warnings" nullable:"false" doc:"What readers would notice; nothing is refused for it. At most 100."`
	WarningCount int              `json:"warningCount" doc:"The number of all warnings." example:"1"`
	Reviewed     bool             `json:"reviewed" doc:"Whether a submission opens a request. Otherwise it publishes the release: no workflow governs a member." example:"true"`
}

// ReleaseFault is what keeps a release from being submitted.
type ReleaseFault struct {
	EntryID  int64  `json:"entryId,omitempty" doc:"The member; left out for the release as a whole." example:"42"`
	Code     string `json:"code" enum:"member_gone,in_review,invalid,empty_release" example:"invalid"`
	Location string `json:"location" doc:"As in the problem of a refused submission." example:"members.42.fields.summary"`
	Message  string `json:"message" example:"is required"`
}

// ReleaseWarning is what readers would notice after a release.
type ReleaseWarning struct {
	EntryID  int64  `json:"entryId" example:"42"`
	Code     string `json:"code" enum:"target_not_public,still_referred,changes_nothing" example:"target_not_public"`
	Location string `json:"location,omitempty" doc:"The field of the member; left out for the whole entry." example:"fields.related"`
	Message  string `json:"message" example:"refers to \"Harbour\" (entry 43), which readers do not see after the release"`
}

// ReleaseCheckOf returns c for a response.
func ReleaseCheckOf(c releasing.Check) ReleaseCheck {
	return ReleaseCheck{
		Each(c.Faults, func(f releasing.Fault) ReleaseFault { return ReleaseFault{f.EntryID, f.Code, f.Location, f.Message} }),
		Each(c.Warnings, func(w releasing.Warning) ReleaseWarning {
			return ReleaseWarning{w.EntryID, w.Code, w.Location, w.Message}
		}), c.Total, c.Reviewed,
	}
}

// ReleaseMarks is the body of marking members of a release as seen.
type ReleaseMarks struct {
	Members []ReleaseMarkInput `json:"members" minItems:"1" maxItems:"500"`
}

// ReleaseMarkInput says which content of a member the caller has seen.
type ReleaseMarkInput struct {
	EntryID     int64   `json:"entryId" example:"42"`
	ContentHash *string `json:"contentHash,omitempty" nullable:"true" doc:"That of the member; null or omitted if it has none." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

// Marks returns the marks that in describes.
func (in ReleaseMarks) Marks() []release.Mark {
	return Each(in.Members, func(m ReleaseMarkInput) release.Mark {
		mark := release.Mark{EntryID: m.EntryID}
		core.Assign(&mark.ContentHash, m.ContentHash)
		return mark
	})
}

// ReleaseNote is the release of an entry.
type ReleaseNote struct {
	ID            int64         `json:"id"`
	Name          string        `json:"name"`
	State         release.State `json:"state"`
	ReleaseNumber *string       `json:"releaseNumber"`
}

// Schema implements huma.SchemaProvider. The schema is an object or null.
func (ReleaseNote) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		{
			Type: huma.TypeObject, Required: []string{"id", "name", "state", "releaseNumber"},
			Properties: map[string]*huma.Schema{
				"id":            {Type: huma.TypeInteger, Format: "int64", Examples: []any{12}},
				"name":          {Type: huma.TypeString, Examples: []any{"Spring campaign"}},
				"state":         {Type: huma.TypeString, Enum: Each(release.States(), func(s release.State) any { return string(s) }), Examples: []any{"pending"}},
				"releaseNumber": {Type: huma.TypeString, Nullable: true, Description: "Of its latest submission; null: never submitted.", Examples: []any{"CR-2026-0001"}},
			},
		},
		{Type: "null"},
	}}
}

// releaseNoteOf returns r for a response.
func releaseNoteOf(r *release.Summary) *ReleaseNote {
	if r == nil {
		return nil
	}
	return &ReleaseNote{r.ID, r.Name, r.State, core.NullIfZero(r.ReleaseNumber)}
}

// ReleasePublishInput is the body of submitting or publishing a release.
type ReleasePublishInput struct {
	PublishAt Optional[time.Time] `json:"publishAt,omitzero" doc:"When to publish; null, or in the past: at once, or on approval. Omitted: publishAt of the release." example:"2026-03-01T06:00:00.000Z"`
	Comment   string              `json:"comment,omitempty" maxLength:"4000" doc:"If a workflow governs the Project: a word to the reviewers." example:"All texts are final."`
}

// ReleaseRevertInput is the body of taking back a release.
type ReleaseRevertInput struct {
	SkipChanged bool `json:"skipChanged,omitempty" doc:"Leaves out members that were published, unpublished or deleted since." example:"true"`
}
