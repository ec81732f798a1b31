package demo

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the pages
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/media"
	"imprimatur/core/review"
)

//go:embed data/pages.jsonl
var pagesData []byte

// demoPage is a line of data/pages.jsonl. In its fields "media:<file name>" and "entry:<title>" stand for
// the ids of media and entries.
type demoPage struct {
	Project string // worldDesk or blog
	Draft   bool
	Fields  json.RawMessage
	Revised json.RawMessage // fields of a later version that waits for review; absent: none
}

// revisedPage is a version of a page that its author sends to review.
type revisedPage struct {
	entry  review.EntryRef
	fields map[string]json.RawMessage
}

// site is a Project whose pages are made of blocks.
type site struct {
	project    *core.Project
	collection *int64           // the id of pages
	media      map[string]int64 // ids by file name
	entries    map[string]int64 // ids by title
}

// pages creates a collection of pages made of blocks in World Desk and in Blog.
func (s *seed) pages(ctx context.Context) error {
	sites := map[string]*site{
		"worldDesk": {s.worldDesk, &s.facts.Collections.Pages, s.media, s.written},
		"blog":      {s.blog, &s.facts.Collections.BlogPages, map[string]int64{}, s.written},
	}
	if err := s.picturesOfBlog(ctx, sites["blog"].media); err != nil {
		return err
	}
	for _, name := range []string{"worldDesk", "blog"} {
		of := sites[name]
		if err := s.define(ctx, of.project, of.collection, "pages", "hero", "text", "quote", "gallery", "related", "action", "seo"); err != nil {
			return err
		}
	}
	for source := bufio.NewScanner(bytes.NewReader(pagesData)); source.Scan(); {
		var page demoPage
		if err := json.Unmarshal(source.Bytes(), &page); err != nil {
			return err
		}
		if err := s.page(ctx, sites[page.Project], page); err != nil {
			return err
		}
	}
	return nil
}

func (s *seed) page(ctx context.Context, of *site, page demoPage) error {
	fields, err := of.fields(page.Fields)
	if err != nil {
		return err
	}
	entry, err := s.Writer.Create(ctx, core.SystemActor, of.project, *of.collection, core.EntryWrite{Published: new(!page.Draft), Fields: core.WrittenFields{Raw: fields}})
	if err != nil {
		return fmt.Errorf("page %s: %w", fields["title"], err)
	}
	var title string
	if err := json.Unmarshal(fields["title"], &title); err != nil {
		return err
	}
	s.written[title] = entry.ID
	if page.Revised == nil {
		return nil
	}
	revised, err := of.fields(page.Revised)
	s.revised = append(s.revised, revisedPage{review.EntryRef{Project: of.project, CollectionID: *of.collection, ID: entry.ID}, revised})
	return err
}

// revisePages sends the later versions of pages to review. Readers see the earlier ones until they are approved.
func (s *seed) revisePages(ctx context.Context, author core.Actor) error {
	for _, page := range s.revised {
		if _, err := s.Writer.Update(ctx, author, page.entry, nil, core.EntryWrite{Published: new(true), Fields: core.WrittenFields{Raw: page.fields}}); err != nil {
			return err
		}
	}
	return nil
}

var named = regexp.MustCompile(`"(media|entry):([^"]+)"`)

// fields decodes the fields of a page, with the ids of media and entries in the place of their names.
func (of *site) fields(text []byte) (fields map[string]json.RawMessage, err error) {
	text = named.ReplaceAllFunc(text, func(found []byte) []byte {
		parts := named.FindSubmatch(found)
		ids := of.media
		if string(parts[1]) == "entry" {
			ids = of.entries
		}
		id, exists := ids[string(parts[2])]
		if !exists {
			err = errors.Join(err, fmt.Errorf("there is no %s", found))
		}
		return strconv.AppendInt(nil, id, 10)
	})
	return fields, errors.Join(err, json.Unmarshal(text, &fields))
}

func (s *seed) picturesOfBlog(ctx context.Context, ids map[string]int64) error {
	for _, picture := range []struct{ name, caption, alt string }{
		{"harbour-at-dawn.jpg", "The hills over the harbour at dawn", "The sun rises behind brown hills"},
		{"night-train.jpg", "What one sees from the night train", "The moon over dark hills"},
		{"desert-dusk.jpg", "Dusk, an hour outside the city", "The sun sets behind red hills"},
	} {
		id, err := s.upload(ctx, s.blog, picture.name, media.Change{Caption: &picture.caption, Alt: &picture.alt})
		if err != nil {
			return fmt.Errorf("media %s of the blog: %w", picture.name, err)
		}
		ids[picture.name] = id
	}
	return nil
}
