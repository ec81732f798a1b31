package content_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/content"
)

// briefs creates a collection with every option that a draft may not meet.
func (d *writerFixture) briefs(t testing.TB) *core.Collection {
	t.Helper()
	return d.collection(t, "briefs",
		content.FieldInput{Name: "title", Type: core.TypeText, Required: true, Min: ptr(3.0), Max: ptr(8.0)},
		content.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true, Min: ptr(2.0)},
		content.FieldInput{Name: "code", Type: core.TypeText, Unique: true, Pattern: "[A-Z]+[0-9]*"},
		content.FieldInput{Name: "rank", Type: core.TypeNumber, Min: ptr(1.0), Max: ptr(5.0)},
		content.FieldInput{Name: "kind", Type: core.TypeEnumeration, Choices: []string{"news", "opinion"}},
		content.FieldInput{Name: "tags", Type: core.TypeText, Multiple: true, Required: true, Min: ptr(2.0), Max: ptr(3.0), Pattern: "[a-z]+"},
		content.FieldInput{Name: "pin", Type: core.TypePassword, Min: ptr(4.0)},
	)
}

// complete are fields of briefs that can be published.
const complete = `{"title":"Peace","tags":["a","b"]}`

// incomplete allows incomplete drafts.
func incomplete(w *content.Write) { w.AllowIncomplete = true }

func shownFaults(faults []content.Fault) map[string]string {
	found := map[string]string{}
	for _, f := range faults {
		found[f.Location] = f.Message
	}
	return found
}

