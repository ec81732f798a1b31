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
	"imprimatur/core/schedule"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// readers is a fixture with notes that require articles, also inside of items.
type readers struct {
	*contenttest.Fixture

	articles, notes *core.Collection
}

func newReaders(t *testing.T) readers {
	t.Helper()
	d := contenttest.New(t)
	articles := d.Articles(t)
	lead := definition.FieldInput{Name: "lead", Type: core.TypeRelation, Collection: "articles", Required: true}
	component(t, d, "teaser", lead)
	return readers{d, articles, d.Collection(t, "notes", definition.FieldInput{Name: "title", Type: core.TypeText}, lead,
		definition.FieldInput{Name: "more", Type: core.TypeRelation, Collection: "articles", Multiple: true, Required: true, Min: new(2.0)},
		definition.FieldInput{Name: "other", Type: core.TypeRelation, Collection: "articles", Multiple: true, Min: new(2.0)},
		definition.FieldInput{Name: "body", Type: core.TypeBlocks, Components: []string{"teaser"}})}
}

// article creates an article.
func (d readers) article(t *testing.T, title string, public bool) *reading.Managed {
	t.Helper()
	return d.Create(t, d.articles, fmt.Sprintf(`{"title":%q}`, title), contenttest.Published(public))
}

func (d readers) publish(t *testing.T, m *reading.Managed) {
	t.Helper()
	_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{}, nil)
	require.NoError(t, err)
}

func (d readers) unpublish(t *testing.T, m *reading.Managed) {
	t.Helper()
	_, err := d.Writer.Unpublish(t.Context(), d.Actor, d.Ref(m), nil, "")
	require.NoError(t, err)
}

// What becomes public, or is submitted, has a public target in each required relation.
func TestRequiredRelationsNeedPublicTargets(t *testing.T) {
	t.Parallel()
	for _, gated := range []bool{false, true} {
		d := newReaders(t)
		open, shown := d.article(t, "Draft", false), d.article(t, "Shown", true)
		d.Govern(t, gated)
		values := fmt.Sprintf(`{"lead":%[1]d,"more":[%[2]d,%[1]d],"other":[%[1]d],"body":[{"_type":"teaser","_key":"k","lead":%[1]d}]}`, open.ID, shown.ID)
		want := map[string]string{}
		for _, at := range []string{"fields.lead", "fields.more[1]", "fields.body[0].lead"} {
			want[at] = fmt.Sprintf(`is not published yet: "Draft" (entry %d)`, open.ID)
		}
		draft := contenttest.WriteOf(t, values, incomplete)
		w, err := d.Writer.Create(t.Context(), d.Actor, d.Project, d.notes.ID, draft)
		require.NoError(t, err, "a draft may refer to drafts")
		m, err := d.Drafts.WithHidden().Written(t.Context(), w)
		require.NoError(t, err)
		shownOnes := shownFaults(m.Faults)
		require.Equal(t, "must have at least 2 values", shownOnes["fields.other"])
		delete(shownOnes, "fields.other")
		require.Equal(t, want, shownOnes)
		m = d.Update(t, m, `{"other":[]}`, incomplete)
		require.Len(t, m.Faults, len(want))

		tomorrow := contenttest.Day.Add(24 * time.Hour)
		for _, write := range []core.EntryWrite{
			contenttest.WriteOf(t, `{}`, contenttest.Published(true)), contenttest.WriteOf(t, `{"title":"B"}`, contenttest.Published(true), incomplete),
			contenttest.WriteOf(t, `{}`, contenttest.Published(true), contenttest.At(tomorrow)),
		} {
			_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, write)
			require.Equal(t, want, contenttest.FaultsOf(t, err))
		}
		_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, d.notes.ID, contenttest.WriteOf(t, values, contenttest.Published(true)))
		require.Equal(t, want["fields.lead"], contenttest.FaultsOf(t, err)["fields.lead"])
		for _, at := range []*time.Time{nil, &tomorrow} {
			_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{At: at}, nil)
			require.Equal(t, want, contenttest.FaultsOf(t, err))
		}
		require.Empty(t, d.Submitted(t))
		require.Empty(t, d.Scheduled(t))

		d.Govern(t, false)
		translation := d.Create(t, d.articles, `{"title":"Entwurf"}`, contenttest.In("de"), contenttest.Published(true), func(w *core.EntryWrite) { w.TranslationOf = &open.ID })
		require.Equal(t, reading.StatePublished, translation.State)
		d.Govern(t, gated)
		m, err = d.Drafts.Entry(t.Context(), d.Ref(m))
		require.NoError(t, err)
		require.Empty(t, m.Faults, "a public translation of the target counts")
		d.publish(t, m)
	}
}

// Tokens get no titles of drafts.
func TestUnpublishedTargetsAreNamed(t *testing.T) {
	t.Parallel()
	d := newReaders(t)
	open := d.article(t, "Draft", false)
	_, err := d.Writer.Create(t.Context(), core.Actor{Token: &core.Token{ID: 1, ProjectID: d.Project.ID}}, d.Project, d.notes.ID,
		contenttest.WriteOf(t, fmt.Sprintf(`{"lead":%[1]d,"more":[%[1]d]}`, open.ID), contenttest.Published(true)))
	require.Equal(t, fmt.Sprintf("is not published yet: entry %d", open.ID), contenttest.FaultsOf(t, err)["fields.lead"])
}

