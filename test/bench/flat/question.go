package flat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"imprimatur/core/query"
	"imprimatur/core/reading"
)

// question is a read that is measured at every database size.
type question struct {
	name  string
	query query.Query
	total bool // read the total instead of the page
	one   bool // read the first entry of the page by id
	count bool // count by the values of a field: query.By
	// refers reads what refers to the first entry of the page.
	refers bool
	id     int64 // of that entry
	grows  growth
	// after makes the page begin after a cursor, where its offset says.
	after bool
	// own marks a question that reads only its own collection.
	own bool
}

// growth is the allowed growth of the cost of a question with the number of entries.
type growth uint8

const (
	flat    growth = iota // constant
	bounded               // with the rows matched or filtered, up to a bound
	deep                  // with the rows counted or skipped
)

const pageSize = 20

// questions returns reads of articles: filters of every selectivity, by every kind of
// index, in several orders.
func questions() []question {
	page := func(q query.Query) query.Query {
		q.Limit = new(int64(pageSize))
		return q
	}
	at := func(offset int64, q query.Query) query.Query {
		q.Offset = &offset
		return page(q)
	}
	and := func(conditions ...[]query.Filter) (all []query.Filter) {
		for _, c := range conditions {
			all = append(all, c...)
		}
		return all
	}
	seldom, fifth, third := where("series", "", "series 123"), where("category", "", "category 07"), where("region", "", "region 1")
	popular := where("views", query.OpGreater, maxViews/2)
	return []question{
		{name: "one by id", one: true, own: true, query: page(query.Query{})},
		{name: "newest by id", own: true, query: page(query.Query{})},
		{name: "newest by date", own: true, query: page(query.Query{Sort: "publishedOn:desc"})},

		{name: "20 hits", own: true, query: page(query.Query{Where: where("stock", "", 0)})},
		{name: "20 hits, by views", own: true, query: page(query.Query{Where: where("stock", "", 0), Sort: "views:desc"})},
		{name: "1 in 500", own: true, query: page(query.Query{Where: seldom})},
		{name: "1 in 500, by views", grows: bounded, own: true, query: page(query.Query{Where: seldom, Sort: "views:desc"})},
		{name: "5 %, by views", own: true, query: page(query.Query{Where: fifth, Sort: "views:desc"})},
		{name: "33 %, by views", own: true, query: page(query.Query{Where: third, Sort: "views:desc"})},
		{name: "5 % and a range, by the range", own: true, query: page(query.Query{Where: and(fifth, popular), Sort: "views"})},
		{name: "5 % and a range, by date", own: true, query: page(query.Query{Where: and(fifth, popular), Sort: "publishedOn:desc"})},
		{name: "not 33 %, by date", own: true, query: page(query.Query{Where: where("region", query.OpNot, "region 1"), Sort: "publishedOn:desc"})},
		{name: "5 % or 33 %, by date", own: true, query: page(query.Query{Or: [][]query.Filter{fifth, third}, Sort: "publishedOn:desc"})},
		{name: "nothing there, by date", own: true, query: page(query.Query{Where: where("series", "", "no series"), Sort: "publishedOn:desc"})},

		{name: "list holds, 20 hits, by date", own: true, query: page(query.Query{Where: where("topics", "", "rare topic"), Sort: "publishedOn:desc"})},
		{name: "list holds, 5 %, by date", grows: bounded, own: true, query: page(query.Query{Where: where("topics", "", "topic 07"), Sort: "publishedOn:desc"})},
		{name: "like, 20 hits, by date", own: true, query: page(query.Query{Where: where("title", query.OpLike, rareNeedle), Sort: "publishedOn:desc"})},
		{name: "like, 1 in 500, by date", grows: bounded, own: true, query: page(query.Query{Where: where("title", query.OpLike, needle), Sort: "publishedOn:desc"})},
		{name: "like, 1 in 500", grows: bounded, own: true, query: page(query.Query{Where: where("title", query.OpLike, needle)})},
		{name: "like, nothing there", grows: bounded, own: true, query: page(query.Query{Where: where("title", query.OpLike, "kamisokamiso")})},

		{name: "author, 20 hits, by date", query: page(query.Query{Where: where("author.name", "", authorName(authors)), Sort: "publishedOn:desc"})},
		{name: "author, 1 in 500, by date", grows: bounded, query: page(query.Query{Where: where("author.name", "", authorName(7)), Sort: "publishedOn:desc"})},
		{name: "author, 5 %, by date", grows: bounded, query: page(query.Query{Where: where("author.country", "", "country 07"), Sort: "publishedOn:desc"})},
		{name: "author, 5 %", grows: bounded, query: page(query.Query{Where: where("author.country", "", "country 07")})},

		{name: "desk of the author, 20 hits, by date", query: page(query.Query{Where: where("author.desk.name", "", deskName(desks)), Sort: "publishedOn:desc"})},
		{name: "desk of the author, 5 %, by date", grows: bounded, query: page(query.Query{Where: where("author.desk.name", "", deskName(7)), Sort: "publishedOn:desc"})},
		{name: "desk of the author, 5 %", grows: bounded, query: page(query.Query{Where: where("author.desk.name", "", deskName(7))})},

		{name: "leaf of a group, 1 in 500", own: true, query: page(query.Query{Where: where("about.keyword", "", "keyword 123")})},
		{name: "by a leaf of a group, 33 %", own: true, query: page(query.Query{Where: third, Sort: "about.rank:desc"})},
		{name: "leaf of items, 20 hits, by date", own: true, query: page(query.Query{Where: where("parts.note.kind", "", "rare kind"), Sort: "publishedOn:desc"})},
		{name: "leaf of items, 5 %, by date", grows: bounded, own: true, query: page(query.Query{Where: where("parts.note.kind", "", "kind 07"), Sort: "publishedOn:desc"})},
		{name: "leaf of items, 5 %", grows: bounded, own: true, query: page(query.Query{Where: where("parts.note.kind", "", "kind 07")})},
		{name: "type of items, all", own: true, query: page(query.Query{Where: where("parts._type", "", "note")})},

		{name: "search, 20 hits", own: true, query: page(query.Query{Search: rareNeedle})},
		{name: "search, 1 in 500", own: true, query: page(query.Query{Search: needle})},
		{name: "search, 33 %", grows: bounded, own: true, query: page(query.Query{Search: common})},
		{name: "search, 1 in 500 and 33 %", own: true, query: page(query.Query{Search: needle + " " + common})},
		{name: "search, beginning of words", grows: bounded, own: true, query: page(query.Query{Search: "ka"})},
		{name: "search, 1 in 500, by views", grows: bounded, own: true, query: page(query.Query{Search: needle, Sort: "views:desc"})},
		{name: "search, 33 %, by views", grows: bounded, own: true, query: page(query.Query{Search: common, Sort: "views:desc"})},
		{name: "search, 33 %, of 1 in 500", grows: bounded, own: true, query: page(query.Query{Search: common, Where: seldom})},
		{name: "search, 33 %, of 20", grows: bounded, own: true, query: page(query.Query{Search: common, Where: where("stock", "", 0)})},
		{name: "search, nothing there", own: true, query: page(query.Query{Search: "kamisokamiso"})},

		{name: "fallback, newest by id", own: true, query: page(query.Query{Locale: "de"})},
		{name: "fallback, newest by date", own: true, query: page(query.Query{Locale: "de", Sort: "publishedOn:desc"})},
		{name: "fallback, 20 hits, by views", own: true, query: page(query.Query{Locale: "de", Where: where("stock", "", 0), Sort: "views:desc"})},
		{name: "fallback, 1 in 500, by views", grows: bounded, own: true, query: page(query.Query{Locale: "de", Where: seldom, Sort: "views:desc"})},
		{name: "fallback, 5 %, by views", own: true, query: page(query.Query{Locale: "de", Where: fifth, Sort: "views:desc"})},
		{name: "fallback, like, 1 in 500, by date", grows: bounded, own: true, query: page(query.Query{Locale: "de", Where: where("title", query.OpLike, needle), Sort: "publishedOn:desc"})},

		{name: "fallback, search, 1 in 500", grows: bounded, own: true, query: page(query.Query{Locale: "de", Search: needle})},
		{name: "fallback, search, 33 %", grows: bounded, own: true, query: page(query.Query{Locale: "de", Search: common})},

		{name: "total", total: true, own: true, query: page(query.Query{})},
		{name: "total, fallback", total: true, own: true, query: page(query.Query{Locale: "de"})},
		{name: "total, 20 hits", total: true, own: true, query: page(query.Query{Where: where("stock", "", 0)})},
		{name: "total, 1 in 500", total: true, grows: deep, own: true, query: page(query.Query{Where: seldom})},
		{name: "total, 5 %", total: true, grows: deep, own: true, query: page(query.Query{Where: fifth})},
		{name: "total, 33 %", total: true, grows: deep, own: true, query: page(query.Query{Where: third})},
		{name: "total, 5 % and a range", total: true, grows: deep, own: true, query: page(query.Query{Where: and(fifth, popular)})},
		{name: "total, 33 % and 5 %", total: true, grows: deep, own: true, query: page(query.Query{Where: and(third, fifth)})},
		{name: "total, not 5 %, and a range", total: true, grows: deep, own: true, query: page(query.Query{Where: and(where("category", query.OpNot, "category 07"), popular)})},
		{name: "total, list holds, 5 %", total: true, grows: deep, own: true, query: page(query.Query{Where: where("topics", "", "topic 07")})},
		{name: "total, like, 1 in 500", total: true, grows: deep, own: true, query: page(query.Query{Where: where("title", query.OpLike, needle)})},
		{name: "total, search, 1 in 500", total: true, grows: deep, own: true, query: page(query.Query{Search: needle})},
		{name: "total, search, 33 %", total: true, grows: deep, own: true, query: page(query.Query{Search: common})},
		{name: "total, author, 5 %", total: true, grows: deep, query: page(query.Query{Where: where("author.country", "", "country 07")})},
		{name: "total, desk of the author, 5 %", total: true, grows: deep, query: page(query.Query{Where: where("author.desk.name", "", deskName(7))})},
		{name: "total, fallback, 33 %", total: true, grows: deep, own: true, query: page(query.Query{Locale: "de", Where: third})},

		{name: "counts by category", count: true, grows: deep, own: true, query: query.Query{By: "category"}},
		{name: "counts by category, of 33 %", count: true, grows: deep, own: true, query: query.Query{By: "category", Where: third}},
		{name: "counts by category, of 5 % and a range", count: true, grows: deep, own: true, query: query.Query{By: "category", Where: and(where("topics", "", "topic 07"), popular)}},
		{name: "counts by category, fallback", count: true, grows: deep, own: true, query: query.Query{By: "category", Locale: "de"}},
		{name: "counts by year", count: true, grows: deep, own: true, query: query.Query{By: "publishedOn:year"}},
		{name: "counts by topic", count: true, grows: deep, own: true, query: query.Query{By: "topics"}},
		{name: "counts by author", count: true, grows: deep, query: query.Query{By: "author"}},

		{name: "20 authors with referrers", grows: bounded, query: page(query.Query{Collection: "authors", Shape: query.Shape{Referrers: "articles.author:5"}})},
		{name: "referrers of an author", refers: true, grows: bounded, query: page(query.Query{Collection: "authors", Where: where("name", "", authorName(7))})},

		{name: "offset 50,000", grows: bounded, query: at(50_000, query.Query{})},
		{name: "offset 50,000, by date", grows: bounded, query: at(50_000, query.Query{Sort: "publishedOn:desc"})},
		{name: "offset 50,000, 33 %, by date", grows: deep, query: at(50_000, query.Query{Where: third, Sort: "publishedOn:desc"})},
		{name: "offset 50,000, fallback, by date", grows: bounded, query: at(50_000, query.Query{Locale: "de", Sort: "publishedOn:desc"})},

		{name: "after 50,000", after: true, query: at(50_000, query.Query{})},
		{name: "after 50,000, by date", after: true, query: at(50_000, query.Query{Sort: "publishedOn:desc"})},
		{name: "after 50,000, 33 %, by date", after: true, query: at(50_000, query.Query{Where: third, Sort: "publishedOn:desc"})},
		{name: "after 50,000, fallback, by date", after: true, query: at(50_000, query.Query{Locale: "de", Sort: "publishedOn:desc"})},
	}
}