func TestDraftsMayBeIncomplete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields  string
		refused map[string]string // nil: the draft is stored
		faults  map[string]string // of the stored draft
	}{
		"nothing": {`{}`, nil, map[string]string{"fields.title": "is required", "fields.tags": "is required"}},
		"all":     {complete, nil, map[string]string{}},
		"empty texts": {
			`{"title":"","tags":[],"code":""}`, nil,
			map[string]string{"fields.title": "is required", "fields.tags": "is required", "fields.code": "does not match the pattern [A-Z]+[0-9]*"},
		},
		"minima": {`{"title":"P","rank":0,"tags":["a"]}`, nil, map[string]string{
			"fields.title": "must have at least 3 characters", "fields.slug": "must have at least 2 characters",
			"fields.rank": "must be at least 1", "fields.tags": "must have at least 2 values",
		}},
		"patterns": {
			`{"title":"Peace","code":"x","tags":["a","B","C"]}`, nil,
			map[string]string{"fields.code": "does not match the pattern [A-Z]+[0-9]*", "fields.tags[1]": "does not match the pattern [a-z]+", "fields.tags[2]": "does not match the pattern [a-z]+"},
		},
		"maxima": {`{"title":"Peace at last","rank":6,"tags":["a","b","c","d"]}`, map[string]string{
			"fields.title": "must have at most 8 characters", "fields.rank": "must be at most 5", "fields.tags": "must have at most 3 values",
		}, nil},
		"types and names": {`{"title":1,"kind":"gossip","nme":1}`, map[string]string{
			"fields.title": "must be a string", "fields.kind": "must be one of: news, opinion", "fields.nme": "no such field",
		}, nil},
		"short password": {`{"pin":"abc"}`, map[string]string{"fields.pin": "must have at least 4 characters"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setupWriter(t)
			briefs := d.briefs(t)
			m, err := d.writer.Create(t.Context(), d.actor, d.project, briefs.ID, writeOf(t, c.fields, incomplete))
			if c.refused != nil {
				require.Equal(t, c.refused, faultsOf(t, err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.faults, shownFaults(m.Faults))
			require.NotNil(t, m.Faults)

			_, err = d.writer.Create(t.Context(), d.actor, d.project, d.otherBriefs(t).ID, writeOf(t, c.fields))
			if len(c.faults) == 0 {
				require.NoError(t, err)
			} else {
				require.Equal(t, c.faults, faultsOf(t, err))
			}
		})
	}
}

// otherBriefs changes to another project and returns its collection briefs.
func (d *writerFixture) otherBriefs(t testing.TB) *core.Collection {
	t.Helper()
	d.project = d.newProject(t, d.project.TenantID, "de")
	return d.briefs(t)
}

func TestUniqueValuesOfIncompleteDraftsAreTaken(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.briefs(t)
	d.create(t, c, `{"code":"x"}`, incomplete)
	_, err := d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"code":"x"}`, incomplete))
	require.Equal(t, map[string]string{"fields.code": "is taken by another entry"}, faultsOf(t, err))
}

func TestOneFieldOfAnIncompleteDraftCanBeChanged(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.create(t, d.briefs(t), `{"title":"P","code":"x"}`, incomplete)
	m = d.update(t, m, `{"rank":3}`, incomplete)
	want := map[string]string{
		"fields.title": "must have at least 3 characters", "fields.slug": "must have at least 2 characters",
		"fields.code": "does not match the pattern [A-Z]+[0-9]*", "fields.tags": "is required",
	}
	require.Equal(t, want, shownFaults(m.Faults))
	_, err := d.writer.Update(t.Context(), d.actor, d.project, m.CollectionID, m.ID, nil, writeOf(t, `{"rank":4}`))
	require.Equal(t, want, faultsOf(t, err))
	m = d.update(t, m, `{}`, published(false))
	require.Len(t, m.Faults, len(want))
}

// A write that unpublishes generates slugs like any other, so that a later write without fields
// changes nothing.
func TestUnpublishingWritesGenerateSlugs(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	m := d.create(t, d.articles(t), `{}`, incomplete)
	m = d.update(t, m, `{"title":"One title"}`, published(false))
	require.Equal(t, `"one-title"`, string(d.entry(t, m.ID).Draft.Value("slug")))
	require.Equal(t, m.Version, d.update(t, m, `{}`).Version)
}

// Each of these publishes or submits the draft, now or later, whatever the write allows.
func TestWhatIsPublishedIsComplete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gated bool
		write func(d *writerFixture, c *core.Collection, m *content.Managed) error
	}{
		"create": {false, func(d *writerFixture, c *core.Collection, _ *content.Managed) error {
			_, err := d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"rank":0}`, incomplete, published(true)))
			return err
		}},
		"submit": {true, func(d *writerFixture, c *core.Collection, _ *content.Managed) error {
			_, err := d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, `{"rank":0}`, incomplete, published(true)))
			return err
		}},
		"update": {false, func(d *writerFixture, c *core.Collection, m *content.Managed) error {
			_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"rank":0}`, incomplete, published(true)))
			return err
		}},
		"schedule": {false, func(d *writerFixture, c *core.Collection, m *content.Managed) error {
			_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil,
				writeOf(t, `{"rank":0}`, incomplete, published(true), at(day.Add(time.Hour))))
			return err
		}},
		"publish": {false, func(d *writerFixture, c *core.Collection, m *content.Managed) error {
			_, _, err := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, nil, core.Optional[time.Time]{}, nil)
			return err
		}},
		"publish later": {true, func(d *writerFixture, c *core.Collection, m *content.Managed) error {
			_, _, err := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, ptr(day.Add(time.Hour)), core.Optional[time.Time]{}, nil)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setupWriter(t)
			d.gate.gated = c.gated
			briefs := d.briefs(t)
			m := d.create(t, briefs, `{"rank":0}`, incomplete)
			require.Equal(t, map[string]string{
				"fields.title": "is required", "fields.rank": "must be at least 1", "fields.tags": "is required",
			}, faultsOf(t, c.write(d, briefs, m)))
			require.Equal(t, int64(1), d.entry(t, m.ID).Version)
			require.Empty(t, d.gate.submitted)
			require.Empty(t, d.gate.scheduled)
		})
	}
}

func TestAWriteThatGoesLiveIsComplete(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.briefs(t)
	m := d.create(t, c, complete, published(true))
	_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"title":"P"}`, incomplete))
	require.Equal(t, map[string]string{"fields.title": "must have at least 3 characters"}, faultsOf(t, err))

	d.gate.gated = true // the write changes the draft only
	m = d.update(t, m, `{"title":"P"}`, incomplete)
	require.True(t, m.HasUnpublishedChanges)
	require.Equal(t, map[string]string{"fields.title": "must have at least 3 characters"}, shownFaults(m.Faults))
}

