package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// scripts has words of nine scripts: with accents, from right to left, and without spaces between words.
var scripts = []string{
	"harbour harbours harbourside été Straße naïve wi-fi 3.14 l’eau Ålesund İstanbul",
	"Ёжик туман тумане красный Київ",
	"Σίσυφος σίσυφος θάλασσα Αθήνα",
	"كتاب كتابٌ جديد مدينة",
	"שָׁלוֹם עולם ספר",
	"हिन्दी कविता नदी",
	"東京 東京都 京都 黒猫 猫 港町 カタカナ ひらがな",
	"한국어 공부 한국",
	"สวัสดี สวัสดีครับ ภาษา ខ្មែរ ພາສາລາວ မြန်မာ",
}

// AgreeOnWords compares the lists of all engines for random searches of words in nine scripts: in several
// locales and versions, in both orders, beside conditions, and after the first page.
func AgreeOnWords(t *testing.T, engines map[string]Factory, searches int) {
	random := rand.New(rand.NewPCG(7, 7))
	contents := wordedContents(random, 400)
	var collections []*testCollection
	opened := openAll(t, engines, 5)
	for _, e := range opened {
		coll := newTestCollection(t, e.fixture, "articles", searchFields()...)
		batch := make([]*core.Entry, len(contents))
		for n := range contents {
			batch[n] = &contents[n]
		}
		requireNoError(t, coll.save(t, batch...))
		e.entries = slices.Clone(contents)
		collections = append(collections, coll)
		for n := range contents {
			contents[n].ID, contents[n].Group = 0, 0
		}
	}
	found := 0
	for range searches {
		q := drawWordsQuery(random)
		var want []int
		for i, coll := range collections {
			got := opened[i].numbersOf(t, coll, q)
			if i == 0 {
				want = got
			} else if !slices.Equal(got, want) {
				t.Fatalf("%+v: %s has %v, %s has %v", q, opened[0].name, want, opened[i].name, got)
			}
		}
		found += min(1, len(want))
	}
	if found < searches/4 {
		t.Errorf("only %d of %d searches found entries", found, searches)
	}
}

// drawWords draws up to most words, joined as texts join them.
func drawWords(random *rand.Rand, most int) string {
	some := make([]string, random.IntN(most+1))
	for i := range some {
		line := strings.Fields(scripts[random.IntN(len(scripts))])
		some[i] = line[random.IntN(len(line))]
	}
	return strings.Join(some, []string{" ", " ", "、", "-", "'", "."}[random.IntN(6)])
}

func wordedContents(random *rand.Rand, count int) []core.Entry {
	entries := make([]core.Entry, count)
	for n := range entries {
		content := fields{
			"title": fmt.Sprint(drawWords(random, 3), " ", n%7), "body": "<p>" + drawWords(random, 8) + "</p><p>" + drawWords(random, 3) + "</p>",
			"tags":  []string{drawWords(random, 2), drawWords(random, 1)},
			"views": random.IntN(20), "kind": fmt.Sprint("kind ", random.IntN(3)),
		}
		locale := []string{"en", "fr", "de"}[random.IntN(3)]
		entries[n] = draftOf(locale, content)
		if n%9 > 0 {
			publish(&entries[n])
			entries[n].PublishedAt = entries[n].PublishedAt.Add(time.Duration(random.IntN(30)) * time.Second)
		}
	}
	return entries
}

// wordsQuery is a search as all engines run it.
type wordsQuery struct {
	text, locale string
	state        core.State
	kind, views  int  // a condition; negative: none
	byViews      bool // instead of the order of a search
	limit        int64
}

func drawWordsQuery(random *rand.Rand) wordsQuery {
	q := wordsQuery{
		locale: []string{"en", "fr", "de", query.AllLocales}[random.IntN(4)], state: []core.State{core.StatePublished, core.StatePublished, core.StateWithDraft}[random.IntN(3)],
		kind: random.IntN(6) - 3, views: random.IntN(60) - 40, byViews: random.IntN(3) == 0, limit: int64(1 + random.IntN(30)),
	}
	for fault := "?"; fault != ""; _, fault = words.ParseSearch(q.text) {
		q.text = drawWords(random, 3)
		runes := []rune(q.text)
		switch random.IntN(4) {
		case 0:
			q.text = `"` + q.text + `"`
		case 1:
			q.text = string(runes[:random.IntN(len(runes)+1)])
		case 2:
			q.text = strings.ToUpper(q.text)
		}
	}
	return q
}

// numbersOf returns the numbers of the entries of the first two pages.
func (e *engine) numbersOf(t *testing.T, s *testCollection, q wordsQuery) (numbers []int) {
	t.Helper()
	sel := searching(t, s, q.text)
	sel.Locale, sel.State, sel.Limit = q.locale, q.state, q.limit
	if q.kind >= 0 {
		sel.Where = append(sel.Where, equals(s, "kind", text(fmt.Sprint("kind ", q.kind))))
	}
	if q.views >= 0 {
		sel.Where = append(sel.Where, equals(s, "views", num(float64(q.views))))
	}
	if q.byViews {
		sel.Sort = sortedBy(s.schema.Collection, "-views", "id")
	}
	total := result(s.w.Entries.Count(t.Context(), sel))(t)
	for range 2 {
		rows := listed(t, s.w.Entries, sel)
		rows = rows[:min(len(rows), int(q.limit))]
		for _, row := range rows {
			numbers = append(numbers, slices.IndexFunc(e.entries, func(entry core.Entry) bool { return entry.ID == row.ID }))
		}
		if len(rows) < int(q.limit) {
			break
		}
		sel.After = positionOf(sel, rows[len(rows)-1])
	}
	return append(numbers, int(total))
}
