// Package article generates the articles of the benchmarks. They are the same in each run,
// so that all servers respond from the same content.
package article

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Article is one generated article.
type Article struct {
	Title       string   `json:"title"`
	Slug        string   `json:"slug"`
	Body        string   `json:"body"`
	Views       int      `json:"views"`
	Rating      float64  `json:"rating"`
	PublishedOn string   `json:"publishedOn"`
	Category    string   `json:"category"`
	Tags        []string `json:"tags"`
	Featured    bool     `json:"featured"`
}

// Needle is a word in about one of 500 titles.
const Needle = "kamisoca"

// Prefix begins a word in about one of 13 titles.
const Prefix = "ba"

// Each calls yield with the first count articles, of about 700 bytes each, until it
// returns an error.
func Each(count int, yield func(Article) error) error {
	random := rand.New(rand.NewPCG(7, 7))
	words := vocabulary(random)
	firstDay := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := 1; n <= count; n++ {
		err := yield(Article{
			Title:       title(random, words),
			Slug:        fmt.Sprintf("article-%06d", n),
			Body:        body(random, words),
			Views:       random.IntN(100_000),
			Rating:      math.Round(random.Float64()*500) / 100,
			PublishedOn: firstDay.AddDate(0, 0, random.IntN(5800)).Format(time.DateOnly),
			Category:    fmt.Sprintf("cat%02d", random.IntN(20)),
			Tags:        tags(random),
			Featured:    random.IntN(10) == 0,
		})
		if err != nil {
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
	words[42] = Needle
	return words
}

func title(random *rand.Rand, words []string) string {
	picked := make([]string, 6)
	for i := range picked {
		picked[i] = words[random.IntN(len(words))]
	}
	return strings.Join(picked, " ")
}

func body(random *rand.Rand, words []string) string {
	var text strings.Builder
	for text.Len() < 490 {
		text.WriteString(words[random.IntN(len(words))])
		text.WriteByte(' ')
	}
	return strings.TrimSpace(text.String())
}

func tags(random *rand.Rand) []string {
	picked := make([]string, 3)
	for i, n := range random.Perm(50)[:3] {
		picked[i] = fmt.Sprintf("tag%02d", n)
	}
	return picked
}

// The number of authors of reports, and of their desks.
const (
	Authors = 500
	Desks   = 20
)

// Author and Desk return the names of the author of the nth report, and of the desk of the nth author.
func Author(n int) string { return fmt.Sprintf("Author %03d", n%Authors) }
func Desk(n int) string   { return fmt.Sprintf("Desk %02d", n%Desks) }

// WriteDesks, WriteAuthors and WriteReports write desks, authors and reports in the importer's format.
func WriteDesks(w io.Writer) error {
	return write(w, Desks, func(n int) any { return map[string]any{"published": true, "fields": map[string]any{"name": Desk(n)}} })
}

func WriteAuthors(w io.Writer) error {
	return write(w, Authors, func(n int) any {
		return map[string]any{"published": true, "fields": map[string]any{"name": Author(n)}, "relations": map[string]any{"desk": Desk(n)}}
	})
}

func WriteReports(w io.Writer, count int) error {
	encoder, n := json.NewEncoder(w), 0
	return Each(count, func(a Article) error {
		n++
		return encoder.Encode(map[string]any{"published": true, "fields": a, "relations": map[string]any{"author": Author(n)}})
	})
}

func write(w io.Writer, count int, line func(n int) any) error {
	encoder := json.NewEncoder(w)
	for n := range count {
		if err := encoder.Encode(line(n)); err != nil {
			return err
		}
	}
	return nil
}

// WriteLines writes the articles in the importer's format.
func WriteLines(w io.Writer, count int) error {
	encoder := json.NewEncoder(w)
	return Each(count, func(a Article) error {
		return encoder.Encode(map[string]any{"published": true, "fields": a})
	})
}
