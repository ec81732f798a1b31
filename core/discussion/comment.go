package discussion

import (
	"iter"
	"regexp"
	"slices"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// Comment is a remark on the snapshot of a request. It is no action: the record of the request does not have it.
type Comment struct {
	ID        int64
	ProjectID int64
	RequestID int64 // the round that it was made in
	ReleaseID int64 // the release of the request; 0: a request for one entry
	EntryID   int64 // the item that it is about; 0: the whole release
	CommentPlace

	// Parent is the comment that this one replies to; 0: none. Replies have no place of their own.
	Parent  int64
	Replace *string // what Quote should become; nil: no suggestion
	Must    int     // the place of the step, from 1, that waits until it is closed; 0: none

	At   time.Time
	By   core.ActorRef
	Text string
	// Salt are 16 random bytes. Hash is the hex SHA-256 over them and Text. A deletion removes Salt and Text, so
	// that Hash proves a text but does not reveal it.
	Salt     []byte
	Hash     string
	EditedAt time.Time     // zero: never
	Earlier  []EarlierText // the texts before edits, the first one first

	// ClosedIn is the round in which the comment, or the one that it replies to, was closed; 0: it is open and comes along
	// into later rounds. A deleted comment is open as long as it has replies that are not deleted.
	ClosedIn   int64
	ResolvedBy core.ActorRef // zero: not resolved
	ResolvedAt time.Time
	DeletedAt  time.Time // zero: not deleted
}

// CommentPlace is the place of a comment in an item.
type CommentPlace struct {
	Field   string // path of a value, as in Change: "title", "body[k1].cta.label"; empty: the whole item
	FieldID int    // of the field of the collection; 0: none
	Key     string // of an item of the list at Field; empty: none
	Quote   *Quote // nil: all of it
}

// Quote is a passage of the text of a field.
type Quote struct {
	Text string `json:"text"`
	// Occurrence counts the passages with that text from 1, in the text without markup.
	Occurrence int `json:"occurrence"`
}

// EarlierText is a text of a comment that an edit replaced.
type EarlierText struct {
	At   time.Time `json:"at"` // when it was written
	Text string    `json:"text"`
}

// CommentState is the state of a comment.
type CommentState string

// The states.
const (
	CommentOpen     CommentState = "open"
	CommentResolved CommentState = "resolved"
	CommentDeleted  CommentState = "deleted" // a tombstone
)

// State returns the state of c. A reply is resolved with the comment that it replies to.
func (c *Comment) State() CommentState {
	switch {
	case !c.DeletedAt.IsZero():
		return CommentDeleted
	case c.ResolvedBy.Kind != "", c.Parent != 0 && c.ClosedIn != 0:
		return CommentResolved
	default:
		return CommentOpen
	}
}

// Blocks reports whether c keeps a step of r from being approved: it is open and its Must is the step or, if r has not
// as many steps as the request that c was made on, the last one.
func (c *Comment) Blocks(r *review.Request, stepID int) bool {
	return c.Must != 0 && c.State() == CommentOpen && min(c.Must, len(r.Steps)) == stepID
}

// CommentsHash returns the hex SHA-256 of the canonical JSON (RFC 8785) of [{"id","hash","state"}], an element for each
// comment, or "" without comments. It covers the texts by their hashes.
func CommentsHash(comments []Comment) string {
	type comment struct {
		ID    int64        `json:"id"`
		Hash  string       `json:"hash"`
		State CommentState `json:"state"`
	}
	if len(comments) == 0 {
		return ""
	}
	hashed := make([]comment, len(comments))
	for i := range comments {
		hashed[i] = comment{comments[i].ID, comments[i].Hash, comments[i].State()}
	}
	return canonical.HashOf(hashed)
}

// CommentQuery selects the comments of a round: those that were made in it, and those of earlier rounds of its entry or
// release that were open when it began.
type CommentQuery struct {
	ProjectID, RequestID int64
	ReleaseID            int64 // 0: the request is for EntryID
	EntryID              int64
}

// CommentsOf returns the query of the comments of r.
func CommentsOf(r *review.Request) CommentQuery {
	q := CommentQuery{ProjectID: r.ProjectID, RequestID: r.ID, EntryID: r.Item().EntryID}
	if r.Release != nil {
		q.ReleaseID = r.Release.ID
	}
	return q
}

// Has reports whether c is among the comments of q.
func (q CommentQuery) Has(c *Comment) bool {
	return c.ProjectID == q.ProjectID && c.ReleaseID == q.ReleaseID && (q.ReleaseID != 0 || c.EntryID == q.EntryID) &&
		(c.RequestID == q.RequestID || c.RequestID < q.RequestID && (c.ClosedIn == 0 || c.ClosedIn >= q.RequestID))
}

var mention = regexp.MustCompile(`@\[([0-9]+)\]`)

// Mentioned returns the ids of the users that the text names as "@[6]", ascending, each once.
func (c *Comment) Mentioned() []int64 { return Mentioned(c.Text) }

// Mentioned returns the ids of the users that a text of a comment names as "@[6]", ascending, each once. An id that is
// larger than any is the largest one.
func Mentioned(text string) (ids []int64) {
	for id := range mentions(text) {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// MentionOf returns how a text writes the id of a user that it names.
func MentionOf(text string, userID int64) string {
	for id, written := range mentions(text) {
		if id == userID {
			return written
		}
	}
	return ""
}

// WithNames returns a text of a comment for people: with "@Ann" in place of "@[6]", for the users that names has.
func WithNames(text string, names map[int64]string) string {
	return mention.ReplaceAllStringFunc(text, func(found string) string {
		id, _ := strconv.ParseInt(found[2:len(found)-1], 10, 64)
		if name := names[id]; name != "" {
			return "@" + name
		}
		return found
	})
}

func mentions(text string) iter.Seq2[int64, string] {
	return func(yield func(int64, string) bool) {
		for _, found := range mention.FindAllStringSubmatch(text, -1) {
			id, _ := strconv.ParseInt(found[1], 10, 64) // the largest id if it is larger than any
			if !yield(id, found[1]) {
				return
			}
		}
	}
}

// CommentEvent returns an event of that type of c, a comment on r. It has no text.
func CommentEvent(t event.Type, r *review.Request, c *Comment) event.Event {
	event := event.Event{
		Type: t, TenantID: r.TenantID, ProjectID: r.ProjectID, SubjectID: c.ID, EntryID: c.EntryID, ReleaseID: c.ReleaseID, ReleaseNumber: r.ReleaseNumber(),
	}
	if r.Release == nil {
		about := review.RequestEvents(r, &review.Action{Type: review.ActionSubmit})[0]
		event.Collection, event.Locale = about.Collection, about.Locale
	}
	return event
}

// CopyComment returns a copy of c that shares nothing with it.
func CopyComment(c Comment) Comment {
	c.Salt, c.Earlier = slices.Clone(c.Salt), slices.Clone(c.Earlier)
	if c.Quote != nil {
		c.Quote = new(*c.Quote)
	}
	if c.Replace != nil {
		c.Replace = new(*c.Replace)
	}
	return c
}
