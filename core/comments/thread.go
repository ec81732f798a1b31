package comments

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Limits.
const (
	MaxText       = 4000             // code points of a text, of a quote and of a replacement
	MaxComments   = 500              // that are open in a round, replies and those that came along included
	MaxAtOnce     = 100              // that a decision brings, also beyond MaxComments: as many more may be open
	MaxMade       = 2000             // of a round, closed ones included, without those of decisions
	maxMentions   = 20               // users that a text names
	editable      = 15 * time.Minute // how long the author may change the text
	saltBytes     = 16
	maxOccurrence = 1_000_000
)

// Input is a new comment.
type Input struct {
	Text       string
	EntryID    int64 // of the member of a release; 0: the release, or the entry of the request
	Field, Key string
	Quote      *discussion.Quote
	Replace    *string
	Parent     int64
	// Must is the id of a step that waits until the comment is closed; 0: none. The author may decide the step.
	Must int
	// Zero are the faults of members that are given without naming anything: an id of 0, or an empty name.
	Zero []core.FieldError
}

// Shown is a comment as one user sees it.
type Shown struct {
	discussion.Comment

	// Outdated reports that the present snapshot does not have the place of the comment.
	Outdated bool
	// CanEdit and CanResolve report whether the user may change the text now, and close the comment.
	CanEdit, CanResolve bool
	// ResolveNeedsReason reports that the user may close the comment only with a reason.
	ResolveNeedsReason bool
	// Mentions are the users that Text names.
	Mentions []Person
}

// Person is a user that a text names, with the present name.
type Person struct {
	ID   int64
	Name string
}

// Thread has the comments of a round, as a user sees and changes them. The user may see the request. A method that
// changes comments needs stores of a transaction that holds the request.
type Thread struct {
	stores  ports.Stores
	project *core.Project
	request *review.Request
	actor   core.Actor
	at      time.Time // of the database

	items       map[int64]*item
	collections map[int64]*core.Collection
	readers     map[int64]bool // by user id: whether they may see the request
	unreachable map[int]bool   // by the id of a step; nil: not known yet
}

// New returns the thread of r. at is now, by the clock of the database.
func New(stores ports.Stores, project *core.Project, r *review.Request, actor core.Actor, at time.Time) *Thread {
	return &Thread{
		stores: stores, project: project, request: r, actor: actor, at: at,
		items: map[int64]*item{}, collections: map[int64]*core.Collection{}, readers: map[int64]bool{},
	}
}

// open reports whether comments can be written: the request has not ended.
func (t *Thread) open() bool { return t.request.Status.Open() }

// List returns the comments of the round, by id.
func (t *Thread) List(ctx context.Context) ([]Shown, error) {
	found, err := t.comments(ctx)
	if err != nil {
		return nil, err
	}
	return t.shown(ctx, found)
}

// Comment returns one comment of the round, or core.ErrNotFound.
func (t *Thread) Comment(ctx context.Context, id int64) (Shown, error) {
	c, err := t.find(ctx, id)
	if err != nil {
		return Shown{}, err
	}
	shown, err := t.shown(ctx, []discussion.Comment{c})
	if err != nil {
		return Shown{}, err
	}
	return shown[0], nil
}

func (t *Thread) comments(ctx context.Context) ([]discussion.Comment, error) {
	return t.stores.Comments.Comments(ctx, discussion.CommentsOf(t.request))
}

func (t *Thread) find(ctx context.Context, id int64) (discussion.Comment, error) {
	c, err := t.stores.Comments.Comment(ctx, t.request.ProjectID, id)
	if err == nil && !discussion.CommentsOf(t.request).Has(&c) {
		err = core.NotFound("comment")
	}
	return c, err
}

// shown completes comments for the user. Names and passages of fields that are secret now are left out.
func (t *Thread) shown(ctx context.Context, found []discussion.Comment) ([]Shown, error) {
	var entries, named []int64
	for i := range found {
		entries, named = append(entries, found[i].EntryID), append(named, discussion.Mentioned(found[i].Text)...)
	}
	if err := t.load(ctx, entries); err != nil {
		return nil, err
	}
	names, err := t.names(ctx, named)
	if err != nil {
		return nil, err
	}
	shown := make([]Shown, len(found))
	for i, c := range found {
		s := Shown{Comment: c, CanEdit: t.open() && t.mayEdit(&c) == nil}
		if c.Parent == 0 {
			s.Outdated = !t.has(&c)
		}
		if c.Parent == 0 && c.ClosedIn == 0 && t.open() {
			reasoned, err := t.mayResolve(ctx, &c)
			if err != nil && !errors.Is(err, core.Forbidden("")) {
				return nil, err
			}
			s.CanResolve, s.ResolveNeedsReason = err == nil, err == nil && reasoned
		}
		if !t.reveals(&c) {
			s.Quote, s.Replace = nil, nil
		}
		if t.hides(&c) {
			s.Field, s.Key = "", ""
		}
		for _, id := range discussion.Mentioned(c.Text) {
			if name, known := names[id]; known {
				s.Mentions = append(s.Mentions, Person{id, name})
			}
		}
		shown[i] = s
	}
	return shown, nil
}

