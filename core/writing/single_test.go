package writing_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/test/contenttest"
)

var errSingleton = &core.Error{Kind: core.KindConflict, Code: "singleton", Message: "any"}

func TestSingletonHoldsOneTranslationGroup(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newSingleton(t, d)
	require.True(t, c.Singleton)
	create := func(change string) error {
		_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, change))
		return err
	}
	one := d.Create(t, c, `{"title":"One"}`)
	d.Create(t, c, `{"title":"Eins"}`, contenttest.In("de"), contenttest.Of(one.ID))
	require.ErrorIs(t, create(`{"title":"Two"}`), errSingleton)
	d.Update(t, one, `{"title":"First"}`)

	german, err := d.Drafts.Translations(t.Context(), d.Ref(one), "")
	require.NoError(t, err)
	require.Len(t, german, 2)
	for i := range german {
		_, err := d.Writer.Trash(t.Context(), d.Actor, d.Ref(&german[i]), nil, "")
		require.NoError(t, err)
	}
	two := d.Create(t, c, `{"title":"Two"}`)
	_, err = d.Writer.Restore(t.Context(), d.Actor, d.Ref(one), nil)
	require.ErrorIs(t, err, errSingleton)
	require.False(t, d.Entry(t, one.ID).TrashedAt.IsZero())

	_, err = d.Writer.Trash(t.Context(), d.Actor, d.Ref(two), nil, "")
	require.NoError(t, err)
	d.Restore(t, &german[0])
	d.Restore(t, &german[1])
}

func TestCollectionBecomesASingletonWithAtMostOneGroup(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := d.Articles(t)
	set := func(singleton bool) error {
		_, err := d.Collections.Update(t.Context(), d.Change(c.ID), func(in *definition.CollectionInput) { in.Singleton = singleton }, nil)
		return err
	}
	one, two := d.Create(t, c, `{"title":"One"}`), d.Create(t, c, `{"title":"Two"}`)
	d.Create(t, c, `{"title":"Eins"}`, contenttest.In("de"), contenttest.Of(one.ID))
	_, err := d.Writer.Trash(t.Context(), d.Actor, d.Ref(two), nil, "")
	require.NoError(t, err)
	require.ErrorIs(t, set(true), errSingleton, "the trash counts")

	require.NoError(t, d.Writer.Destroy(t.Context(), d.Actor, d.Ref(two), nil, ""))
	require.NoError(t, set(true))
	_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"Three"}`))
	require.ErrorIs(t, err, errSingleton)

	require.NoError(t, set(false))
	d.Create(t, c, `{"title":"Three"}`)
}

func TestConcurrentCreationsLeaveASingletonOneEntry(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := newSingleton(t, d)
	var all sync.WaitGroup
	var created, refused atomic.Int32
	for range 4 {
		all.Go(func() {
			_, err := d.Writer.Create(context.Background(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"title":"A"}`))
			switch {
			case err == nil:
				created.Add(1)
			case errors.Is(err, errSingleton):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, []int32{1, 3}, []int32{created.Load(), refused.Load()})
}

func newSingleton(t *testing.T, d *contenttest.Fixture) *core.Collection {
	t.Helper()
	c, err := d.Collections.Create(t.Context(), core.SystemActor, d.Project, definition.CollectionInput{
		Slug: "home", Name: "Home", Singleton: true, Fields: []definition.FieldInput{{Name: "title", Type: core.TypeText}},
	})
	require.NoError(t, err)
	return c
}
