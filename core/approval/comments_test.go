package approval_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core/approval"
	"imprimatur/core/comments"
	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/review"
	"imprimatur/ports"
	"imprimatur/test/newsroom"
)

// say adds a comment as the named user.
func (r *fixture) say(name string, ref review.Subject, in comments.Input) (comments.Shown, error) {
	return r.Reviews.AddComment(r.Context(), r.Actor(name), ref, in)
}

func (r *fixture) comments(name string, ref review.Subject) []comments.Shown {
	r.t.Helper()
	found, err := r.Reviews.Comments(r.Context(), r.Actor(name), ref)
	require.NoError(r.t, err)
	return found
}

// discussed returns a newsroom with a submitted article that has texts, tags and a secret.
func discussed(t *testing.T) (*fixture, review.EntryRef) {
	t.Helper()
	r := gated(t)
	id := r.Create(newsroom.Article("Rain in May, rain in June", newsroom.Published(true), newsroom.Field("body", "<p>A <b>wet</b> May.</p><p>A wet June.</p>"))).ID
	return r, r.Ref(id)
}

func TestWhoComments(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	for name, want := range map[string]string{
		"editor": "ok", "viewer": "ok", "admin": "ok", "legal": "ok", "department": "ok", "super": "ok", "outsider": "not_found",
	} {
		_, err := r.say(name, ref, comments.Input{Text: "I see."})
		require.Equal(t, want, outcome(err), name)
	}
	_, err := r.Reviews.AddComment(r.Context(), r.Token(), ref, comments.Input{Text: "I see."})
	require.Equal(t, "not_found", outcome(err))
	require.Len(t, r.comments("viewer", ref), 6)
	_, err = r.Reviews.Comments(r.Context(), r.Actor("outsider"), ref)
	require.Equal(t, "not_found", outcome(err))
}

func TestPlacesOfComments(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	quote := func(text string, occurrence int) *discussion.Quote {
		return &discussion.Quote{Text: text, Occurrence: occurrence}
	}
	for name, c := range map[string]struct {
		in   comments.Input
		want string
	}{
		"the whole entry":             {comments.Input{}, "ok"},
		"a field":                     {comments.Input{Field: "title"}, "ok"},
		"a field without a value":     {comments.Input{Field: "code"}, "ok"},
		"no such field":               {comments.Input{Field: "nothing"}, "invalid field"},
		"a broken path":               {comments.Input{Field: "title["}, "invalid field"},
		"an end of a path":            {comments.Input{Field: "title."}, "invalid field"},
		"inside of a text":            {comments.Input{Field: "title.more"}, "invalid field"},
		"a secret field":              {comments.Input{Field: "note"}, "invalid field"},
		"no such item":                {comments.Input{Field: "title", Key: "k1"}, "invalid key"},
		"no such media":               {comments.Input{Field: "@media", Key: "7"}, "invalid field"},
		"a key without a field":       {comments.Input{Key: "k1"}, "invalid field"},
		"a quote without a field":     {comments.Input{Quote: quote("rain", 1)}, "invalid field"},
		"a quote":                     {comments.Input{Field: "title", Quote: quote("Rain", 1)}, "ok"},
		"a quote that is not there":   {comments.Input{Field: "title", Quote: quote("Snow", 1)}, "invalid quote"},
		"an occurrence too many":      {comments.Input{Field: "title", Quote: quote("Rain", 2)}, "invalid quote"},
		"the second occurrence":       {comments.Input{Field: "title", Quote: quote("ain in ", 2)}, "ok"},
		"no occurrence":               {comments.Input{Field: "title", Quote: quote("Rain", 0)}, "invalid quote.occurrence"},
		"an empty quote":              {comments.Input{Field: "title", Quote: quote("", 1)}, "invalid quote.text"},
		"a quote over markup":         {comments.Input{Field: "body", Quote: quote("A wet May", 1)}, "ok"},
		"a quote of the markup":       {comments.Input{Field: "body", Quote: quote("<b>", 1)}, "invalid quote"},
		"a replacement":               {comments.Input{Field: "title", Quote: quote("June", 1), Replace: ptr("July")}, "ok"},
		"a replacement in rich text":  {comments.Input{Field: "body", Quote: quote("wet", 2), Replace: ptr("dry")}, "ok"},
		"a replacement over markup":   {comments.Input{Field: "body", Quote: quote("A wet May", 1), Replace: ptr("")}, "invalid replace"},
		"a replacement of all":        {comments.Input{Field: "title", Replace: ptr("x")}, "invalid quote"},
		"a replacement of a number":   {comments.Input{Field: "tags", Quote: quote("1", 1), Replace: ptr("2")}, "invalid quote"},
		"a long replacement":          {comments.Input{Field: "title", Quote: quote("June", 1), Replace: ptr(strings.Repeat("é", 4001))}, "invalid replace"},
		"another entry":               {comments.Input{EntryID: ref.ID + 1}, "invalid entryId"},
		"a reply to nothing":          {comments.Input{Parent: 99}, "invalid parent"},
		"a field without its release": {comments.Input{EntryID: ref.ID, Field: "title"}, "ok"},
		"a text of 4,000 characters":  {comments.Input{Text: strings.Repeat("é", 4000)}, "ok"},
		"a text of 4,001 characters":  {comments.Input{Text: strings.Repeat("é", 4001)}, "invalid text"},
		"a blank text":                {comments.Input{Text: " \u200b\n"}, "invalid text"},
		"a text with U+0000":          {comments.Input{Text: "a\x00b"}, "invalid text"},
		"a user who sees it":          {comments.Input{Text: fmt.Sprintf("@[%d] please", r.IDs["viewer"])}, "ok"},
		"a user who does not see it":  {comments.Input{Text: fmt.Sprintf("@[%d] please", r.IDs["outsider"])}, "invalid text"},
		"an unknown user":             {comments.Input{Text: "@[999999] please"}, "invalid text"},
		"too many users":              {comments.Input{Text: many(21)}, "invalid text"},
		"an id larger than any":       {comments.Input{Text: "@[9999999999999999999]"}, "invalid text"},
	} {
		if c.in.Text == "" {
			c.in.Text = "Why?"
		}
		_, err := r.say("viewer", ref, c.in)
		require.Equal(t, c.want, outcome(err), name)
	}
}