// A scheduled draft is published at its time without another write.
func TestAScheduledDraftStaysComplete(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.briefs(t)
	m := d.create(t, c, complete)
	schedule := func(request int64) {
		require.NoError(t, d.stores.Schedules.Schedule(t.Context(), core.Schedule{
			Action: core.SchedulePublish, ProjectID: d.project.ID, CollectionID: c.ID, EntryID: m.ID, RequestID: request, DueAt: day.Add(time.Hour),
		}))
	}
	schedule(0)
	_, err := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, writeOf(t, `{"title":"P"}`, incomplete))
	require.Equal(t, map[string]string{"fields.title": "must have at least 3 characters"}, faultsOf(t, err))

	require.NoError(t, d.stores.Schedules.Cancel(t.Context(), d.project.ID, m.ID, core.SchedulePublish))
	schedule(9) // an approved request publishes its snapshot
	require.Len(t, d.update(t, m, `{"title":"P"}`, incomplete).Faults, 1)
}

// Options that change after a value was stored hold when the value is published.
func TestChangedOptionsHoldAtPublication(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.briefs(t)
	m := d.create(t, c, `{"title":"Peace","tags":["a","b"],"rank":5,"kind":"opinion"}`)
	for field, in := range map[string]content.FieldInput{
		"rank": {Max: ptr(4.0)}, "kind": {Choices: []string{"news"}}, "code": {Unique: true, Required: true},
	} {
		_, err := d.updateField(t, c.ID, field, in)
		require.NoError(t, err)
	}
	want := map[string]string{"fields.code": "is required", "fields.rank": "must be at most 4", "fields.kind": "must be one of: news"}
	m = d.update(t, m, `{"title":"Peaces"}`, incomplete)
	require.Equal(t, want, shownFaults(m.Faults))
	_, _, err := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, nil, core.Optional[time.Time]{}, nil)
	require.Equal(t, want, faultsOf(t, err))
}

// Any draft without faults can be published, and any other is refused with exactly its faults.
func TestFaultsAreWhatPreventsPublication(t *testing.T) {
	t.Parallel()
	d := setupWriter(t)
	c := d.briefs(t)
	choices := map[string][]string{
		"title": {`null`, `""`, `"P"`, `"Peace"`, `"Peaceful"`, `"Peace at last"`},
		"code":  {`null`, `""`, `"low"`, `"CODE%d"`, `"%d"`, `7`},
		"rank":  {`null`, `-1`, `0.5`, `1`, `5`},
		"kind":  {`null`, `"news"`, `"opinion"`},
		"tags":  {`null`, `[]`, `["a"]`, `["a","b"]`, `["a","B","c"]`, `["",""]`},
	}
	number := 0
	rapid.Check(t, func(rt *rapid.T) {
		var members []string
		for _, name := range []string{"title", "code", "rank", "kind", "tags"} {
			if rapid.Bool().Draw(rt, "has "+name) {
				number++
				value := rapid.SampledFrom(choices[name]).Draw(rt, name)
				members = append(members, fmt.Sprintf("%q:%s", name, strings.ReplaceAll(value, "%d", fmt.Sprint(number))))
			}
		}
		fields := "{" + strings.Join(members, ",") + "}"
		m, err := d.writer.Create(t.Context(), d.actor, d.project, c.ID, writeOf(t, fields, incomplete))
		if err != nil {
			require.ErrorIs(rt, err, core.ErrInvalid)
			return
		}
		write := writeOf(t, `{}`, published(true))
		write.AllowIncomplete = rapid.Bool().Draw(rt, "allowed")
		_, updateErr := d.writer.Update(t.Context(), d.actor, d.project, c.ID, m.ID, nil, write)
		_, _, publishErr := d.writer.Publish(t.Context(), d.actor, d.project, c.ID, m.ID, nil, core.Optional[time.Time]{}, nil)
		for _, err := range []error{updateErr, publishErr} {
			if len(m.Faults) == 0 {
				require.NoError(rt, err)
				continue
			}
			var fault *core.Error
			require.True(rt, errors.As(err, &fault), "%v", err)
			var found []content.Fault
			for _, f := range fault.Fields {
				found = append(found, content.Fault{Message: f.Message, Location: f.Location})
			}
			require.Equal(rt, m.Faults, found)
		}
	})
}
