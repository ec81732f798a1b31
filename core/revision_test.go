package core_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"imprimatur/core"
)

func TestRevisionIsExtended(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	ada, token := core.ActorRef{Kind: "user", ID: 7, Name: "Ada"}, core.ActorRef{Kind: "token", ID: 7, Name: "CI"}
	for name, test := range map[string]struct {
		by     core.ActorRef
		after  time.Duration
		closed bool
		want   bool
	}{
		"by its author at once":                    {by: ada, want: true},
		"by its author in time":                    {by: ada, after: 10*time.Minute - time.Millisecond, want: true},
		"by its author late":                       {by: ada, after: 10 * time.Minute},
		"by its author under another name":         {by: core.ActorRef{Kind: "user", ID: 7, Name: "Ada L."}, want: true},
		"by its author, on a clock that is behind": {by: ada, after: -time.Hour, want: true},
		"by another user":                          {by: core.ActorRef{Kind: "user", ID: 8, Name: "Ada"}},
		"by a token with the same id":              {by: token},
		"by its author, when it is closed":         {by: ada, closed: true},
	} {
		r := core.RevisionRecord{By: ada, CreatedAt: core.InstantOf(start.Add(-time.Hour)), UpdatedAt: core.InstantOf(start), Closed: test.closed}
		if got := r.Extends(test.by, start.Add(test.after)); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRevisionIsStoredWhole(t *testing.T) {
	t.Parallel()
	for _, r := range []core.RevisionRecord{
		{Number: 1, By: core.ActorRef{Kind: "system", Name: "system"}},
		{
			Number: 9, ContentHash: "ab", Changed: []string{"title"}, Note: "a <b> & \u2028", CreatedAt: 5, UpdatedAt: 6,
			By: core.ActorRef{Kind: "token", ID: 3, Name: "CI", MadeBy: 4}, Closed: true, Kept: true,
			Media: []byte(`{"7":{"caption":"<i>"}}`), Undo: core.Delta{{From: 0, Length: 4}, {Text: `"<p>ü`}, {From: 9, Length: 2}},
		},
	} {
		back, err := core.DecodeRevision(r.Encode())
		if err != nil || fmt.Sprintf("%+v", back) != fmt.Sprintf("%+v", r) {
			t.Errorf("%s became %+v, %v", r.Encode(), back, err)
		}
	}
	if stored := (&core.RevisionRecord{Undo: core.Delta{{Text: "<p>"}}}).Encode(); !strings.Contains(string(stored), `"undo":["<p>"]`) {
		t.Errorf("stored as %s", stored)
	}
}

func TestContentHasNoPasswords(t *testing.T) {
	t.Parallel()
	c := &core.Collection{
		Fields:  []*core.Field{{Name: "note", Type: core.TypeText, Hidden: true}, {Name: "pin", Type: core.TypePassword}},
		Removed: []*core.Field{{Name: "old", Type: core.TypePassword}, {Name: "gone", Type: core.TypeText}},
	}
	draft := core.Document(`{"gone":"a","note":"b","old":"c","pin":"d"}`)
	if got := c.RevisionContent(draft, nil); string(got) != `{"fields":{"gone":"a","note":"b"}}` {
		t.Errorf("content %s", got)
	}
	if got := c.RevisionContent(draft, core.Document(`{"7":{}}`)); string(got) != `{"fields":{"gone":"a","note":"b"},"media":{"7":{}}}` {
		t.Errorf("content %s", got)
	}
}

func TestChangedFields(t *testing.T) {
	t.Parallel()
	c := &core.Collection{Fields: []*core.Field{{Name: "title"}, {Name: "body"}, {Name: "tags"}}}
	got := c.ChangedFields(core.Document(`{"body":"a","gone":1,"tags":[]}`), core.Document(`{"body":"b","gone":2,"title":"c"}`))
	if fmt.Sprint(got) != "[title body]" {
		t.Errorf("changed %v", got)
	}
}

// texts draws UTF-8 texts from a few words, so that they have parts in common.
var texts = rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{
	"a", "é", "🙂", "the harbour at dawn, ", "während der Überfahrt ", "日本語の文章", `"},{"`, "aaaaaaaaaaaaaaaaaaaaaa",
}), 0, 40), func(words []string) []byte { return []byte(strings.Join(words, "")) })

func TestDeltasRestoreTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := texts.Draw(t, "a"), texts.Draw(t, "b"), texts.Draw(t, "c")
		ab, bc := core.NewDelta(a, b), core.NewDelta(b, c)
		for _, test := range []struct {
			delta core.Delta
			want  []byte
		}{{ab, b}, {ab.Then(bc), c}} {
			got, err := test.delta.Apply(a)
			if err != nil || !bytes.Equal(got, test.want) {
				t.Fatalf("%v on %q gives %q, %v; want %q", test.delta, a, got, err, test.want)
			}
			for _, p := range test.delta {
				if !utf8.ValidString(p.Text) {
					t.Fatalf("%q divides a character", p.Text)
				}
			}
		}
	})
}

func TestDeltaOfAnotherBase(t *testing.T) {
	t.Parallel()
	for _, d := range []core.Delta{{{From: 0, Length: 9}}, {{From: -1, Length: 2}}, {{From: 2, Length: -1}}, {{From: 1 << 62, Length: 1 << 62}}} {
		if _, err := d.Apply([]byte("short")); err == nil {
			t.Errorf("%v fits", d)
		}
	}
}