// many returns a text that names n users.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "@[%d]", 1000+i)
	}
	return b.String()
}

func TestAuthorsEditAndDelete(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	c, err := r.say("viewer", ref, comments.Input{Text: "Ferst", Field: "title", Quote: &discussion.Quote{Text: "June", Occurrence: 1}, Replace: ptr("July")})
	require.NoError(t, err)
	require.True(t, c.CanEdit)
	hashed := func(c comments.Shown) string {
		sum := sha256.Sum256(append(append([]byte{}, c.Salt...), c.Text...))
		return hex.EncodeToString(sum[:])
	}
	require.Len(t, c.Salt, 16)
	require.Equal(t, hashed(c), c.Hash)
	edit := func(name, text string) (comments.Shown, error) {
		return r.Reviews.EditComment(r.Context(), r.Actor(name), ref, c.ID, text)
	}
	_, err = edit("admin", "Mine")
	require.Equal(t, "forbidden", outcome(err))
	_, err = edit("viewer", "")
	require.Equal(t, "invalid text", outcome(err))
	r.clock.pass(14*time.Minute + 59*time.Second)
	edited, err := edit("viewer", "First")
	require.NoError(t, err)
	require.Equal(t, []any{"First", 1, "Ferst", hashed(edited)}, []any{edited.Text, len(edited.Earlier), edited.Earlier[0].Text, edited.Hash})
	require.NotEqual(t, c.Hash, edited.Hash)
	r.clock.pass(time.Second)
	_, err = edit("viewer", "Too late")
	require.Equal(t, "too_late", outcome(err))
	require.False(t, r.comments("viewer", ref)[0].CanEdit)

	require.Equal(t, "forbidden", outcome(r.Reviews.DeleteComment(r.Context(), r.Actor("super"), ref, c.ID)))
	for range 2 { // the second one changes nothing
		require.NoError(t, r.Reviews.DeleteComment(r.Context(), r.Actor("viewer"), ref, c.ID))
	}
	left := r.comments("admin", ref)[0]
	require.Equal(t, []any{discussion.CommentDeleted, "", edited.Hash, 0, 0}, []any{left.State(), left.Text, left.Hash, len(left.Salt), len(left.Earlier)})
	require.Nil(t, left.Quote)
	require.Nil(t, left.Replace)
	_, err = edit("viewer", "Again")
	require.Equal(t, "deleted", outcome(err))
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("viewer"), ref, c.ID, "")
	require.Equal(t, "deleted", outcome(err))
	_, err = r.say("viewer", ref, comments.Input{Text: "Reply", Parent: c.ID})
	require.Equal(t, "invalid parent", outcome(err))
	require.Equal(t, "not_found", outcome(r.Reviews.DeleteComment(r.Context(), r.Actor("viewer"), ref, 999)))
}

