package peers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// check sends every query in every form to a server, and compares the responses with the
// articles.
func (b *bench) check(s *server) error {
	for _, f := range s.forms {
		for _, q := range allQueries {
			request, has := f.requests[q.Name]
			if !has {
				continue
			}
			status, body, err := load.Once(request)
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("status %d", status)
			}
			if err == nil {
				err = b.verify(q.Name, body)
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w: %.500s", f.name, q.Name, err, body)
			}
		}
	}
	return nil
}

// verify compares a response with the generated articles. The order of articles with the same
// sort key is unspecified, so it compares sort keys instead of positions.
func (b *bench) verify(query string, body []byte) error {
	switch query {
	case "Q10":
		return b.verifyCounts(body)
	case "Q12":
		return b.verifyReferrers(body)
	}
	found, err := parse(body)
	if err != nil {
		return err
	}
	want := b.wanted(query)
	if len(found.rows) != len(want) {
		return fmt.Errorf("%d articles, want %d", len(found.rows), len(want))
	}
	seen := map[string]bool{}
	for i, row := range found.rows {
		a, err := b.original(query, row)
		if err != nil {
			return err
		}
		if seen[a.Slug] {
			return fmt.Errorf("%s appears twice", a.Slug)
		}
		seen[a.Slug] = true
		if !sameRank(query, a, want[i]) {
			return fmt.Errorf("%s is number %d, want one that sorts like %s", a.Slug, i+1, want[i].Slug)
		}
	}
	if query == "Q4" && !slices.Contains(found.totals, float64(len(b.all))) {
		return fmt.Errorf("the total is %v, want %d", found.totals, len(b.all))
	}
	return nil
}

// wanted returns the expected articles of a query.
func (b *bench) wanted(query string) []article.Article {
	matching := slices.DeleteFunc(slices.Clone(b.all), func(a article.Article) bool {
		switch query {
		case "Q2":
			return a.Category != "cat07" || a.Views <= 50_000
		case "Q6":
			return !strings.Contains(a.Title, article.Needle)
		case "Q9":
			return !hasBothWords(a)
		}
		return false
	})
	slices.SortFunc(matching, func(x, y article.Article) int {
		if query == "Q2" {
			return cmp.Compare(y.Views, x.Views)
		}
		return cmp.Compare(y.PublishedOn, x.PublishedOn)
	})
	switch query {
	case "Q3":
		return matching[:1]
	case "Q5", "Q8":
		matching = matching[min(50_000, len(matching)):]
	}
	return matching[:min(20, len(matching))]
}

// sameRank reports whether the order of two articles in a response is unspecified.
func sameRank(query string, x, y article.Article) bool {
	switch query {
	case "Q2":
		return x.Category == y.Category && x.Views == y.Views
	case "Q3":
		return true // unspecified order
	case "Q6":
		return strings.Contains(x.Title, article.Needle) && x.PublishedOn == y.PublishedOn
	case "Q9":
		return hasBothWords(x) // unspecified order
	}
	return x.PublishedOn == y.PublishedOn
}

// hasBothWords reports whether Q9 finds an article.
func hasBothWords(a article.Article) bool {
	return strings.Contains(a.Title, article.Needle) && strings.Contains(" "+a.Title, " "+article.Prefix)
}

// original returns the generated article of a row, and an error if they differ.
func (b *bench) original(query string, row map[string]any) (article.Article, error) {
	slug, _ := row["slug"].(string)
	i, exists := b.numbers[slug]
	if !exists {
		return article.Article{}, fmt.Errorf("unknown article %q", slug)
	}
	a := b.all[i]
	day, _ := row["publishedon"].(string)
	rating, _ := row["rating"].(float64)
	tags, _ := row["tags"].([]any)
	same := row["title"] == a.Title && row["views"] == float64(a.Views) && strings.HasPrefix(day, a.PublishedOn) && row["category"] == a.Category
	if query == "Q7" {
		author := (i + 1) % article.Authors
		same = same && slices.Equal(names(row), []string{article.Author(author), article.Desk(author)})
	} else {
		same = same && row["body"] == a.Body && math.Abs(rating-a.Rating) < 1e-4 && row["featured"] == a.Featured && fmt.Sprint(tags) == fmt.Sprint(a.Tags)
	}
	if !same {
		return a, fmt.Errorf("%v differs from %v", row, a)
	}
	return a, nil
}

// names returns the values of all members "name" in a row, in order.
func names(value any) (found []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			found = append(found, names(element)...)
		}
	case map[string]any:
		for name, member := range value {
			if text, is := member.(string); is && name == "name" {
				found = append(found, text)
			}
			found = append(found, names(member)...)
		}
	}
	slices.Sort(found)
	return found
}

// parsedResponse holds the articles and totals of a response of any server.
type parsedResponse struct {
	rows   []map[string]any // objects with a slug; names in lower case, without underscores
	totals []float64        // numbers under a name with "total" or "count"
}

// parse finds the articles and the totals in JSON of any form. It returns an error for
// GraphQL errors.
func parse(body []byte) (found parsedResponse, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	for {
		var value any
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return found, err
		}
		if total, is := value.(float64); is { // the reference writes it after the rows
			found.totals = append(found.totals, total)
		}
		if err := found.collect(value); err != nil {
			return found, err
		}
	}
}

func (f *parsedResponse) collect(value any) error {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			if err := f.collect(element); err != nil {
				return err
			}
		}
	case map[string]any:
		return f.collectObject(value)
	}
	return nil
}

func (f *parsedResponse) collectObject(object map[string]any) error {
	if object["errors"] != nil {
		return fmt.Errorf("errors: %v", object["errors"])
	}
	if object["slug"] != nil {
		row := map[string]any{}
		for name, value := range object {
			row[strings.ToLower(strings.ReplaceAll(name, "_", ""))] = value
		}
		f.rows = append(f.rows, row)
		return nil
	}
	for name, value := range object {
		name = strings.ToLower(name)
		if strings.Contains(name, "total") || strings.Contains(name, "count") {
			if number, err := strconv.ParseFloat(fmt.Sprint(value), 64); err == nil { // some write it as a text
				f.totals = append(f.totals, number)
			}
		}
		if err := f.collect(value); err != nil {
			return err
		}
	}
	return nil
}
