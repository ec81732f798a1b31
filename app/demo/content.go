package demo

import (
	"context"
	_ "embed" // the articles
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
)

//go:embed data/articles.jsonl.gz
var articlesData []byte

func (s *seed) countries(ctx context.Context) error {
	if err := s.define(ctx, s.worldDesk, &s.facts.Collections.Countries, "countries"); err != nil {
		return err
	}
	lines, err := countryLines()
	if err != nil {
		return err
	}
	report, err := s.Importer.Import(ctx, core.SystemActor, s.worldDesk, s.facts.Collections.Countries, lines, transfer.ImportOptions{KeyField: "code"})
	if err != nil {
		return err
	}
	if len(report.Failed) > 0 {
		return fmt.Errorf("country on line %d: %w", report.Failed[0].Line, report.Failed[0].Err)
	}
	return nil
}

// demoArticle is a line of data/articles.jsonl.gz.
type demoArticle struct {
	State   string // draft, published or trashed
	Country string // its code
	Cover   string // a file of the media library; may be empty
	Fields  map[string]json.RawMessage
}

func (s *seed) articles(ctx context.Context) error {
	if err := s.define(ctx, s.worldDesk, &s.facts.Collections.Articles, "articles"); err != nil {
		return err
	}
	ids, err := s.countryIDs(ctx)
	if err != nil {
		return err
	}
	source, err := packedLines(articlesData)
	if err != nil {
		return err
	}
	for source.Scan() {
		var article demoArticle
		if err := json.Unmarshal(source.Bytes(), &article); err != nil {
			return err
		}
		article.Fields["country"] = strconv.AppendInt(nil, ids[article.Country], 10)
		if article.Cover != "" {
			article.Fields["cover"] = strconv.AppendInt(nil, s.media[article.Cover], 10)
		}
		if err := s.article(ctx, article); err != nil {
			return err
		}
	}
	return nil
}

func (s *seed) article(ctx context.Context, article demoArticle) error {
	entry, err := s.Writer.Create(ctx, core.SystemActor, s.worldDesk, s.facts.Collections.Articles, core.EntryWrite{
		Published: new(article.State == "published"), Fields: core.WrittenFields{Raw: article.Fields},
	})
	if err != nil {
		return err
	}
	var title string
	if err := json.Unmarshal(article.Fields["title"], &title); err != nil {
		return err
	}
	s.written[title] = entry.ID
	if article.State == "trashed" {
		_, err = s.Writer.Trash(ctx, core.SystemActor, review.EntryRef{Project: s.worldDesk, CollectionID: s.facts.Collections.Articles, ID: entry.ID}, nil, "")
	}
	return err
}

// countryIDs returns the ids of the English countries by code.
func (s *seed) countryIDs(ctx context.Context) (map[string]int64, error) {
	limit := int64(query.MaxLimit)
	listing, err := s.Reader.Prepare(ctx, s.worldDesk, false, query.Query{Collection: "countries", Limit: &limit})
	if err != nil {
		return nil, err
	}
	page, err := listing.Page(ctx)
	if err != nil {
		return nil, err
	}
	if page.HasMore {
		return nil, errors.New("more countries than one page holds")
	}
	ids := map[string]int64{}
	for _, entry := range page.Entries {
		var country struct{ Code string }
		if err := json.Unmarshal(entry.JSON, &country); err != nil {
			return nil, err
		}
		ids[country.Code] = entry.ID
	}
	return ids, nil
}

func (s *seed) posts(ctx context.Context) error {
	return s.simpleCollection(ctx, s.blog, &s.facts.Collections.Posts, "posts",
		[2]string{"Meet us at the book fair", "Hall 4, stand B12, from Wednesday. Bring questions."},
		[2]string{"A new face for the World Desk", "Larger maps, shorter menus, and the same editors."},
		[2]string{"How we count readers", "Once a day, without cookies, and rounded down."},
	)
}

func (s *seed) notices(ctx context.Context) error {
	return s.simpleCollection(ctx, s.investors, &s.facts.Collections.Notices, "notices",
		[2]string{"Annual general meeting 2026", "The meeting takes place on 14 May at 10:00 in the Meridian hall."},
		[2]string{"Half-year report", "Revenue rose by four per cent; the outlook is unchanged."},
	)
}

// simpleCollection creates a collection of published entries with a title and a body, and sets id to its own.
func (s *seed) simpleCollection(ctx context.Context, project *core.Project, id *int64, slug string, entries ...[2]string) error {
	if err := s.define(ctx, project, id, slug); err != nil {
		return err
	}
	for _, entry := range entries {
		fields := texts("title", entry[0], "body", entry[1])
		created, err := s.Writer.Create(ctx, core.SystemActor, project, *id, core.EntryWrite{Published: new(true), Fields: core.WrittenFields{Raw: fields}})
		if err != nil {
			return err
		}
		s.written[entry[0]] = created.ID
	}
	return nil
}