// TestTenRevisionsAreSmall makes ten typical edits of an article of 1 kB, in the body, the title
// and the summary.
func TestTenRevisionsAreSmall(t *testing.T) {
	t.Parallel()
	sentences := strings.Split("The ferry left the harbour at dawn with twelve passengers on board. No one expected the wind to turn so early in the season. "+
		"The captain had sailed this route for thirty years and knew every current. By noon the coast guard had received two calls. "+
		"Rescue boats reached the island shortly after three in the afternoon. All passengers were brought to the village hall, where the mayor met them. "+
		"An inquiry will establish why the engine failed. The company has suspended the service until further notice. "+
		"Residents depend on the ferry for food and medicine, and ask for a replacement. The ministry promised an answer within a week. ", ". ")
	article := func(title string, sentences []string) core.Document {
		text := strings.Join(sentences, ". ")
		return core.Document(`{"fields":{"body":"<p>` + text + `</p>","category":"world","summary":"` + sentences[0] + `","title":"` + title + `"}}`)
	}
	size, content := 0, article("Ferry", sentences)
	previous := content
	for n := range 9 {
		sentences[n%len(sentences)] += fmt.Sprintf(", according to source %d", n)
		title := "Ferry"
		if n > 4 {
			title = "Ferry service suspended"
		}
		content = article(title, sentences)
		undo := core.RevisionRecord{Undo: core.NewDelta(content, previous)}
		bare := core.RevisionRecord{}
		size += len(undo.Encode()) - len(bare.Encode())
		previous = content
	}
	t.Logf("an article of %d bytes has 10 revisions of %d bytes", len(content), len(content)+size)
	if size += len(content); size > len(content)*3/2 {
		t.Errorf("10 revisions of an article of %d bytes take %d", len(content), size)
	}
}

// TestPruning removes revisions of a chain, and reads the others.
func TestPruning(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []core.Revision
		contents := map[int64][]byte{}
		content := []byte(nil)
		for n := range int64(rapid.IntRange(1, 8).Draw(t, "revisions")) {
			next := texts.Draw(t, "content")
			r := core.RevisionRecord{Number: n + 1, Kept: rapid.Bool().Draw(t, "kept"), Undo: core.NewDelta(next, content)}
			all, content = append(all, core.Revision{RevisionRecord: r}), next
			contents[r.Number] = next
		}
		last := int64(len(all))
		for range 2 { // a second time with another limit
			through := rapid.Int64Range(0, last-1).Draw(t, "through")
			changed, removed := core.PruneRevisions(all, through)
			var left []core.Revision
			for _, r := range all {
				for _, c := range changed {
					if c.Number == r.Number {
						r = c
					}
				}
				gone := false
				for _, n := range removed {
					gone = gone || n == r.Number
				}
				if gone != (r.Number <= through && !r.Kept) {
					t.Fatalf("through %d: %d is removed: %v", through, r.Number, gone)
				}
				if !gone {
					left = append(left, r)
				}
			}
			got := contents[last]
			for i := len(left) - 1; i >= 0; i-- {
				if !bytes.Equal(got, contents[left[i].Number]) {
					t.Fatalf("revision %d is %q, want %q", left[i].Number, got, contents[left[i].Number])
				}
				if i > 0 {
					var err error
					if got, err = left[i].Undo.Apply(got); err != nil {
						t.Fatal(err)
					}
				}
			}
			all = left
		}
	})
}

// TestContributors makes writes, submissions and publications, and follows the contributors of the
// newest revision.
func TestContributors(t *testing.T) {
	t.Parallel()
	ada, ben := core.ActorRef{Kind: "user", ID: 7, Name: "Ada"}, core.ActorRef{Kind: "user", ID: 8, Name: "Ben"}
	token := core.ActorRef{Kind: "token", ID: 7, Name: "CI", MadeBy: 9}
	r := core.RevisionRecord{Number: 1}
	want := func(refs ...core.ActorRef) {
		t.Helper()
		got, err := core.ContributorsOf(r.Encode())
		if err != nil || fmt.Sprint(got) != fmt.Sprint(append([]core.ActorRef{}, refs...)) {
			t.Errorf("contributors %v, %v; want %v", got, err, refs)
		}
	}
	r.Contribute(ada)
	r.Contribute(core.ActorRef{Kind: "system", Name: "system"})
	r.Contribute(core.ActorRef{Kind: "token", ID: 3, Name: "of a command"})
	want(ada)
	r.Number = 2
	r.Contribute(token)
	r.Number = 3
	r.Contribute(core.ActorRef{Kind: "user", ID: 7, Name: "Ada L."})
	r.Contribute(ben)
	want(core.ActorRef{Kind: "user", ID: 7, Name: "Ada L."}, token, ben)
	r.Release(2)
	want(core.ActorRef{Kind: "user", ID: 7, Name: "Ada L."}, ben)
	r.Release(3)
	want()
	if got, err := core.ContributorsOf(nil); err != nil || got == nil || len(got) > 0 {
		t.Errorf("without a revision: %v, %v", got, err)
	}
}
