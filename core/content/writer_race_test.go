package content_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/content"
	"imprimatur/ports"
)

func TestIfMatchComparesTheVersion(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`)
	stale, current := m.Version-1, m.Version

	for name, write := range map[string]func(ifMatch *int64) error{
		"update": func(v *int64) error {
			_, err := d.writer.Update(context.Background(), d.actor, d.project, c.ID, m.ID, v, writeOf(t, `{"views":1}`))
			return err
		},
		"publish": func(v *int64) error {
			_, _, err := d.writer.Publish(context.Background(), d.actor, d.project, c.ID, m.ID, nil, core.Optional[time.Time]{}, v)
			return err
		},
		"unpublish": func(v *int64) error {
			_, err := d.writer.Unpublish(context.Background(), d.actor, d.project, c.ID, m.ID, v)
			return err
		},
		"trash": func(v *int64) error {
			_, err := d.writer.Trash(context.Background(), d.actor, d.project, c.ID, m.ID, v)
			return err
		},
		"restore": func(v *int64) error {
			_, err := d.writer.Restore(context.Background(), d.actor, d.project, c.ID, m.ID, v)
			return err
		},
		"destroy": func(v *int64) error {
			return d.writer.Destroy(context.Background(), d.actor, d.project, c.ID, m.ID, v)
		},
	} {
		require.ErrorIs(t, write(&stale), core.ErrPrecondition, name)
	}
	_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, &current, writeOf(t, `{"views":1}`))
	require.NoError(t, err)
	require.Equal(t, current+1, d.entry(t, m.ID).Version)
}

// rivalTx is a database in which another writer wins once, after a transaction has read and
// before it writes. loss is the way in which the race is lost.
type rivalTx struct {
	ports.Tx
	loss string
	lost atomic.Bool
}

func (r *rivalTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return r.Tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		stores.Entries = &rivalEntries{EntryStore: stores.Entries, rivalTx: r}
		return do(ctx, stores)
	})
}

func (r *rivalTx) loses(how string) bool { return r.loss == how && r.lost.CompareAndSwap(false, true) }

type rivalEntries struct {
	ports.EntryStore
	*rivalTx
}

func (r *rivalEntries) Update(ctx context.Context, schema core.Schema, e *core.Entry) error {
	if r.loses("update") {
		return core.Conflict("any", "another one was first")
	}
	return r.EntryStore.Update(ctx, schema, e)
}

func (r *rivalEntries) Insert(ctx context.Context, schema core.Schema, e *core.Entry) error {
	if r.loses("insert") {
		return core.Invalid(core.FieldError{Location: "fields.slug", Message: "is taken"})
	}
	return r.EntryStore.Insert(ctx, schema, e)
}

func TestLostRaceIsRetried(t *testing.T) {
	t.Parallel()
	for _, loss := range []string{"update", "insert"} {
		t.Run(loss, func(t *testing.T) {
			t.Parallel()
			d := setupWriter(t)
			c := d.articles(t)
			tx := &rivalTx{Tx: d.store, loss: loss}
			writer := content.NewWriter(d.stores, tx, d.stores.Collections, d.gate, readableHasher{}, d.clock)

			m, err := writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"A"}`))
			require.NoError(t, err)
			m, err = writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"views":1}`))
			require.NoError(t, err)
			require.Equal(t, int64(2), m.Version)
			require.True(t, tx.lost.Load())
		})
	}
}

func TestLostRaceForAGivenSlugIsReported(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	writer := content.NewWriter(d.stores, &rivalTx{Tx: d.store, loss: "insert"}, d.stores.Collections, d.gate, readableHasher{}, d.clock)
	_, err := writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"title":"A","slug":"chosen"}`))
	require.Equal(t, map[string]string{"fields.slug": "is taken"}, faultsOf(t, err))
}

func TestConcurrentUpdatesAreNotLost(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.articles(t)
	m := d.create(t, c, `{"title":"A"}`)
	names := []string{"code", "views", "tags", "note", "pin", "title"}
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			value := json.RawMessage(`"v"`)
			switch name {
			case "views":
				value = json.RawMessage(fmt.Sprint(i))
			case "tags":
				value = json.RawMessage(`["v"]`)
			}
			_, err := d.writer.Update(context.Background(), d.actor, d.project, c.ID, m.ID, nil,
				content.Write{Fields: map[string]json.RawMessage{name: value}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, `{"code":"v","note":"v","pin":"hash of v","related":[],"slug":"a","tags":["v"],"title":"v","views":1}`, d.draft(t, m.ID))
	require.Equal(t, int64(1+len(names)), d.entry(t, m.ID).Version)
}