func where(field string, op query.Op, value any) []query.Filter {
	if n, ok := value.(int); ok {
		value = json.Number(strconv.Itoa(n))
	}
	return []query.Filter{{Field: field, Op: string(op), Operand: query.Operand{Items: []any{value}}}}
}

// send runs the question in this process. id is the id of the entry to read if q.one is set.
func (p *program) send(ctx context.Context, s *site, q question, id int64) error {
	if q.one {
		_, err := p.reader.Entry(ctx, s.project, s.articles.Slug, id, query.Shape{})
		return err
	}
	switch {
	case q.count:
		_, err := p.counts(ctx, s, q.query)
		return err
	case q.refers:
		_, err := p.referrers(ctx, s, q)
		return err
	}
	listing, err := p.listing(ctx, s, q.query)
	switch {
	case err != nil:
		return err
	case q.total:
		_, err = listing.Total(ctx)
	default:
		_, err = listing.Page(ctx)
	}
	return err
}

// counts returns the counts of q.By.
func (p *program) counts(ctx context.Context, s *site, q query.Query) ([]reading.ValueCount, error) {
	q.Collection = s.articles.Slug
	return p.reader.Counts(ctx, s.project, false, q)
}

// referrers returns the articles that refer to the entry of q, which is placed.
func (p *program) referrers(ctx context.Context, s *site, q question) (*reading.ReferrersPage, error) {
	of := reading.ReferrersOf{Collection: s.articles.Slug, Field: "author", Limit: new(int64(pageSize))}
	return p.reader.Referrers(ctx, s.project, q.query.Collection, q.id, of)
}

