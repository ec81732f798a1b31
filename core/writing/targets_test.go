package writing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/core/review"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// goneTargets are the faults of an entry of TestReferencesNeedTheirTargets whose targets are gone.
var goneTargets = map[string]string{
	"fields.cover": "is required", "fields.parent": "is required", "fields.related": "must have at least 2 values",
	"fields.secret": "is required", "fields.more": "is required",
}

// holder creates an entry with required references, and destroys their targets.
func holder(t *testing.T, d *contenttest.Fixture, change ...func(*core.EntryWrite)) *reading.Managed {
	t.Helper()
	articles := d.Articles(t)
	c := d.Collection(t, "holders",
		definition.FieldInput{Name: "title", Type: core.TypeText},
		definition.FieldInput{Name: "cover", Type: core.TypeMedia, Required: true},
		definition.FieldInput{Name: "parent", Type: core.TypeRelation, Collection: "articles", Required: true},
		definition.FieldInput{Name: "related", Type: core.TypeRelation, Collection: "articles", Multiple: true, Min: new(2.0)},
		definition.FieldInput{Name: "more", Type: core.TypeMedia, Multiple: true, Required: true, Min: new(2.0)},
		definition.FieldInput{Name: "secret", Type: core.TypeRelation, Collection: "articles", Required: true, Hidden: true},
		definition.FieldInput{Name: "optional", Type: core.TypeRelation, Collection: "articles"},
	)
	item := core.MediaItem{CreatedAt: contenttest.Day, UpdatedAt: contenttest.Day, ProjectID: d.Project.ID, FileName: "a.png"}
	require.NoError(t, d.Stores.Media.Insert(t.Context(), &item))
	other := core.MediaItem{CreatedAt: contenttest.Day, UpdatedAt: contenttest.Day, ProjectID: d.Project.ID, FileName: "b.png"}
	require.NoError(t, d.Stores.Media.Insert(t.Context(), &other))
	gone, stays := d.Create(t, articles, `{"title":"Gone"}`, contenttest.Published(true)), d.Create(t, articles, `{"title":"Stays"}`, contenttest.Published(true))
	m := d.Create(t, c, fmt.Sprintf(`{"title":"A","cover":%[1]d,"more":[%[1]d,%[2]d],"parent":%[3]d,"related":[%[3]d,%[4]d],"secret":%[3]d,"optional":%[3]d}`,
		item.ID, other.ID, gone.ID, stays.ID), change...)
	require.Empty(t, m.Faults)
	trash(t, d, gone)
	require.Equal(t, map[string]string{
		"fields.parent": `is not published yet: entry 1`, "fields.related[0]": `is not published yet: entry 1`,
	}, shownFaults(d.Update(t, m, `{}`).Faults), "an entry in the trash is a target that is not public")
	require.NoError(t, d.Writer.Destroy(t.Context(), d.Actor, review.EntryRef{Project: d.Project, CollectionID: articles.ID, ID: gone.ID}, nil, ""))
	for _, id := range []int64{item.ID, other.ID} {
		require.NoError(t, d.Stores.Media.Delete(t.Context(), d.Project.ID, id))
	}
	return m
}

// References without a target count as missing wherever a draft must be complete.
func TestReferencesNeedTheirTargets(t *testing.T) {
	t.Parallel()
	for _, gated := range []bool{false, true} {
		d := contenttest.New(t)
		m := holder(t, d)
		d.Govern(t, gated)
		m = d.Update(t, m, `{"title":"B"}`, incomplete)
		require.Equal(t, goneTargets, shownFaults(m.Faults))
		require.Contains(t, string(m.Fields), `"cover":null,"parent":null`)

		for _, write := range []core.EntryWrite{
			contenttest.WriteOf(t, `{"title":"C"}`), contenttest.WriteOf(t, `{"title":"C"}`, contenttest.Published(true)), contenttest.WriteOf(t, `{"title":"C"}`, contenttest.Published(true), incomplete),
			contenttest.WriteOf(t, `{}`, contenttest.Published(true), incomplete, contenttest.At(contenttest.Day.Add(time.Hour))),
		} {
			_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, write)
			require.Equal(t, goneTargets, contenttest.FaultsOf(t, err))
		}
		for _, when := range []*time.Time{nil, new(contenttest.Day.Add(time.Hour))} {
			_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{At: when}, nil)
			require.Equal(t, goneTargets, contenttest.FaultsOf(t, err))
		}
		require.Equal(t, goneTargets, contenttest.FaultsOf(t, d.PublishDraft(m.ID)))
		require.Empty(t, d.Submitted(t))
		require.Empty(t, d.Scheduled(t))
	}
}

// A write that goes live at once needs the targets, one that changes only the draft does not.
func TestWritesThatGoLiveNeedTargets(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := holder(t, d, contenttest.Published(true))
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":"B"}`, incomplete))
	require.Equal(t, goneTargets, contenttest.FaultsOf(t, err))
	d.Update(t, m, `{"title":"B"}`, incomplete, func(w *core.EntryWrite) { w.KeepPublished = true })
	require.Equal(t, reading.StateDraft, d.Update(t, m, `{}`, contenttest.Published(false)).State)
}

// Autosaves of drafts do not look for the targets of fields that they do not change.
func TestDraftsAreSavedWithoutALookForTargets(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := holder(t, d, contenttest.Published(true))
	d.Govern(t, true)
	writer := writing.NewWriter(d.Stores, noTargets{d.Store, t}, d.Stores.Collections, d.Approval, d.Publisher, contenttest.Hasher{})
	_, err := writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":"B"}`, incomplete))
	require.NoError(t, err)
}

// noTargets is a Tx that fails the test when a transaction reads the targets of relations.
type noTargets struct {
	ports.Tx
	t *testing.T
}

func (n noTargets) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return n.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Entries = unrelated{stores.Entries, n.t}
		return do(ctx, stores)
	})
}

type unrelated struct {
	ports.EntryStore
	t *testing.T
}

func (u unrelated) Translations(context.Context, int64, ...int64) ([]core.Entry, error) {
	u.t.Error("the transaction reads the targets of relations")
	return nil, nil
}

// A published version whose required targets were destroyed meanwhile does not return from the trash.
func TestRestoredEntriesNeedTheirTargets(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := holder(t, d, contenttest.Published(true))
	require.Equal(t, reading.StatePublished, m.State)
	trash(t, d, m)
	m = d.Restore(t, m)
	require.Equal(t, reading.StateDraft, m.State)
	require.Nil(t, d.Entry(t, m.ID).Published)
}
