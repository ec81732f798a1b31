package cachetag_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core/cachetag"
	"imprimatur/core/event"
	"imprimatur/core/secret"
)

func TestTagsAreOpaque(t *testing.T) {
	t.Parallel()
	key := secret.New()
	s := cachetag.New(cachetag.SurrogateKey, key)
	seen := map[string]bool{}
	for project := range int64(20) {
		tags := append(s.Entry(project, 7, 7, "7"), s.Medium(project, 7)...)
		for _, tag := range append(tags, s.Definition(project)...) {
			assert.Regexp(t, regexp.MustCompile(`^[A-Za-z0-9_-]{11}$`), tag)
			assert.False(t, seen[tag], "a tag of two things")
			seen[tag] = true
		}
	}
	assert.Equal(t, s.Entry(1, 2, 3, "a"), cachetag.New(cachetag.CacheTag, key).Entry(1, 2, 3, "a"), "each process makes the same tags")
	assert.NotEqual(t, s.Entry(1, 2, 3, "a"), cachetag.New(cachetag.CacheTag, secret.New()).Entry(1, 2, 3, "a"))
	assert.NotEqual(t, s.Entry(1, 2, 3, "1 2")[2], s.Entry(11, 2, 3, " 2")[2])
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	key := secret.New()
	for header, want := range map[cachetag.Header][2]string{
		cachetag.CacheTag: {"Cache-Tag", ","}, cachetag.SurrogateKey: {"Surrogate-Key", " "}, cachetag.EdgeCacheTag: {"Edge-Cache-Tag", ","},
	} {
		s := cachetag.New(header, key)
		depends := s.Collect()
		depends.Entry(5, 6)
		depends.Entry(5, 6)
		name, value := s.Header(3, depends)
		assert.Equal(t, want[0], name)
		assert.Equal(t, append(s.Definition(3), s.Entry(3, 5, 6, "")[:2]...), strings.Split(value, want[1]))
	}
	off := cachetag.New(cachetag.Off, key)
	require.Nil(t, off)
	depends := off.Collect()
	require.Nil(t, depends)
	depends.Entry(1, 2)
	depends.List("a")
	depends.Join(new(cachetag.Dependencies))
	name, _ := off.Header(1, depends)
	assert.Empty(t, name)
	assert.Nil(t, off.Of(&event.Event{Type: event.MediaUpdated, ProjectID: 1}))
	assert.Nil(t, off.Entry(1, 2, 3, "a"))
}

// A response with many things names only its collections and the library.
func TestManyThings(t *testing.T) {
	t.Parallel()
	s := cachetag.New(cachetag.CacheTag, secret.New())
	count := func(d *cachetag.Dependencies) int {
		_, value := s.Header(1, d)
		return strings.Count(value, ",") + 1
	}
	d := s.Collect()
	d.List("articles")
	d.Of("countries")
	for n := range int64(43) {
		d.Medium(n)
	}
	assert.Equal(t, cachetag.MaxDependencies, count(d))
	d.Medium(42)
	assert.Equal(t, cachetag.MaxDependencies, count(d), "it is named already")
	d.Group(1)
	assert.Equal(t, 4, count(d))
	_, value := s.Header(1, d)
	for _, tag := range []string{s.Entry(1, 0, 0, "articles")[2], s.Entry(1, 0, 0, "countries")[2], s.Medium(1, 0)[1], s.Definition(1)[0]} {
		assert.Contains(t, value, tag)
	}
	joined := s.Collect()
	joined.Of("pages")
	joined.Join(d)
	assert.Equal(t, 5, count(joined))
}

// Each event outdates what its type is about.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := cachetag.New(cachetag.CacheTag, secret.New())
	for _, kind := range event.Types() {
		e := event.Event{Type: kind, ProjectID: 1, EntryID: 2, Group: 3, SubjectID: 4, Collection: "a"}
		name := string(kind)
		switch {
		case strings.HasPrefix(name, "entry."):
			assert.Nil(t, s.Of(&e), name)
			e.Public = true
			assert.Equal(t, s.Entry(1, 2, 3, "a"), s.Of(&e), name)
		case strings.HasPrefix(name, "media."):
			assert.Equal(t, s.Medium(1, 4), s.Of(&e), name)
		case strings.HasPrefix(name, "collection."), strings.HasPrefix(name, "component."), kind == event.ImportFinished, strings.HasPrefix(name, "project."):
			assert.Equal(t, s.Definition(1), s.Of(&e), name)
		default:
			assert.Nil(t, s.Of(&e), name)
		}
	}
	assert.Equal(t, s.Definition(1), s.Of(&event.Event{Type: "of.a.newer.version", ProjectID: 1}))
}

func BenchmarkHeader(b *testing.B) {
	s := cachetag.New(cachetag.CacheTag, secret.New())
	d := s.Collect()
	for n := range int64(40) {
		d.Medium(n)
	}
	for b.Loop() {
		s.Header(1, d)
	}
}