// placed returns q with the cursor of its page, if it begins after one, and with the id of the entry to which others
// refer. It halves the offset until rows follow.
func (p *program) placed(ctx context.Context, s *site, q question) (question, error) {
	if q.refers {
		page, err := p.page(ctx, s, q.query)
		if err == nil && len(page.Entries) == 0 {
			err = errors.New("the page is empty")
		}
		if err == nil {
			q.id = page.Entries[0].ID
		}
		return q, err
	}
	if !q.after {
		return q, nil
	}
	before := q.query
	before.Limit, before.Cursor = new(int64(1)), true
	for offset := *q.query.Offset; q.query.After == "" && offset > 0; offset /= 2 {
		before.Offset = &offset
		page, err := p.page(ctx, s, before)
		if err != nil {
			return q, err
		}
		q.query.Offset, q.query.After = nil, page.Next
	}
	return q, nil
}

// newest returns the id of the newest entry.
func (p *program) newest(ctx context.Context, s *site) (int64, error) {
	page, err := p.page(ctx, s, query.Query{Limit: new(int64(1))})
	if err == nil && len(page.Entries) == 0 {
		err = errors.New("the page is empty")
	}
	if err != nil {
		return 0, err
	}
	return page.Entries[0].ID, nil
}

// path returns the REST path of the question. A total is read with a page of one entry.
func (q question) path(s *site, id int64) string {
	base := "/public/v2/projects/" + s.project.UUID + "/collections/" + cmp.Or(q.query.Collection, s.articles.Slug) + "/entries"
	values := url.Values{}
	switch {
	case q.one:
		return base + "/" + strconv.FormatInt(id, 10)
	case q.refers:
		return base + "/" + strconv.FormatInt(q.id, 10) + "/referrers?collection=" + s.articles.Slug + "&field=author&limit=" + strconv.Itoa(pageSize)
	case q.count:
		base += "/counts"
		values.Set("by", q.query.By)
	default:
		values.Set("limit", strconv.FormatInt(*q.query.Limit, 10))
	}
	if q.query.Referrers != "" {
		values.Set("referrers", q.query.Referrers)
	}
	if q.total {
		values.Set("limit", "1")
		values.Set("count", "true")
	}
	if q.query.Offset != nil {
		values.Set("offset", strconv.FormatInt(*q.query.Offset, 10))
	}
	if q.query.After != "" {
		values.Set("after", q.query.After)
	}
	if q.query.Sort != "" {
		values.Set("sort", q.query.Sort)
	}
	if q.query.Locale != "" {
		values.Set("locale", q.query.Locale)
	}
	if q.query.Search != "" {
		values.Set("search", q.query.Search)
	}
	add := func(prefix string, conditions []query.Filter) {
		for _, c := range conditions {
			name := prefix + "[" + c.Field + "]"
			if c.Op != "" {
				name += "[" + c.Op + "]"
			}
			values.Set(name, fmt.Sprint(c.Operand.Items[0]))
		}
	}
	add("where", q.query.Where)
	for n, group := range q.query.Or {
		add("or["+strconv.Itoa(n)+"]", group)
	}
	return base + "?" + strings.ReplaceAll(values.Encode(), "+", "%20")
}
