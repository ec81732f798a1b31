package writing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/reading"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// revisions describes the revisions of an entry, the newest first: number, author, changed fields,
// C if it is closed and K if it is kept.
func revisions(t testing.TB, d *contenttest.Fixture, m *reading.Managed) []string {
	t.Helper()
	p, err := d.Drafts.Revisions(context.Background(), d.Ref(m), 1, 100)
	require.NoError(t, err)
	var lines []string
	for _, r := range p.Items {
		lines = append(lines, fmt.Sprint(r.Number, " ", r.By.Kind, r.By.ID, " ", r.Changed, map[bool]string{true: "C"}[r.Closed], map[bool]string{true: "K"}[r.Kept]))
	}
	return lines
}

func as(d *contenttest.Fixture, id int64) { d.Actor = core.Actor{User: &core.User{ID: id}} }

func noted(note string) func(*core.EntryWrite) {
	return func(w *core.EntryWrite) { w.Note = &note }
}

func TestWritesOfOnePersonShareARevision(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	d.Govern(t, true)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`)
	for range 3 {
		d.Clock.Time = d.Clock.Time.Add(10*time.Minute - time.Millisecond)
		d.Update(t, m, fmt.Sprintf(`{"views":%d}`, d.Clock.Time.Unix()))
	}
	require.Equal(t, []string{"1 user7 [title slug views]"}, revisions(t, d, m))
	d.Clock.Time = d.Clock.Time.Add(10 * time.Minute)
	d.Update(t, m, `{"pin":"1234","note":"x"}`) // secret
	require.Equal(t, []string{"2 user7 []", "1 user7 [title slug views]"}, revisions(t, d, m))
	as(d, 8)
	d.Update(t, m, `{"tags":["a"]}`)
	d.Update(t, m, `{"tags":["a"]}`)
	d.Update(t, m, `{"code":"B"}`, noted("checked"))
	d.Update(t, m, `{}`, noted("again"))
	require.Equal(t, []string{"4 user8 []C", "3 user8 [code tags]C", "2 user7 []", "1 user7 [title slug views]"}, revisions(t, d, m))
	d.Update(t, m, `{"code":"C"}`, contenttest.Published(true))
	d.Update(t, m, `{"code":"D"}`, contenttest.Published(true)) // a request is pending
	d.Update(t, m, `{"code":"E"}`)
	require.Equal(t, []string{"6 user8 [code]", "5 user8 [code]CK"}, revisions(t, d, m)[:2])
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{}`, noted(string(make([]byte, 201)))))
	require.Equal(t, map[string]string{"note": "must have at most 200 characters"}, contenttest.FaultsOf(t, err))
}

func TestLiveWritesAreRevisions(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`)
	d.Update(t, m, `{}`, contenttest.Published(true))
	d.Update(t, m, `{"title":"B"}`)
	d.Update(t, m, `{"title":"C"}`)
	require.Equal(t, []string{"3 user7 [title]CK", "2 user7 [title]CK", "1 user7 [title slug views]CK"}, revisions(t, d, m))
	e := d.Entry(t, m.ID)
	newest, err := core.DecodeRevision(e.Revision)
	require.NoError(t, err)
	require.Equal(t, e.PublishedHash, newest.ContentHash)
}

// noRevisions fails the test when a write uses the store of past revisions.
type noRevisions struct {
	ports.Tx
	t *testing.T
}

type noRevisionStore struct {
	ports.RevisionStore
}

func (x noRevisions) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return x.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Revisions = noRevisionStore{} // panics
		return do(ctx, stores)
	})
}

// The newest revision is stored with its entry: new entries and autosaves take no more statements.
func TestAutosavesUseNoPastRevisions(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	d.Update(t, d.Create(t, c, `{"title":"A"}`), `{"title":"B"}`, noted("n"))
	writer := writing.NewWriter(d.Stores, noRevisions{d.Store, t}, d.Stores.Collections, d.Approval, d.Publisher, contenttest.Hasher{})
	w, err := writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"A"}`))
	require.NoError(t, err)
	m := d.Show(t, w)
	for _, write := range []core.EntryWrite{contenttest.WriteOf(t, `{"title":"B"}`), contenttest.WriteOf(t, `{"title":"B"}`), contenttest.WriteOf(t, `{}`, contenttest.Published(true)), contenttest.WriteOf(t, `{}`, contenttest.Published(false))} {
		_, err = writer.Update(t.Context(), d.Actor, d.Ref(m), nil, write)
		require.NoError(t, err)
	}
}

// A restored revision keeps the present password and hidden value, which no comparison of revisions shows.
func TestRestoreKeepsSecrets(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	d.Govern(t, true)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A","note":"one","pin":"1"}`, noted("first"))
	d.Update(t, m, `{"title":"B","note":"two","pin":"2","slug":"b"}`)
	restored, err := d.Writer.RestoreRevision(t.Context(), d.Actor, d.Ref(m), 1, nil)
	require.NoError(t, err)
	require.Empty(t, restored.Dropped)
	require.NotNil(t, restored.Dropped)
	require.JSONEq(t, `{"title":"A","slug":"a","note":"two","pin":"hash of 2","views":10,"tags":[],"related":[]}`, d.Draft(t, m.ID))
	require.Equal(t, []string{"3 user7 [title slug]C", "2 user7 [title slug]", "1 user7 [title slug views]C"}, revisions(t, d, m))
	for _, r := range revisions(t, d, m) {
		require.NotContains(t, r, "pin")
	}
}