// Add adds comments, all or none, and returns their ids. in names them in the locations of faults: "comments", or "" for
// a single one.
func (t *Thread) Add(ctx context.Context, in string, inputs ...Input) ([]int64, error) {
	before, err := t.comments(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.room(before, len(inputs), in != ""); err != nil {
		return nil, err
	}
	var found core.Faults
	made := make([]*discussion.Comment, len(inputs))
	for i, input := range inputs {
		at := ""
		if in != "" {
			at = fmt.Sprintf("%s[%d].", in, i)
		}
		if made[i], err = t.make(ctx, at, input, before, &found); err != nil {
			return nil, err
		}
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	ids := make([]int64, len(made))
	for i, c := range made {
		if err := t.stores.Comments.Insert(ctx, t.request, c); err != nil {
			return nil, err
		}
		ids[i] = c.ID
	}
	return ids, nil
}

// room returns core.KindConflict with the code "too_many_comments" unless n more comments may be added to those before.
// Closed comments do not count, so that resolving makes room. Those of a decision have MaxAtOnce more places, which other
// comments cannot fill.
func (t *Thread) room(before []discussion.Comment, n int, decision bool) error {
	open, most := n, MaxComments
	for i := range before {
		if c := &before[i]; c.ClosedIn == 0 && c.DeletedAt.IsZero() {
			open++
		}
	}
	if decision {
		most += MaxAtOnce
	}
	switch {
	case open > most:
		return core.Conflict("too_many_comments", "a request has at most %d open comments: resolve some first", MaxComments)
	case !decision && n+len(before) > MaxMade:
		return core.Conflict("too_many_comments", "a request has at most %d comments, closed ones included", MaxMade)
	default:
		return nil
	}
}

// author returns the author of comments of the actor. The user of an assistant owns those of the assistant, with the
// name of both.
func author(actor core.Actor) core.ActorRef {
	by := actor.Ref()
	if by.Kind == core.KindAssistant {
		by = core.ActorRef{Kind: "user", ID: by.MadeBy, Name: by.Name}
	}
	return by
}

// make returns the comment of in, whose faults it adds to found. at precedes their locations.
func (t *Thread) make(ctx context.Context, at string, in Input, before []discussion.Comment, found *core.Faults) (*discussion.Comment, error) {
	c := &discussion.Comment{
		ProjectID: t.request.ProjectID, RequestID: t.request.ID, EntryID: in.EntryID, At: t.at, By: author(t.actor),
		CommentPlace: discussion.CommentPlace{Field: in.Field, Key: in.Key, Quote: in.Quote}, Replace: in.Replace, Parent: in.Parent,
	}
	for _, fault := range in.Zero {
		found.Add(at+fault.Location, fault.Value, fault.Message)
	}
	if len(in.Zero) > 0 {
		return c, nil
	}
	if t.request.Release != nil {
		c.ReleaseID = t.request.Release.ID
	} else if c.EntryID = t.request.Item().EntryID; in.EntryID != 0 && in.EntryID != c.EntryID {
		found.Add(at+"entryId", in.EntryID, "is not the entry of the request")
		return c, nil
	}
	if err := t.checkText(ctx, at, in.Text, found); err != nil {
		return nil, err
	}
	c.Text = in.Text
	c.Salt, c.Hash = sealed(c.Text)
	if c.Must = in.Must; c.Must != 0 {
		t.must(at, c, found)
	}
	if in.Parent != 0 {
		t.reply(at, in, c, before, found)
		return c, nil
	}
	return c, t.place(ctx, at, c, found)
}

// reply gives c the place of the comment that it replies to.
func (t *Thread) reply(at string, in Input, c *discussion.Comment, before []discussion.Comment, found *core.Faults) {
	i := slices.IndexFunc(before, func(b discussion.Comment) bool { return b.ID == in.Parent })
	switch {
	case i < 0:
		found.Add(at+"parent", in.Parent, "is not a comment on the request")
	case before[i].Parent != 0:
		found.Add(at+"parent", in.Parent, "is a reply: replies have no replies")
	case !before[i].DeletedAt.IsZero():
		found.Add(at+"parent", in.Parent, "was deleted")
	case before[i].ClosedIn != 0:
		found.Add(at+"parent", in.Parent, "was resolved: add a comment that is no reply")
	case in.Field != "" || in.Key != "" || in.Quote != nil || in.Replace != nil || in.Must != 0 || in.EntryID != 0 && in.EntryID != before[i].EntryID:
		found.Add(at+"parent", in.Parent, "gives the place and the step: a reply has none of its own")
	default:
		c.EntryID = before[i].EntryID
	}
}

// sealed returns new random bytes, and the hash over them and text.
func sealed(text string) (salt []byte, hash string) {
	salt = make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	sum := sha256.Sum256(append(slices.Clone(salt), text...))
	return salt, hex.EncodeToString(sum[:])
}

// checkText adds the faults of a text to found.
func (t *Thread) checkText(ctx context.Context, at, text string, found *core.Faults) error {
	switch ids := discussion.Mentioned(text); {
	case words.Blank(text):
		found.Add(at+"text", nil, "is required")
	case utf8.RuneCountInString(text) > MaxText:
		found.Addf(at+"text", nil, "must have at most %d characters", MaxText)
	case !core.ValidText(text):
		found.Add(at+"text", nil, "must be text without the character U+0000")
	case len(ids) > maxMentions:
		found.Addf(at+"text", nil, "names more than %d users", maxMentions)
	default:
		for _, id := range ids {
			reads, err := t.reads(ctx, id)
			if err != nil {
				return err
			}
			if !reads {
				found.Addf(at+"text", nil, "names the user %s, who may not see the request", core.Clip(discussion.MentionOf(text, id)))
			}
		}
	}
	return nil
}

// Edit changes the text of a comment. Its author may for 15 minutes.
func (t *Thread) Edit(ctx context.Context, id int64, text string) error {
	c, err := t.find(ctx, id)
	if err != nil {
		return err
	}
	if err := t.mayEdit(&c); err != nil {
		return err
	}
	var found core.Faults
	if err := t.checkText(ctx, "", text, &found); err != nil {
		return err
	}
	if err := found.Err(); err != nil || text == c.Text {
		return err
	}
	written := c.At
	if !c.EditedAt.IsZero() {
		written = c.EditedAt
	}
	c.Earlier = append(c.Earlier, discussion.EarlierText{At: written, Text: c.Text})
	c.Text, c.EditedAt = text, t.at
	c.Salt, c.Hash = sealed(text)
	return t.stores.Comments.Update(ctx, t.request, &c, event.CommentUpdated)
}

var errNotAuthor = core.Forbidden("only the author may change or delete a comment")

// Owns returns core.KindForbidden unless the user is the author of a comment, or core.ErrNotFound.
func (t *Thread) Owns(ctx context.Context, id int64) error {
	c, err := t.find(ctx, id)
	if err == nil && t.actor.UserID() != c.By.ID {
		err = errNotAuthor
	}
	return err
}

func (t *Thread) mayEdit(c *discussion.Comment) error {
	switch {
	case t.actor.UserID() != c.By.ID:
		return errNotAuthor
	case !c.DeletedAt.IsZero():
		return core.Conflict("deleted", "the comment was deleted")
	case t.at.Sub(c.At) >= editable:
		return core.Conflict("too_late", "a comment can be changed for 15 minutes")
	default:
		return nil
	}
}

// Delete leaves a tombstone of a comment: without its texts, its passage and the random bytes of its hash. Its author
// may. Replies to it that are not deleted stay open, and the tombstone with them, until they are resolved or deleted.
func (t *Thread) Delete(ctx context.Context, id int64) error {
	c, err := t.find(ctx, id)
	switch {
	case err != nil:
		return err
	case t.actor.UserID() != c.By.ID:
		return errNotAuthor
	case !c.DeletedAt.IsZero():
		return nil
	}
	before, err := t.comments(ctx)
	if err != nil {
		return err
	}
	root := c
	replied := false
	for i := range before {
		switch other := &before[i]; {
		case other.ID == c.Parent:
			root = *other
		case other.ID != c.ID && other.Parent != 0 && other.Parent == cmp.Or(c.Parent, c.ID):
			replied = replied || other.DeletedAt.IsZero()
		}
	}
	c.DeletedAt, c.Text, c.Salt, c.Earlier, c.Quote, c.Replace = t.at, "", nil, nil, nil, nil
	if c.ClosedIn == 0 && (c.Parent != 0 || !replied) {
		c.ClosedIn = t.request.ID
	}
	if err := t.stores.Comments.Update(ctx, t.request, &c, event.CommentDeleted); err != nil {
		return err
	}
	if c.Parent != 0 && !replied && root.ClosedIn == 0 && !root.DeletedAt.IsZero() { // nothing is left of them
		root.ClosedIn = t.request.ID
		if err := t.stores.Comments.Update(ctx, t.request, &root, event.CommentDeleted); err != nil {
			return err
		}
	}
	return t.stores.Notices.Blank(ctx, c.ProjectID, c.At, NoticeKeys(c.ID)...)
}

// NoticeKeys returns the keys of the notices that have the text of a comment.
func NoticeKeys(id int64) []string {
	kinds := []notice.Kind{notice.Comment, notice.Mention, notice.Resolved}
	keys := make([]string, len(kinds))
	for i, kind := range kinds {
		keys[i] = notice.CommentKey(kind, id)
	}
	return keys
}

// Resolve closes a comment with its replies. Its author may, and who may decide the request; one with a Must who may
// decide that step or, while no user can, an admin of the Project with a reason, which becomes a reply.
func (t *Thread) Resolve(ctx context.Context, id int64, reason string) error {
	c, err := t.find(ctx, id)
	switch {
	case err != nil:
		return err
	case c.Parent != 0:
		return core.Conflict("is_reply", "a reply is closed with the comment %d", c.Parent)
	}
	reasoned, err := t.mayResolve(ctx, &c)
	if err != nil {
		return err
	}
	switch {
	case c.ClosedIn != 0 && c.State() == discussion.CommentDeleted:
		return core.Conflict("deleted", "the comment was deleted")
	case c.ClosedIn != 0:
		return nil
	}
	if reasoned && words.Blank(reason) {
		return core.Invalid(core.FieldError{Location: "reason", Message: "is required, because you may not decide the step that waits for the comment"})
	}
	if !words.Blank(reason) {
		if err := t.explain(ctx, &c, reason); err != nil {
			return err
		}
	}
	c.ClosedIn, c.ResolvedBy, c.ResolvedAt = t.request.ID, t.actor.Ref(), t.at
	return t.stores.Comments.Update(ctx, t.request, &c, event.CommentResolved)
}

// Resolves returns core.KindForbidden unless the user may close a comment, or core.ErrNotFound.
func (t *Thread) Resolves(ctx context.Context, id int64) error {
	c, err := t.find(ctx, id)
	if err == nil {
		_, err = t.mayResolve(ctx, &c)
	}
	return err
}

// explain adds the reason why c is resolved as a reply to it.
func (t *Thread) explain(ctx context.Context, c *discussion.Comment, reason string) error {
	var found core.Faults
	reply, err := t.make(ctx, "", Input{Text: reason, Parent: c.ID}, []discussion.Comment{*c}, &found)
	if err != nil {
		return err
	}
	for i := range found.List {
		found.List[i].Location = "reason"
	}
	if err := found.Err(); err != nil {
		return err
	}
	return t.stores.Comments.Insert(ctx, t.request, reply)
}

var (
	errNotResolver = core.Forbidden("only the author and the reviewers of the request may resolve a comment")
	errNotDecider  = core.Forbidden("only the author and who may decide the step that waits for the comment may resolve it")
)

// mayResolve returns an error unless the user may close c, and whether only with a reason.
func (t *Thread) mayResolve(ctx context.Context, c *discussion.Comment) (reasoned bool, err error) {
	id := t.actor.UserID()
	switch {
	case id == c.By.ID:
		return false, nil
	case c.Must == 0 || !c.DeletedAt.IsZero(): // a deleted comment keeps no step
		if t.request.ReviewedBy(t.actor, t.project) && !slices.Contains(t.request.Barred(), id) {
			return false, nil
		}
		return false, errNotResolver
	}
	step := min(c.Must, len(t.request.Steps))
	if t.decides(step) {
		return false, nil
	}
	if !t.actor.RoleInProject(t.project).Includes(core.RoleAdmin) {
		return false, errNotDecider
	}
	if t.unreachable == nil {
		reviewers, err := t.stores.Grants.Reviewers(ctx, t.project.TenantID, t.project.DepartmentID, t.project.ID)
		if err != nil {
			return false, err
		}
		if t.unreachable = t.request.Deciders(reviewers).Unreachable; t.unreachable == nil {
			t.unreachable = map[int]bool{}
		}
	}
	if !t.unreachable[step] {
		return false, errNotDecider
	}
	return true, nil
}

// decides reports whether the user may decide the step now, or when the request waits at it.
func (t *Thread) decides(step int) bool {
	escalated := t.request.Escalated(step)
	return t.actor.User != nil && (review.MayActOn(t.actor, &t.request.Steps[step-1], t.project) || escalated != nil && review.MayActOn(t.actor, escalated, t.project)) &&
		t.request.Bars(t.actor.UserID(), step) == review.MayDecide
}

// must checks the step of c.
func (t *Thread) must(at string, c *discussion.Comment, found *core.Faults) {
	switch {
	case c.Must < 1 || c.Must > len(t.request.Steps):
		found.Add(at+"must", c.Must, "is not the stepId of a step of the request")
	case t.request.CurrentStep() == nil || t.request.Lacks(c.Must) == 0:
		found.Add(at+"must", c.Must, "is approved already")
	case !t.decides(c.Must):
		found.Add(at+"must", c.Must, "is a step that you may not decide")
	}
}