// Targets that are taken away later do not keep other fields from changing.
func TestWritesJudgeTheRelationsThatTheyName(t *testing.T) {
	t.Parallel()
	d := newReaders(t)
	one, two, open := d.article(t, "One", true), d.article(t, "Two", true), d.article(t, "Draft", false)
	m := d.Create(t, d.notes, fmt.Sprintf(`{"title":"A","lead":%d,"more":[%[1]d,%d]}`, one.ID, two.ID), contenttest.Published(true))
	d.unpublish(t, one)
	m = d.Update(t, m, `{"title":"B"}`)
	require.False(t, m.HasUnpublishedChanges)
	require.Contains(t, shownFaults(m.Faults), "fields.lead")
	for _, change := range []func(*core.EntryWrite){incomplete, func(*core.EntryWrite) {}} {
		_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, fmt.Sprintf(`{"lead":%d}`, open.ID), change))
		require.Equal(t, map[string]string{"fields.lead": fmt.Sprintf(`is not published yet: "Draft" (entry %d)`, open.ID)}, contenttest.FaultsOf(t, err))
	}
	require.True(t, d.Update(t, m, fmt.Sprintf(`{"lead":%d}`, open.ID), func(w *core.EntryWrite) { w.KeepPublished = true }).HasUnpublishedChanges)
}

// A scheduled draft is judged when it is scheduled and when a write names the relation, and not when it is due.
func TestScheduledDraftsAreJudgedBefore(t *testing.T) {
	t.Parallel()
	d := newReaders(t)
	one, two, open := d.article(t, "One", true), d.article(t, "Two", true), d.article(t, "Draft", false)
	m := d.Create(t, d.notes, fmt.Sprintf(`{"title":"A","lead":%d,"more":[%[1]d,%d]}`, one.ID, two.ID))
	d.Govern(t, false)
	tomorrow := contenttest.Day.Add(24 * time.Hour)
	require.NoError(t, d.Stores.Schedules.Schedule(t.Context(), schedule.Schedule{
		ProjectID: d.Project.ID, EntryID: m.ID, CollectionID: d.notes.ID, Action: schedule.Publish, DueAt: tomorrow, ScheduledBy: d.Actor.Ref(),
	}))
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, fmt.Sprintf(`{"lead":%d}`, open.ID), incomplete))
	require.Equal(t, map[string]string{"fields.lead": fmt.Sprintf(`is not published yet: "Draft" (entry %d)`, open.ID)}, contenttest.FaultsOf(t, err))
	d.unpublish(t, one)
	d.Update(t, m, `{"title":"B"}`, incomplete)
	require.NoError(t, d.PublishDraft(m.ID))
	require.NotNil(t, d.Entry(t, m.ID).Published)
}

// A published version whose required target is no longer public does not return from the trash.
func TestRestoredEntriesNeedPublicTargets(t *testing.T) {
	t.Parallel()
	d := newReaders(t)
	one, two := d.article(t, "One", true), d.article(t, "Two", true)
	m := d.Create(t, d.notes, fmt.Sprintf(`{"title":"A","lead":%d,"more":[%[1]d,%d]}`, one.ID, two.ID), contenttest.Published(true))
	trash(t, d.Fixture, m)
	d.unpublish(t, one)
	require.Equal(t, reading.StateDraft, d.Restore(t, m).State)
	d.publish(t, one)
	d.publish(t, m)
	trash(t, d.Fixture, m)
	require.Equal(t, reading.StatePublished, d.Restore(t, m).State)
}

// Entries without required relations cause no reads of targets, and the number of reads does not depend on that
// of targets.
func TestPublicTargetsAreReadAtOnce(t *testing.T) {
	t.Parallel()
	d := newReaders(t)
	var ids []int64
	for n := range 20 {
		ids = append(ids, d.article(t, fmt.Sprint("Article ", n), true).ID)
	}
	counted := &countingTx{Tx: d.Store}
	writer := writing.NewWriter(d.Stores, counted, d.Stores.Collections, d.Approval, d.Publisher, contenttest.Hasher{})
	_, err := writer.Create(t.Context(), d.Actor, d.Project, d.articles.ID, contenttest.WriteOf(t, `{"title":"Plain"}`, contenttest.Published(true)))
	require.NoError(t, err)
	require.Zero(t, counted.reads)
	_, err = writer.Create(t.Context(), d.Actor, d.Project, d.notes.ID,
		contenttest.WriteOf(t, fmt.Sprintf(`{"lead":%d,"more":%s}`, ids[0], core.ReferenceValue(&core.Field{Multiple: true}, ids)), contenttest.Published(true)))
	require.NoError(t, err)
	require.Equal(t, 1, counted.reads)
}

// countingTx counts the reads of targets.
type countingTx struct {
	ports.Tx

	reads int
}

func (c *countingTx) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return c.Tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		stores.Entries = countingEntries{stores.Entries, c}
		return do(ctx, stores)
	})
}

type countingEntries struct {
	ports.EntryStore

	tx *countingTx
}

func (c countingEntries) Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error) {
	c.tx.reads++
	return c.EntryStore.Translations(ctx, projectID, groups...)
}

func (c countingEntries) Serving(
	ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool,
) ([]core.Row, error) {
	c.tx.reads++
	return c.EntryStore.Serving(ctx, projectID, state, groups, mask, documents)
}
