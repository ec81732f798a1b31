package flat

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/definition"
)

// Articles are generated in blocks. The first is imported, the others are copies. The share
// of a value is the same in every block: one category in 20, one series in 500, one region
// in 3, and each stock number 20 times. The first rare articles have values that no other
// article has.
const (
	rare       = 20
	series     = 500
	categories = 20
	regions    = 3
	topics     = 40 // two per article, each topic in one of 20 articles; kinds of notes as topics
	authors    = 500
	desks      = 20     // each of one author in 20; the rare author has one of its own
	maxViews   = 99_999 // exclusive
	days       = 5800

	needle     = "kamisoca" // in one of 500 titles
	rareNeedle = "quixovem" // in the titles of the rare articles
	common     = "sarundel" // in one of six titles, and in one of six leads
)

// Differences between blocks: stock numbers are stockStep apart, and views and days rotate
// in their range by a step, so that corresponding articles of different blocks are far
// apart in every order. Numbers change by multiples of three, because the index stores them
// modulo three.
const (
	stockStep = 30_000
	viewsStep = 23_757
	dayStep   = 1_931
)

// firstDay is the earliest day of articles.
var firstDay = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)

var authorFields = []definition.FieldInput{
	{Name: "name", Type: core.TypeText, Required: true, Unique: true},
	{Name: "country", Type: core.TypeText},
	{Name: "desk", Type: core.TypeRelation, Collection: "desks"},
}

var deskFields = []definition.FieldInput{{Name: "name", Type: core.TypeText, Required: true, Unique: true}}

var articleFields = []definition.FieldInput{
	{Name: "title", Type: core.TypeText, Required: true, Searchable: true},
	{Name: "lead", Type: core.TypeText, Searchable: true},
	{Name: "body", Type: core.TypeLongText},
	{Name: "stock", Type: core.TypeNumber},
	{Name: "series", Type: core.TypeText},
	{Name: "category", Type: core.TypeText},
	{Name: "region", Type: core.TypeText},
	{Name: "views", Type: core.TypeNumber},
	{Name: "publishedOn", Type: core.TypeDate},
	{Name: "topics", Type: core.TypeText, Multiple: true},
	{Name: "author", Type: core.TypeRelation, Collection: "authors"},
	{Name: "about", Type: core.TypeGroup, Component: "about"},
	{Name: "parts", Type: core.TypeBlocks, Components: []string{"note"}},
}

// components are those of the articles. Their filterable fields are leaves of the collection.
var components = []definition.CollectionInput{
	{Slug: "about", Name: "About", Fields: []definition.FieldInput{
		{Name: "keyword", Type: core.TypeText, Filterable: true},
		{Name: "rank", Type: core.TypeNumber, Filterable: true},
	}},
	{Slug: "note", Name: "Note", Fields: []definition.FieldInput{
		{Name: "kind", Type: core.TypeText, Filterable: true},
		{Name: "text", Type: core.TypeText},
	}},
}

// writeDesks writes the desks in the importer's format.
func writeDesks(w io.Writer) error {
	encoder := json.NewEncoder(w)
	for n := range desks + 1 {
		if err := encoder.Encode(map[string]any{"key": deskName(n), "published": true, "fields": map[string]any{"name": deskName(n)}}); err != nil {
			return err
		}
	}
	return nil
}

func deskName(n int) string { return fmt.Sprintf("desk %02d", n) }

// writeAuthors writes the authors in the importer's format. The last one is rare.
func writeAuthors(w io.Writer) error {
	encoder := json.NewEncoder(w)
	for n := range authors + 1 {
		fields := map[string]any{"name": authorName(n), "country": fmt.Sprintf("country %02d", n%categories)}
		desk := deskName(n % desks)
		if n == authors {
			fields["country"], desk = "nowhere else", deskName(desks)
		}
		line := map[string]any{"key": authorName(n), "published": true, "fields": fields, "relations": map[string]any{"desk": desk}}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func authorName(n int) string { return fmt.Sprintf("author %03d", n) }

// writeArticles writes a block in the importer's format. One of every articles is translated.
// Only block 0 contains the rare articles.
func writeArticles(w io.Writer, count, block, every int) error {
	encoder := json.NewEncoder(w)
	random := rand.New(rand.NewPCG(11, 11))
	words := vocabulary(random)
	stock := random.Perm(count)
	for n := range count {
		title, lead := sentence(random, words, 6), sentence(random, words, 4)
		author := random.IntN(authors)
		fields := map[string]any{
			"stock":       3*(1+stock[n]/rare) + block*stockStep,
			"series":      fmt.Sprintf("series %03d", random.IntN(series)),
			"category":    fmt.Sprintf("category %02d", random.IntN(categories)),
			"region":      fmt.Sprintf("region %d", random.IntN(regions)),
			"views":       (random.IntN(maxViews) + block*viewsStep) % maxViews,
			"publishedOn": firstDay.AddDate(0, 0, (random.IntN(days)+block*dayStep)%days).Format(time.DateOnly),
		}
		labels := random.Perm(topics)[:2]
		named := []string{fmt.Sprintf("topic %02d", labels[0]), fmt.Sprintf("topic %02d", labels[1])}
		notes := []any{
			map[string]any{"_type": "note", "_key": "a", "kind": fmt.Sprintf("kind %02d", labels[0]), "text": "First"},
			map[string]any{"_type": "note", "_key": "b", "kind": fmt.Sprintf("kind %02d", labels[1])},
		}
		fields["about"] = map[string]any{"keyword": fmt.Sprintf("keyword %03d", random.IntN(series)), "rank": random.IntN(maxViews)}
		if n%500 == 250 {
			title += " " + needle
		}
		switch n % 6 {
		case 1:
			title += " " + common
		case 4:
			lead += " " + common
		}
		if n < rare {
			title, named, author = title+" "+rareNeedle, append(named, "rare topic"), authors
			fields["stock"] = 0
			notes = append(notes, map[string]any{"_type": "note", "_key": "c", "kind": "rare kind"})
		}
		fields["parts"] = notes
		fields["title"], fields["lead"], fields["topics"], fields["body"] = title, lead, named, sentence(random, words, 60)
		line := map[string]any{"published": true, "fields": fields, "relations": map[string]any{"author": authorName(author)}}
		if n%every == 0 {
			line["translations"] = map[string]any{"de": map[string]any{"title": "Zu " + title, "lead": lead}}
		}
		if n < rare && block > 0 {
			continue
		}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func vocabulary(random *rand.Rand) []string {
	const consonants, vowels = "bcdfghjklmnprstvw", "aeiou"
	words := make([]string, 3000)
	for i := range words {
		for range 1 + random.IntN(4) {
			words[i] += string(consonants[random.IntN(len(consonants))]) + string(vowels[random.IntN(len(vowels))])
		}
	}
	return words
}

func sentence(random *rand.Rand, words []string, length int) string {
	picked := make([]string, length)
	for i := range picked {
		picked[i] = words[random.IntN(len(words))]
	}
	return strings.Join(picked, " ")
}
