package peers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"imprimatur/test/bench/article"
)

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{numbers: map[string]int{}}
	err := article.Each(6000, func(a article.Article) error {
		b.numbers[a.Slug] = len(b.all)
		b.all = append(b.all, a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encode(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type withAuthor struct {
	article.Article
	Author map[string]any `json:"author"`
}

func (b *bench) withAuthors(articles []article.Article) []withAuthor {
	rows := make([]withAuthor, len(articles))
	for i, a := range articles {
		author := (b.numbers[a.Slug] + 1) % article.Authors
		rows[i] = withAuthor{a, map[string]any{"name": article.Author(author), "desk": map[string]any{"name": article.Desk(author)}}}
	}
	return rows
}

// categories returns the response of Q10 with texts for numbers.
func (b *bench) categories() (all []map[string]any) {
	counts := map[string]int{}
	for _, a := range b.all {
		counts[a.Category]++
	}
	for category, n := range counts {
		all = append(all, map[string]any{"category": category, "count": fmt.Sprint(n)})
	}
	return all
}

// authors returns the response of Q12.
func (b *bench) authors() (all []map[string]any) {
	for author := article.Authors - 1; author >= article.Authors-20; author-- {
		var own []article.Article
		for i, a := range b.all {
			if (i+1)%article.Authors == author {
				own = append(own, a)
			}
		}
		slices.Reverse(own)
		all = append(all, map[string]any{"id": author, "name": article.Author(author), "articles": map[string]any{"docs": own[:5], "totalDocs": len(own)}})
	}
	return all
}

func TestVerifyAcceptsCorrectResponses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, q := range allQueries {
		rows := encode(t, b.wanted(q.Name))
		switch q.Name {
		case "Q7":
			rows = encode(t, b.withAuthors(b.wanted("Q7")))
		case "Q10":
			rows = encode(t, b.categories())
		case "Q12":
			rows = encode(t, b.authors())
		}
		for form, body := range map[string]string{
			"bare":    rows + "6000",
			"nested":  `{"data": {"articles": {"nodes": ` + rows + `, "pageInfo": {"total": 6000}}}}`,
			"renamed": `{"items": ` + strings.ReplaceAll(rows, "publishedOn", "published_on") + `, "totalItems": 6000}`,
		} {
			if err := b.verify(q.Name, []byte(body)); err != nil {
				t.Errorf("%s %s: %v", q.Name, form, err)
			}
		}
	}
}

func TestVerifyRejectsWrongResponses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	newest := b.wanted("Q1")
	changed := append([]article.Article{}, newest...)
	changed[3].Body = "another"
	twice := append(append([]article.Article{}, newest[:19]...), newest[18])
	backward := append([]article.Article{b.wanted("Q2")[0]}, newest[1:]...)
	flat, others := b.withAuthors(newest), b.withAuthors(newest)
	delete(flat[7].Author, "desk")
	others[7].Author["name"] = others[8].Author["name"]
	counts, authors, fewer := b.categories(), b.authors(), b.authors()
	counts[3]["count"] = "1"
	authors[4]["articles"], authors[5]["articles"] = authors[5]["articles"], authors[4]["articles"]
	fewer[6]["articles"].(map[string]any)["totalDocs"] = 5
	words := b.wanted("Q9")
	words[0] = b.wanted("Q6")[0]
	for name, test := range map[string]struct{ query, body, fault string }{
		"too few":     {"Q1", encode(t, newest[:19]), "19 articles"},
		"none":        {"Q1", `{"data": []}`, "0 articles"},
		"an error":    {"Q1", `{"errors": [{}], "data": ` + encode(t, newest) + `}`, "errors"},
		"other body":  {"Q1", encode(t, changed), "differs from"},
		"twice":       {"Q1", encode(t, twice), "appears twice"},
		"out of rank": {"Q1", encode(t, backward), "is number 1"},
		"no total":    {"Q4", encode(t, newest), "total"},
		"wrong total": {"Q4", encode(t, newest) + "5999", "total"},
		"no JSON":     {"Q1", "<html>", "invalid"},
		"no desk":     {"Q7", encode(t, flat), "differs from"},
		"no authors":  {"Q7", encode(t, newest), "differs from"},
		"one's name":  {"Q7", encode(t, others), "differs from"},
		"one word":    {"Q9", encode(t, words), "is number 1"},
		"one count":   {"Q10", encode(t, counts), "the counts are"},
		"no counts":   {"Q10", encode(t, newest), "the counts are"},
		"one's posts": {"Q12", encode(t, authors), "has ["},
		"total posts": {"Q12", encode(t, fewer), "the total is"},
		"19 authors":  {"Q12", encode(t, b.authors()[:19]), "19 authors"},
		"no such":     {"Q3", `{"slug": "article-9"}`, "unknown article"},
	} {
		err := b.verify(test.query, []byte(test.body))
		if err == nil || !strings.Contains(fmt.Sprint(err), test.fault) {
			t.Errorf("%s: %v, want an error with %q", name, err, test.fault)
		}
	}
}