func TestWhoResolves(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"viewer": "ok", "admin": "ok", "legal": "ok", "super": "ok", "department": "ok", // the author, and reviewers
		"editor": "forbidden", "outsider": "not_found",
	} {
		r, ref := discussed(t)
		c, err := r.say("viewer", ref, comments.Input{Text: "Why?"})
		require.NoError(t, err)
		reply, err := r.say("editor", ref, comments.Input{Text: "Because.", Parent: c.ID})
		require.NoError(t, err)
		resolve := func(id int64) (comments.Shown, error) {
			return r.Reviews.ResolveComment(r.Context(), r.Actor(name), ref, id, "")
		}
		closed, err := resolve(c.ID)
		require.Equal(t, want, outcome(err), name)
		if want != "ok" {
			continue
		}
		require.Equal(t, []any{discussion.CommentResolved, r.IDs[name]}, []any{closed.State(), closed.ResolvedBy.ID})
		_, err = resolve(c.ID)
		require.NoError(t, err)
		_, err = resolve(reply.ID)
		require.Equal(t, "is_reply", outcome(err))
	}
}

func TestOpenCommentsComeAlong(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	quote := &discussion.Quote{Text: "June", Occurrence: 1}
	place, err := r.say("admin", ref, comments.Input{Text: "Not July?", Field: "title", Quote: quote})
	require.NoError(t, err)
	closed, err := r.say("admin", ref, comments.Input{Text: "Typo"})
	require.NoError(t, err)
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, closed.ID, "")
	require.NoError(t, err)
	_, err = r.say("editor", ref, comments.Input{Text: "No.", Parent: place.ID})
	require.NoError(t, err)
	_, err = revise(r.Reviews, r, "admin", ref.ID, approval.Decision{Comment: "Please"})
	require.NoError(t, err)
	require.Len(t, r.comments("editor", ref), 3)
	_, err = r.say("admin", ref, comments.Input{Text: "After the end"})
	require.Equal(t, "not_open", outcome(err))

	r.Update(ref.ID, newsroom.Article("Rain in May, rain in July", newsroom.Published(true)))
	found := r.comments("editor", ref)
	require.Len(t, found, 2)
	require.Equal(t, []any{place.ID, true, "June", discussion.CommentOpen}, []any{found[0].ID, found[0].Outdated, found[0].Quote.Text, found[0].State()})
	_, err = r.say("editor", ref, comments.Input{Text: "Done.", Parent: place.ID})
	require.NoError(t, err)
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, place.ID, "")
	require.NoError(t, err)
	require.Len(t, r.comments("editor", ref), 3)
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, closed.ID, "")
	require.Equal(t, "not_found", outcome(err), "it was closed in an earlier round")
	_, err = revise(r.Reviews, r, "admin", ref.ID, approval.Decision{Comment: "Please"})
	require.NoError(t, err)
	r.Update(ref.ID, newsroom.Article("Rain in May", newsroom.Published(true)))
	require.Empty(t, r.comments("editor", ref))
}

// TestHiddenPassages hides a field after a comment on it.
func TestHiddenPassages(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	_, err := r.say("viewer", ref, comments.Input{Text: "Why?", Field: "title", Quote: &discussion.Quote{Text: "June", Occurrence: 1}, Replace: ptr("July")})
	require.NoError(t, err)
	hidden := *r.Articles
	hidden.Fields = nil
	for _, f := range r.Articles.Fields {
		next := *f
		next.Hidden = next.Hidden || next.Name == "title"
		hidden.Fields = append(hidden.Fields, &next)
	}
	hidden.Version++
	require.NoError(t, r.Stores.Collections.Update(r.Context(), &hidden))
	found := r.comments("editor", ref)
	require.Len(t, found, 1)
	require.Nil(t, found[0].Quote)
	require.Nil(t, found[0].Replace)
	require.Empty(t, found[0].Field)
	require.True(t, found[0].Outdated)
}

