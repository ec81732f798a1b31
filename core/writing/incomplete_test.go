package writing_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/reading"
	"imprimatur/core/schedule"
	"imprimatur/core/writing"
	"imprimatur/test/contenttest"
)

// briefs creates a collection with every option that a draft may not meet.
func briefs(t testing.TB, d *contenttest.Fixture) *core.Collection {
	t.Helper()
	return d.Collection(t, "briefs",
		definition.FieldInput{Name: "title", Type: core.TypeText, Required: true, Min: new(3.0), Max: new(8.0)},
		definition.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true, Min: new(2.0)},
		definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true, Pattern: "[A-Z]+[0-9]*"},
		definition.FieldInput{Name: "rank", Type: core.TypeNumber, Min: new(1.0), Max: new(5.0)},
		definition.FieldInput{Name: "kind", Type: core.TypeEnumeration, Choices: []string{"news", "opinion"}},
		definition.FieldInput{Name: "tags", Type: core.TypeText, Multiple: true, Required: true, Min: new(2.0), Max: new(3.0), Pattern: "[a-z]+"},
		definition.FieldInput{Name: "pin", Type: core.TypePassword, Min: new(4.0)},
	)
}

// complete are fields of briefs that can be published.
const complete = `{"title":"Peace","tags":["a","b"]}`

// incomplete allows incomplete drafts.
func incomplete(w *core.EntryWrite) { w.AllowIncomplete = true }

func shownFaults(faults []reading.Fault) map[string]string {
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
		"blank texts": {
			`{"title":"   ","tags":["","\u200b"]}`, nil,
			map[string]string{
				"fields.title": "is required", "fields.tags": "is required",
			},
		},
		"a title without letters": {`{"title":"!!!","tags":["a","b"]}`, nil, map[string]string{"fields.slug": `cannot be derived from "title": enter one`}},
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
			d := contenttest.New(t)
			briefs := briefs(t, d)
			w, err := d.Writer.Create(t.Context(), d.Actor, d.Project, briefs.ID, contenttest.WriteOf(t, c.fields, incomplete))
			if c.refused != nil {
				require.Equal(t, c.refused, contenttest.FaultsOf(t, err))
				return
			}
			require.NoError(t, err)
			m := d.Show(t, w)
			require.Equal(t, c.faults, shownFaults(m.Faults))
			require.NotNil(t, m.Faults)

			_, err = d.Writer.Create(t.Context(), d.Actor, d.Project, otherBriefs(t, d).ID, contenttest.WriteOf(t, c.fields))
			if len(c.faults) == 0 {
				require.NoError(t, err)
			} else {
				require.Equal(t, c.faults, contenttest.FaultsOf(t, err))
			}
		})
	}
}

// otherBriefs changes to another project and returns its collection briefs.
func otherBriefs(t testing.TB, d *contenttest.Fixture) *core.Collection {
	t.Helper()
	d.Project = d.NewProject(t, d.Project.TenantID, "de")
	return briefs(t, d)
}

func TestUniqueValuesOfIncompleteDraftsAreTaken(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := briefs(t, d)
	d.Create(t, c, `{"code":"x"}`, incomplete)
	_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"code":"x"}`, incomplete))
	require.Equal(t, map[string]string{"fields.code": "is taken by another entry"}, contenttest.FaultsOf(t, err))
}

func TestOneFieldOfAnIncompleteDraftCanBeChanged(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := d.Create(t, briefs(t, d), `{"title":"P","code":"x"}`, incomplete)
	m = d.Update(t, m, `{"rank":3}`, incomplete)
	want := map[string]string{
		"fields.title": "must have at least 3 characters", "fields.slug": "must have at least 2 characters",
		"fields.code": "does not match the pattern [A-Z]+[0-9]*", "fields.tags": "is required",
	}
	require.Equal(t, want, shownFaults(m.Faults))
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"rank":4}`))
	require.Equal(t, want, contenttest.FaultsOf(t, err))
	m = d.Update(t, m, `{}`, contenttest.Published(false))
	require.Len(t, m.Faults, len(want))
}

// A write that unpublishes generates slugs like any other, so that a later write without fields
// changes nothing.
func TestUnpublishingWritesGenerateSlugs(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	m := d.Create(t, d.Articles(t), `{}`, incomplete)
	m = d.Update(t, m, `{"title":"One title"}`, contenttest.Published(false))
	require.Equal(t, `"one-title"`, string(d.Entry(t, m.ID).Draft.Value("slug")))
	require.Equal(t, m.Version, d.Update(t, m, `{}`).Version)
}

