package content_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/content"
	"imprimatur/ports"
)

// goneTargets are the faults of an entry of TestReferencesNeedTheirTargets whose targets are gone.
var goneTargets = map[string]string{
	"fields.cover": "is required", "fields.parent": "is required", "fields.related": "must have at least 2 values",
	"fields.secret": "is required", "fields.more": "is required",
}

// holder creates an entry with required references, and destroys their targets.
func (d *writerFixture) holder(t *testing.T, change ...func(*content.Write)) *content.Managed {
	t.Helper()
	articles := d.articles(t)
	c := d.collection(t, "holders",
		content.FieldInput{Name: "title", Type: core.TypeText},
		content.FieldInput{Name: "cover", Type: core.TypeMedia, Required: true},
		content.FieldInput{Name: "parent", Type: core.TypeRelation, Collection: "articles", Required: true},
		content.FieldInput{Name: "related", Type: core.TypeRelation, Collection: "articles", Multiple: true, Min: ptr(2.0)},
		content.FieldInput{Name: "more", Type: core.TypeMedia, Multiple: true, Required: true, Min: ptr(2.0)},
		content.FieldInput{Name: "secret", Type: core.TypeRelation, Collection: "articles", Required: true, Hidden: true},
		content.FieldInput{Name: "optional", Type: core.TypeRelation, Collection: "articles"},
	)
	item := core.MediaItem{ProjectID: d.project.ID, FileName: "a.png"}
	require.NoError(t, d.stores.Media.Insert(t.Context(), &item))
	other := core.MediaItem{ProjectID: d.project.ID, FileName: "b.png"}
	require.NoError(t, d.stores.Media.Insert(t.Context(), &other))
	gone, stays := d.create(t, articles, `{"title":"Gone"}`), d.create(t, articles, `{"title":"Stays"}`)
	m := d.create(t, c, fmt.Sprintf(`{"title":"A","cover":%[1]d,"more":[%[1]d,%[2]d],"parent":%[3]d,"related":[%[3]d,%[4]d],"secret":%[3]d,"optional":%[3]d}`,
		item.ID, other.ID, gone.ID, stays.ID), change...)
	require.Empty(t, m.Faults)
	trash(t, d, gone)
	require.Empty(t, d.update(t, m, `{}`).Faults, "an entry in the trash is a target")
	require.NoError(t, d.writer.Destroy(t.Context(), d.actor, d.project, articles.ID, gone.ID, nil))
	for _, id := range []int64{item.ID, other.ID} {
		require.NoError(t, d.stores.Media.Delete(t.Context(), d.project.ID, id))
	}
	return m
}

// References without a target count as missing wherever a draft must be complete.
func TestReferencesNeedTheirTargets(t *testing.T) {
	t.Parallel()
	for _, gated := range []bool{false, true} {
		d := setupWriter(t)
		m := d.holder(t)
		d.gate.gated = gated
		m = d.update(t, m, `{"title":"B"}`, incomplete)
		require.Equal(t, goneTargets, shownFaults(m.Faults))
		require.Contains(t, string(m.Fields), `"cover":null,"parent":null`)

		for _, write := range []content.Write{
			writeOf(t, `{"title":"C"}`), writeOf(t, `{"title":"C"}`, published(true)), writeOf(t, `{"title":"C"}`, published(true), incomplete),
			writeOf(t, `{}`, published(true), incomplete, at(day.Add(time.Hour))),
		} {
			_, err := d.writer.Update(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil, write)
			require.Equal(t, goneTargets, faultsOf(t, err))
		}
		for _, when := range []*time.Time{nil, ptr(day.Add(time.Hour))} {
			_, _, err := d.writer.Publish(t.Context(), d.actor, d.project, m.CollectionID, m.ID, when, core.Optional[time.Time]{}, nil)
			require.Equal(t, goneTargets, faultsOf(t, err))
		}
		require.Equal(t, goneTargets, faultsOf(t, d.store.Do(t.Context(), d.actor, func(ctx context.Context, stores ports.Stores) error {
			return content.NewReleaser(d.clock).ReleaseDraft(ctx, stores, d.project, m.ID, d.actor.Ref())
		})))
		require.Empty(t, d.gate.submitted)
		require.Empty(t, d.gate.scheduled)
	}
}

// A write that goes live at once needs the targets, one that changes only the draft does not.
func TestWritesThatGoLiveNeedTargets(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.holder(t, published(true))
	_, err := d.writer.Update(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil, writeOf(t, `{"title":"B"}`, incomplete))
	require.Equal(t, goneTargets, faultsOf(t, err))
	d.update(t, m, `{"title":"B"}`, incomplete, func(w *content.Write) { w.KeepPublished = true })
	require.Equal(t, content.StateDraft, d.update(t, m, `{}`, published(false)).State)
}

// Autosaves of drafts do not look for the targets of fields that they do not change.
func TestDraftsAreSavedWithoutALookForTargets(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.holder(t, published(true))
	d.gate.gated = true
	writer := content.NewWriter(d.stores, noTargets{d.store, t}, d.stores.Collections, d.gate, readableHasher{}, d.clock)
	_, err := writer.Update(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil, writeOf(t, `{"title":"B"}`, incomplete))
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
	d := setupWriter(t)
	m := d.holder(t, published(true))
	require.Equal(t, content.StatePublished, m.State)
	trash(t, d, m)
	m, err := d.writer.Restore(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil)
	require.NoError(t, err)
	require.Equal(t, content.StateDraft, m.State)
	require.Nil(t, d.entry(t, m.ID).Published)
}