// A decision can bring comments when no others fit, and closed comments do not count.
func TestRoomForComments(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	current, err := r.Stores.Requests.EntryRequests(r.Context(), r.Project.ID, ref.ID, 1)
	require.NoError(t, err)
	fill := func(name string, n int) (last int64) {
		for range n {
			c := discussion.Comment{ProjectID: r.Project.ID, RequestID: current[0].ID, EntryID: ref.ID, Text: "x", At: noon, By: r.Actor(name).Ref()}
			require.NoError(t, r.Stores.Comments.Insert(r.Context(), &current[0], &c))
			last = c.ID
		}
		return last
	}
	say := func(name string) string {
		_, err := r.say(name, ref, comments.Input{Text: "One more"})
		return outcome(err)
	}
	last := fill("viewer", 499)
	require.Equal(t, []string{"ok", "too_many_comments"}, []string{say("viewer"), say("editor")})
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, last, "")
	require.NoError(t, err)
	require.Equal(t, []string{"ok", "too_many_comments"}, []string{say("editor"), say("editor")})

	brought := make([]comments.Input, 100)
	for i := range brought {
		brought[i].Text = "With the decision"
	}
	_, err = approve(r.Reviews, r, "admin", ref.ID, approval.Decision{Comments: brought})
	require.NoError(t, err)
	_, err = approve(r.Reviews, r, "legal", ref.ID, approval.Decision{Comments: brought[:1]})
	require.Equal(t, "too_many_comments", outcome(err))
}

func TestARequestHas2000CommentsWithClosedOnes(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	current, err := r.Stores.Requests.EntryRequests(r.Context(), r.Project.ID, ref.ID, 1)
	require.NoError(t, err)
	for range 1999 {
		c := discussion.Comment{ProjectID: r.Project.ID, RequestID: current[0].ID, EntryID: ref.ID, Text: "x", At: noon, By: r.Actor("viewer").Ref(), DeletedAt: noon}
		require.NoError(t, r.Stores.Comments.Insert(r.Context(), &current[0], &c))
	}
	_, err = r.say("editor", ref, comments.Input{Text: "The last one"})
	require.NoError(t, err)
	_, err = r.say("editor", ref, comments.Input{Text: "One more"})
	require.Equal(t, "too_many_comments", outcome(err))
	_, err = approve(r.Reviews, r, "admin", ref.ID, approval.Decision{Comments: []comments.Input{{Text: "With the decision"}}})
	require.NoError(t, err)
}

// Replies of others outlive a comment that its author deletes, and a comment that was resolved takes none.
func TestRepliesStayWithTheirComment(t *testing.T) {
	t.Parallel()
	r, ref := discussed(t)
	say := func(name string, in comments.Input) comments.Shown {
		said, err := r.say(name, ref, in)
		require.NoError(t, err)
		return said
	}
	again := func() {
		_, err := revise(r.Reviews, r, "admin", ref.ID, approval.Decision{Comment: "Please"})
		require.NoError(t, err)
		audit, err := r.Reviews.Audit(r.Context(), r.Actor("admin"), ref)
		require.NoError(t, err)
		require.Empty(t, audit.Faults)
		r.Update(ref.ID, newsroom.Article(fmt.Sprint("Rain again ", audit.Request.ID), newsroom.Published(true)))
	}
	list := func() (states []string) {
		states = []string{}
		for _, c := range r.comments("admin", ref) {
			states = append(states, fmt.Sprintf("%d %s", c.ID, c.State()))
		}
		return states
	}
	drop := func(name string, id int64) {
		require.NoError(t, r.Reviews.DeleteComment(r.Context(), r.Actor(name), ref, id))
	}

	closed := say("admin", comments.Input{Text: "Typo"})
	reply := say("editor", comments.Input{Text: "Mended.", Parent: closed.ID})
	_, err := r.Reviews.ResolveComment(r.Context(), r.Actor("admin"), ref, closed.ID, "")
	require.NoError(t, err)
	require.Equal(t, []string{fmt.Sprint(closed.ID, " resolved"), fmt.Sprint(reply.ID, " resolved")}, list())
	_, err = r.say("editor", ref, comments.Input{Text: "No, I object.", Parent: closed.ID})
	require.Equal(t, "invalid parent", outcome(err))

	root := say("admin", comments.Input{Text: "Wrong figure", Must: 1})
	first := say("editor", comments.Input{Text: "It is right.", Parent: root.ID})
	second := say("viewer", comments.Input{Text: "It is.", Parent: root.ID})
	drop("admin", root.ID)
	again()
	require.Equal(t, []string{fmt.Sprint(root.ID, " deleted"), fmt.Sprint(first.ID, " open"), fmt.Sprint(second.ID, " open")}, list())
	require.True(t, r.comments("legal", ref)[0].CanResolve)
	require.Equal(t, 1, r.Request(ref.ID).Request.OpenComments)
	drop("editor", first.ID)
	again()
	require.Equal(t, []string{fmt.Sprint(root.ID, " deleted"), fmt.Sprint(second.ID, " open")}, list())
	_, err = r.Reviews.ResolveComment(r.Context(), r.Actor("legal"), ref, root.ID, "")
	require.NoError(t, err)
	require.Equal(t, []string{fmt.Sprint(root.ID, " deleted"), fmt.Sprint(second.ID, " resolved")}, list())
	again()
	require.Empty(t, list())

	root = say("admin", comments.Input{Text: "And this?"})
	reply = say("admin", comments.Input{Text: "Or that?", Parent: root.ID})
	drop("admin", root.ID)
	drop("admin", reply.ID)
	again()
	require.Empty(t, list(), "nothing is left of them")
}