// Each of these publishes or submits the draft, now or later, whatever the write allows.
func TestWhatIsPublishedIsComplete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gated bool
		write func(d *contenttest.Fixture, c *core.Collection, m *reading.Managed) error
	}{
		"create": {false, func(d *contenttest.Fixture, c *core.Collection, _ *reading.Managed) error {
			_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"rank":0}`, incomplete, contenttest.Published(true)))
			return err
		}},
		"submit": {true, func(d *contenttest.Fixture, c *core.Collection, _ *reading.Managed) error {
			_, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, `{"rank":0}`, incomplete, contenttest.Published(true)))
			return err
		}},
		"update": {false, func(d *contenttest.Fixture, c *core.Collection, m *reading.Managed) error {
			_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"rank":0}`, incomplete, contenttest.Published(true)))
			return err
		}},
		"schedule": {false, func(d *contenttest.Fixture, c *core.Collection, m *reading.Managed) error {
			_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil,
				contenttest.WriteOf(t, `{"rank":0}`, incomplete, contenttest.Published(true), contenttest.At(contenttest.Day.Add(time.Hour))))
			return err
		}},
		"publish": {false, func(d *contenttest.Fixture, c *core.Collection, m *reading.Managed) error {
			_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{}, nil)
			return err
		}},
		"publish later": {true, func(d *contenttest.Fixture, c *core.Collection, m *reading.Managed) error {
			_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{At: new(contenttest.Day.Add(time.Hour))}, nil)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := contenttest.New(t)
			d.Govern(t, c.gated)
			briefs := briefs(t, d)
			m := d.Create(t, briefs, `{"rank":0}`, incomplete)
			require.Equal(t, map[string]string{
				"fields.title": "is required", "fields.rank": "must be at least 1", "fields.tags": "is required",
			}, contenttest.FaultsOf(t, c.write(d, briefs, m)))
			require.Equal(t, int64(1), d.Entry(t, m.ID).Version)
			require.Empty(t, d.Submitted(t))
			require.Empty(t, d.Scheduled(t))
		})
	}
}

func TestAWriteThatGoesLiveIsComplete(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := briefs(t, d)
	m := d.Create(t, c, complete, contenttest.Published(true))
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":"P"}`, incomplete))
	require.Equal(t, map[string]string{"fields.title": "must have at least 3 characters"}, contenttest.FaultsOf(t, err))

	d.Govern(t, true) // the write changes the draft only
	m = d.Update(t, m, `{"title":"P"}`, incomplete)
	require.True(t, m.HasUnpublishedChanges)
	require.Equal(t, map[string]string{"fields.title": "must have at least 3 characters"}, shownFaults(m.Faults))
}

// A scheduled draft is published at its time without another write.
func TestAScheduledDraftStaysComplete(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := briefs(t, d)
	m := d.Create(t, c, complete)
	scheduleFor := func(request int64) {
		require.NoError(t, d.Stores.Schedules.Schedule(t.Context(), schedule.Schedule{
			Action: schedule.Publish, ProjectID: d.Project.ID, CollectionID: c.ID, EntryID: m.ID, RequestID: request, DueAt: contenttest.Day.Add(time.Hour),
		}))
	}
	scheduleFor(0)
	_, err := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, contenttest.WriteOf(t, `{"title":"P"}`, incomplete))
	require.Equal(t, map[string]string{"fields.title": "must have at least 3 characters"}, contenttest.FaultsOf(t, err))

	require.NoError(t, d.Stores.Schedules.Cancel(t.Context(), d.Project.ID, m.ID, schedule.Publish))
	scheduleFor(9) // an approved request publishes its snapshot
	require.Len(t, d.Update(t, m, `{"title":"P"}`, incomplete).Faults, 1)
}

// Options that change after a value was stored hold when the value is published.
func TestChangedOptionsHoldAtPublication(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := briefs(t, d)
	m := d.Create(t, c, `{"title":"Peace","tags":["a","b"],"rank":5,"kind":"opinion"}`)
	for field, in := range map[string]definition.FieldInput{
		"rank": {Max: new(4.0)}, "kind": {Choices: []string{"news"}}, "code": {Unique: true, Required: true},
	} {
		_, err := d.UpdateField(t, c.ID, field, in)
		require.NoError(t, err)
	}
	want := map[string]string{"fields.code": "is required", "fields.rank": "must be at most 4", "fields.kind": "must be one of: news"}
	m = d.Update(t, m, `{"title":"Peaces"}`, incomplete)
	require.Equal(t, want, shownFaults(m.Faults))
	_, err := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{}, nil)
	require.Equal(t, want, contenttest.FaultsOf(t, err))
}

// Any draft without faults can be published, and any other is refused with exactly its faults.
func TestFaultsAreWhatPreventsPublication(t *testing.T) {
	t.Parallel()
	d := contenttest.New(t)
	c := briefs(t, d)
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
		w, err := d.Writer.Create(t.Context(), d.Actor, d.Project, c.ID, contenttest.WriteOf(t, fields, incomplete))
		if err != nil {
			require.ErrorIs(rt, err, core.ErrInvalid)
			return
		}
		m := d.Show(t, w)
		write := contenttest.WriteOf(t, `{}`, contenttest.Published(true))
		write.AllowIncomplete = rapid.Bool().Draw(rt, "allowed")
		_, updateErr := d.Writer.Update(t.Context(), d.Actor, d.Ref(m), nil, write)
		_, publishErr := d.Writer.Publish(t.Context(), d.Actor, d.Ref(m), writing.Publication{}, nil)
		for _, err := range []error{updateErr, publishErr} {
			if len(m.Faults) == 0 {
				require.NoError(rt, err)
				continue
			}
			var fault *core.Error
			require.True(rt, errors.As(err, &fault), "%v", err)
			var found []reading.Fault
			for _, f := range fault.Fields {
				found = append(found, reading.Fault{Message: f.Message, Location: f.Location})
			}
			require.Equal(rt, m.Faults, found)
		}
	})
}
