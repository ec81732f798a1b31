package writing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

func TestIfMatchComparesTheVersion(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`)
	stale, current := core.EntryTag{Version: m.Version - 1}, core.EntryTag{Version: m.Version}

	for name, write := range map[string]func(ifMatch *core.EntryTag) error{
		"update": func(v *core.EntryTag) error {
			_, err := d.Writer.Update(context.Background(), d.Actor, d.Ref(m), v, contenttest.WriteOf(t, `{"views":1}`))
			return err
		},
		"publish": func(v *core.EntryTag) error {
			_, err := d.Writer.Publish(context.Background(), d.Actor, d.Ref(m), writing.Publication{}, v)
			return err
		},
		"unpublish": func(v *core.EntryTag) error {
			_, err := d.Writer.Unpublish(context.Background(), d.Actor, d.Ref(m), v, "")
			return err
		},
		"trash": func(v *core.EntryTag) error {
			_, err := d.Writer.Trash(context.Background(), d.Actor, d.Ref(m), v, "")
			return err
		},
		"restore": func(v *core.EntryTag) error {
			_, err := d.Writer.Restore(context.Background(), d.Actor, d.Ref(m), v)
			return err
		},
		"destroy": func(v *core.EntryTag) error {
			return d.Writer.Destroy(context.Background(), d.Actor, d.Ref(m), v, "")
		},
	} {
		require.ErrorIs(t, write(&stale), core.ErrPrecondition, name)
	}
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), &current, contenttest.WriteOf(t, `{"views":1}`))
	require.NoError(t, err)
	require.Equal(t, current.Version+1, d.Entry(t, m.ID).Version)
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
			d := contenttest.New(t)
			c := d.Articles(t)
			tx := &rivalTx{Tx: d.Store, loss: loss}
			writer := writing.NewWriter(d.Stores, tx, d.Stores.Collections, d.Approval, d.Publisher, contenttest.Hasher{})

			m, err := writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"A"}`))
			require.NoError(t, err)
			m, err = writer.Update(t.Context(), d.Actor, d.Ref(d.Show(t, m)), nil, contenttest.WriteOf(t, `{"views":1}`))
			require.NoError(t, err)
			require.Equal(t, int64(2), m.Version)
			require.True(t, tx.lost.Load())
		})
	}
}

func TestLostRaceForAGivenSlugIsReported(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	writer := writing.NewWriter(d.Stores, &rivalTx{Tx: d.Store, loss: "insert"}, d.Stores.Collections, d.Approval, d.Publisher, contenttest.Hasher{})
	_, err := writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"A","slug":"chosen"}`))
	require.Equal(t, map[string]string{"fields.slug": "is taken"}, contenttest.FaultsOf(t, err))
}

func TestConcurrentUpdatesAreNotLost(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	m := d.Create(t, c, `{"title":"A"}`)
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
			_, err := d.Writer.Update(context.Background(), d.Actor, d.Ref(m), nil,
				core.EntryWrite{Fields: core.WrittenFields{Raw: map[string]json.RawMessage{name: value}}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, `{"code":"v","note":"v","pin":"hash of v","related":[],"slug":"a","tags":["v"],"title":"v","views":1}`, d.Draft(t, m.ID))
	require.Equal(t, int64(1+len(names)), d.Entry(t, m.ID).Version)
}