func TestADecisionBringsComments(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]decide{"approve": approve, "reject": reject, "revise": revise} {
		r, ref := discussed(t)
		in := approval.Decision{Comment: "See there", Comments: []comments.Input{{Text: "One"}, {Text: "Two", Field: "nothing"}}}
		_, err := decide(r.Reviews, r, "admin", ref.ID, in)
		require.Equal(t, "invalid comments[1].field", outcome(err), name)
		require.Equal(t, review.RequestPending, r.Request(ref.ID).Request.Status)
		require.Empty(t, r.comments("admin", ref))
		in.Comments[1].Field = "title"
		_, err = decide(r.Reviews, r, "editor", ref.ID, in)
		require.Equal(t, "forbidden", outcome(err))
		in.StepOrder = ptr(2)
		_, err = decide(r.Reviews, r, "admin", ref.ID, in)
		require.Equal(t, "stale_step", outcome(err))
		require.Empty(t, r.comments("admin", ref))
		in.StepOrder = nil
		_, err = decide(r.Reviews, r, "admin", ref.ID, in)
		require.NoError(t, err)
		require.Len(t, r.comments("admin", ref), 2)
		_, err = decide(r.Reviews, r, "admin", ref.ID, approval.Decision{Comments: make([]comments.Input, 101)})
		require.Error(t, err)
	}
	r, ref := discussed(t)
	_, err := approve(r.Reviews, r, "admin", ref.ID, approval.Decision{Comments: make([]comments.Input, 101)})
	require.Equal(t, "invalid comments", outcome(err))
}

func TestCommentsOnReleases(t *testing.T) {
	t.Parallel()
	r := submitRelease(t, time.Time{})
	for name, c := range map[string]struct {
		in   comments.Input
		want string
	}{
		"the release":                  {comments.Input{}, "ok"},
		"a member":                     {comments.Input{EntryID: r.shown}, "ok"},
		"a field of a member":          {comments.Input{EntryID: r.shown, Field: "title", Quote: &discussion.Quote{Text: "shown", Occurrence: 1}}, "ok"},
		"a member that goes offline":   {comments.Input{EntryID: r.hidden}, "ok"},
		"a field of what goes offline": {comments.Input{EntryID: r.hidden, Field: "title", Quote: &discussion.Quote{Text: "hidden", Occurrence: 1}}, "invalid quote"},
		"an entry that is no member":   {comments.Input{EntryID: r.hidden + 99}, "invalid entryId"},
		"a field without a member":     {comments.Input{Field: "title"}, "invalid entryId"},
	} {
		c.in.Text = "Why?"
		_, err := r.say("viewer", r.ref, c.in)
		require.Equal(t, c.want, outcome(err), name)
	}
	found := r.comments("viewer", r.ref)
	require.Len(t, found, 4)
	_, err := r.Reviews.Comments(r.Context(), r.Actor("viewer"), r.Ref(r.shown))
	require.Equal(t, "not_found", outcome(err), "the entry has no request of its own")
	require.NoError(t, r.Reviews.DeleteComment(r.Context(), r.Actor("viewer"), r.ref, found[0].ID))
	events, err := r.Stores.Events.Events(r.Context(), ports.EventQuery{ProjectID: r.Project.ID, Newest: true, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, []any{event.CommentDeleted, found[0].ID, r.ref.ID}, []any{events[0].Type, events[0].SubjectID, events[0].ReleaseID})
}
