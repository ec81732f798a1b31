package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/comments"
	"imprimatur/core/discussion"
)

// Comment is a comment on a request as the caller sees it. Members that do not apply are left out.
type Comment struct {
	ID         int64                   `json:"id" example:"31"`
	RequestID  int64                   `json:"requestId" doc:"The request in whose round it was made." example:"9"`
	At         string                  `json:"at" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	By         core.ActorRef           `json:"by"`
	Text       string                  `json:"text" doc:"Empty once it was deleted." example:"Is this figure from the ministry?"`
	EntryID    int64                   `json:"entryId,omitempty" doc:"The entry, or the member of the release; omitted for the whole release." example:"42"`
	Field      string                  `json:"field,omitempty" example:"title"`
	Key        string                  `json:"key,omitempty" example:"k1"`
	Quote      *Quote                  `json:"quote,omitempty" doc:"The passage. It is left out if the field is hidden now."`
	Must       int                     `json:"must,omitempty" doc:"The stepId of the step that cannot be approved before the comment is closed." example:"1"`
	Parent     int64                   `json:"parent,omitempty" doc:"The comment that it replies to." example:"30"`
	Replace    *string                 `json:"replace,omitempty" doc:"A suggestion: what the passage should become." example:"Ceasefire holds for a second week"`
	Mentions   []Person                `json:"mentions" nullable:"false" doc:"The users that the text names."`
	State      discussion.CommentState `json:"state" enum:"open,resolved,deleted" doc:"A reply is resolved with its comment. A deleted comment stays with its open replies." example:"open"`
	Hash       string                  `json:"hash" doc:"Hex SHA-256 over 16 random bytes and the text." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	EditedAt   string                  `json:"editedAt,omitempty" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Earlier    []EarlierText           `json:"earlier,omitempty" nullable:"false" doc:"The texts before edits, the first one first."`
	ResolvedBy *core.ActorRef          `json:"resolvedBy,omitempty"`
	ResolvedAt string                  `json:"resolvedAt,omitempty" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	DeletedAt  string                  `json:"deletedAt,omitempty" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	Outdated   bool                    `json:"outdated" doc:"Whether its place is not in the snapshot of the present round." example:"false"`
	CanEdit    bool                    `json:"canEdit" doc:"Whether the caller may change the text now." example:"true"`
	CanResolve bool                    `json:"canResolve" doc:"Whether the caller may resolve it now." example:"true"`

	ResolveNeedsReason bool `json:"resolveNeedsReason" doc:"Whether the caller may resolve it only with a reason: no user can approve the step that waits." example:"false"`
}

// TransformSchema implements huma.SchemaTransformer.
func (Comment) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"field": "The path of the field, as in the changes of the request: \"title\", \"seo.title\", \"body[k1].cta.label\", \"@media[12].caption\"; omitted for all of the entry.",
		"key":   "The key of an item in the list at field, or with \"@media\" the id of a media item.",
	})
}

// Person is a user that a text names, or can name, with the present name.
type Person struct {
	ID   int64  `json:"id" example:"6"`
	Name string `json:"name" example:"Emil Santos"`
}

// Quote is a passage of a text.
type Quote struct {
	Text       string `json:"text" minLength:"1" maxLength:"4000" example:"a second week"`
	Occurrence int    `json:"occurrence" minimum:"1" doc:"Which of the passages with that text in the field, counted from 1, without markup." example:"1"`
}

// EarlierText is a text of a comment before an edit.
type EarlierText struct {
	At   string `json:"at" format:"date-time" doc:"When it was written." example:"2026-01-02T15:04:05.000Z"`
	Text string `json:"text" example:"Is this figure right?"`
}

// CommentInput is a new comment.
type CommentInput struct {
	Text    string  `json:"text" maxLength:"4000" doc:"@[6] names the user 6, who must be able to see the request." example:"Is this figure from the ministry?"`
	EntryID *int64  `json:"entryId,omitempty" doc:"The member of a release." example:"42"`
	Field   *string `json:"field,omitempty" doc:"The path of a field of the snapshot." example:"title"`
	Key     *string `json:"key,omitempty" doc:"The key of an item in the list at field." example:"k1"`
	Quote   *Quote  `json:"quote,omitempty" doc:"A passage of the text of the field."`
	Must    *int    `json:"must,omitempty" doc:"The stepId of a step that the caller may decide. It cannot be approved before the comment is closed." example:"1"`
	Parent  *int64  `json:"parent,omitempty" doc:"The comment that this one replies to. A reply has no place of its own." example:"30"`
	Replace *string `json:"replace,omitempty" maxLength:"4000" doc:"What the passage should become. It must be in a field of type text, longtext or richtext, without markup inside of it." example:"Ceasefire holds for a second week"`
}

// Input returns in for the core.
func (in CommentInput) Input() comments.Input {
	input := comments.Input{Text: in.Text, Replace: in.Replace}
	named(&input, "entryId", &input.EntryID, in.EntryID, "must be a whole number from 1")
	named(&input, "field", &input.Field, in.Field, "must not be empty")
	named(&input, "key", &input.Key, in.Key, "must not be empty")
	named(&input, "parent", &input.Parent, in.Parent, "must be a whole number from 1")
	named(&input, "must", &input.Must, in.Must, "must be a whole number from 1")
	if in.Quote != nil {
		input.Quote = &discussion.Quote{Text: in.Quote.Text, Occurrence: in.Quote.Occurrence}
	}
	return input
}

// named assigns a member that names something. A given zero value names nothing, which is a fault.
func named[T int | int64 | string](input *comments.Input, location string, to, given *T, fault string) {
	var zero T
	core.Assign(to, given)
	if given != nil && *given == zero {
		input.Zero = append(input.Zero, core.FieldError{Location: location, Message: fault, Value: zero})
	}
}

// CommentChange is the change of a comment.
type CommentChange struct {
	Text string `json:"text" maxLength:"4000" example:"Is this figure from the ministry, and of this year?"`
}

// Resolution is the end of a comment.
type Resolution struct {
	Reason *string `json:"reason,omitempty" nullable:"true" maxLength:"4000" doc:"Why it is resolved, as a reply to it. Required if resolveNeedsReason is true." example:"The reviewers of the step have left."`
}

// CommentOf returns c for a response.
func CommentOf(c comments.Shown) Comment {
	shown := Comment{
		ID: c.ID, RequestID: c.RequestID, At: core.FormatTime(c.At), By: c.By, Text: c.Text, EntryID: c.EntryID, Field: c.Field, Key: c.Key,
		Quote: (*Quote)(c.Quote), Must: c.Must, Parent: c.Parent, Replace: c.Replace, Mentions: Each(c.Mentions, func(p comments.Person) Person { return Person(p) }), State: c.State(), Hash: c.Hash,
		EditedAt: core.TimeText(c.EditedAt), ResolvedAt: core.TimeText(c.ResolvedAt), DeletedAt: core.TimeText(c.DeletedAt),
		Outdated: c.Outdated, CanEdit: c.CanEdit, CanResolve: c.CanResolve, ResolveNeedsReason: c.ResolveNeedsReason,
	}
	for _, e := range c.Earlier {
		shown.Earlier = append(shown.Earlier, EarlierText{core.FormatTime(e.At), e.Text})
	}
	if c.ResolvedBy.Kind != "" {
		shown.ResolvedBy = &c.ResolvedBy
	}
	return shown
}
