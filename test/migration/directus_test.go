package migration

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// directus has the tables of an export of Directus. The sections of a page are blocks of several tables
// (many to any), its related items a relation to several collections. The rows of junctions and
// translations are in the order of their pages; the ids of those of related items and galleries have no
// place in the program, and count up.
type directus struct {
	Languages         []directusLanguage    `json:"languages"`
	Pages             []directusPage        `json:"pages"`
	PagesTranslations []directusTranslation `json:"pages_translations"`
	PagesSections     []directusJunction    `json:"pages_sections"`
	PagesRelated      []directusJunction    `json:"pages_related"`
	Heroes            []directusHero        `json:"block_hero"`
	Galleries         []directusGallery     `json:"block_gallery"`
	GalleryFiles      []directusGalleryFile `json:"block_gallery_files"`
	Texts             []directusText        `json:"block_text"`
	Articles          []directusArticle     `json:"articles"`
	People            []directusPerson      `json:"people"`
	Files             []directusFile        `json:"directus_files"`
}

type directusLanguage struct {
	Code string `json:"code"`
}

type directusPage struct {
	ID          int    `json:"id"`
	Status      string `json:"status"`
	DateCreated string `json:"date_created"`
	Slug        string `json:"slug"`
	Cover       any    `json:"cover"`
	Parent      any    `json:"parent"`
}

type directusTranslation struct {
	ID       int    `json:"id"`
	PagesID  int    `json:"pages_id"`
	Language string `json:"languages_code"`
	Title    any    `json:"title"`
	Intro    any    `json:"intro"`
}

// directusJunction connects a page with a row of another table.
type directusJunction struct {
	ID         int    `json:"id"`
	PagesID    int    `json:"pages_id"`
	Collection string `json:"collection"`
	Item       string `json:"item"`
	Sort       int    `json:"sort"`
}

type directusHero struct {
	ID       int `json:"id"`
	Headline any `json:"headline"`
	Image    any `json:"image"`
	Page     any `json:"page"`
	Related  any `json:"article"`
}

type directusGallery struct {
	ID    int `json:"id"`
	Title any `json:"title"`
}

type directusGalleryFile struct {
	ID        int    `json:"id"`
	GalleryID int    `json:"block_gallery_id"`
	FileID    string `json:"directus_files_id"`
	Sort      int    `json:"sort"`
}

type directusText struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

type directusArticle struct {
	ID     int    `json:"id"`
	Title  string `json:"title"`
	Author any    `json:"author"`
	Page   any    `json:"page"`
}

type directusPerson struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Photo any    `json:"photo"`
}

type directusFile struct {
	ID          string `json:"id"`
	Filename    string `json:"filename_download"`
	Title       any    `json:"title"`
	Description any    `json:"description"`
	Type        string `json:"type"`
	Filesize    any    `json:"filesize"`
	Width       any    `json:"width"`
	Height      any    `json:"height"`
}

func (d *directus) locales() (codes []string) {
	for _, l := range d.Languages {
		codes = append(codes, l.Code)
	}
	return codes
}

func (d *directus) definitions() (components, collections []definition) {
	id, key := field{Name: "directusId", Type: "number"}, field{Name: "directusId", Type: "number", Unique: true}
	components = []definition{
		{Slug: "block-hero", Name: "Hero", Fields: []field{
			id, {Name: "headline", Type: "text"}, {Name: "image", Type: "media"},
			{Name: "page", Type: "relation", Collection: "pages"}, {Name: "article", Type: "relation", Collection: "articles"},
		}},
		{Slug: "block-gallery", Name: "Gallery", Fields: []field{id, {Name: "title", Type: "text"}, {Name: "images", Type: "media", Multiple: true}}},
		{Slug: "block-text", Name: "Text", Fields: []field{id, {Name: "text", Type: "richtext"}}},
	}
	collections = []definition{
		{Slug: "people", Name: "People", Fields: []field{key, {Name: "name", Type: "text"}, {Name: "photo", Type: "media"}}},
		{Slug: "articles", Name: "Articles", Fields: []field{key, {Name: "title", Type: "text"}, {Name: "author", Type: "relation", Collection: "people"}, {Name: "page", Type: "relation", Collection: "pages"}}},
		{Slug: "pages", Name: "Pages", Fields: []field{
			key, {Name: "slug", Type: "slug"}, {Name: "cover", Type: "media"}, {Name: "parent", Type: "relation", Collection: "pages"},
			{Name: "translation", Type: "number"}, {Name: "title", Type: "text"}, {Name: "intro", Type: "longtext"},
			{Name: "sections", Type: "blocks", Components: []string{"block-hero", "block-gallery", "block-text"}},
			{Name: "related", Type: "relation", Multiple: true, Collections: []string{"pages", "articles", "people"}},
		}},
	}
	return components, collections
}

func (d *directus) files() (files []file) {
	for _, f := range d.Files {
		files = append(files, f.file())
	}
	return files
}

func (f directusFile) file() file {
	made := file{Tag: f.ID, Name: f.Filename}
	made.Caption, _ = f.Title.(string)
	made.Alt, _ = f.Description.(string)
	return made
}

// rows returns the rows that match.
func rows[T any](all []T, match func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(row T) bool { return !match(row) })
}

func (d *directus) batches(t *testing.T) []batch {
	t.Helper()
	people, articles, pages := batch{collection: "people"}, batch{collection: "articles"}, batch{collection: "pages"}
	for _, row := range d.People {
		fields := object{"directusId": row.ID, "name": row.Name}
		people.lines = append(people.lines, line{Key: row.ID, Published: true, Fields: fields, Media: object{"photo": d.named(t, row.Photo)}})
	}
	for _, row := range d.Articles {
		fields := object{"directusId": row.ID, "title": row.Title}
		articles.lines = append(articles.lines, line{Key: row.ID, Published: true, Fields: fields, Relations: object{"author": row.Author, "page": row.Page}})
	}
	for _, row := range d.Pages {
		pages.lines = append(pages.lines, directusLine{d, t, newLinks()}.page(row))
	}
	first, again := articles, articles
	first.bare, again.again = true, true
	return []batch{people, first, pages, again}
}

// named returns what a line calls a file, or nil without one.
func (d *directus) named(t *testing.T, id any) any {
	t.Helper()
	if id == nil {
		return nil
	}
	return rows(d.Files, func(f directusFile) bool { return f.ID == id })[0].file().named(t)
}

// directusLine makes the line of a page. The first translation is the entry, the others its translations
// with the same sections, related items and files.
type directusLine struct {
	*directus
	t     *testing.T
	links *links
}

func (m directusLine) page(row directusPage) line {
	l := line{
		Key: row.ID, Published: row.Status == "published", CreatedAt: row.DateCreated, Fields: object{"directusId": row.ID, "slug": row.Slug},
		Relations: object{"parent": row.Parent}, Media: object{"cover": m.named(m.t, row.Cover)}, Links: m.links, Translations: map[string]object{},
	}
	sections, related := []any{}, []any{}
	for _, s := range m.PagesSections {
		if s.PagesID == row.ID {
			sections = append(sections, m.section(s))
		}
	}
	for _, r := range m.PagesRelated {
		if r.PagesID == row.ID {
			related = append(related, object{"collection": r.Collection, "key": number(m.t, r.Item)})
		}
	}
	l.Fields["sections"], l.Relations["related"] = sections, related
	for _, translation := range m.PagesTranslations {
		if translation.PagesID != row.ID {
			continue
		}
		fields := l.Fields
		if l.Locale == "" {
			l.Locale = translation.Language
		} else {
			fields = object{"directusId": row.ID}
			l.Translations[translation.Language] = fields
		}
		fields["translation"], fields["title"], fields["intro"] = translation.ID, translation.Title, translation.Intro
	}
	return l
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	ok(t, err)
	return n
}

// section returns the item for a row of pages_sections: the row of a block.
func (m directusLine) section(s directusJunction) object {
	id := number(m.t, s.Item)
	item := object{"_type": strings.ReplaceAll(s.Collection, "_", "-"), "_key": strconv.Itoa(s.ID), "directusId": id}
	switch s.Collection {
	case "block_hero":
		row := rows(m.Heroes, func(row directusHero) bool { return row.ID == id })[0]
		item["headline"], item["image"], item["page"], item["article"] = row.Headline, m.file(row.Image), m.entry("pages", row.Page), m.entry("articles", row.Related)
	case "block_gallery":
		item["title"] = rows(m.Galleries, func(row directusGallery) bool { return row.ID == id })[0].Title
		images := []any{}
		for _, row := range rows(m.GalleryFiles, func(row directusGalleryFile) bool { return row.GalleryID == id }) {
			images = append(images, m.file(row.FileID))
		}
		item["images"] = images
	case "block_text":
		item["text"] = m.text(rows(m.Texts, func(row directusText) bool { return row.ID == id })[0].Text)
	}
	return item
}

func (m directusLine) file(id any) any {
	if id == nil {
		return nil
	}
	return m.links.file(id.(string), m.named(m.t, id).(object))
}

func (m directusLine) entry(collection string, key any) any {
	if key == nil {
		return nil
	}
	return m.links.entry(fmt.Sprint(collection, key), object{"collection": collection, "key": key})
}

// assets is the address of the files of Directus.
const assets = "https://cms.harbour.example/assets/"

var assetSource = regexp.MustCompile(`(?:src|href)="` + regexp.QuoteMeta(assets) + `([^"]*)"`)

// text returns a text of Directus whose links to files are those of the program.
func (m directusLine) text(text string) string {
	return assetSource.ReplaceAllStringFunc(text, func(source string) string {
		return fmt.Sprintf(`data-media="%d"`, m.file(assetSource.FindStringSubmatch(source)[1]))
	})
}

func (d *directus) read(t *testing.T, p *project) any {
	t.Helper()
	r := &directusReader{t: t, library: p.library(t), read: directus{Languages: d.Languages}, first: map[int]directus{}}
	english := d.Languages[0].Code
	for _, e := range p.entries(t, "people", english) {
		r.read.People = append(r.read.People, directusPerson{ID: whole(e["directusId"]), Name: e["name"].(string), Photo: r.fileID(e["photo"])})
	}
	for _, e := range p.entries(t, "articles", english) {
		r.read.Articles = append(r.read.Articles, directusArticle{ID: whole(e["directusId"]), Title: e["title"].(string), Author: key(e["author"]), Page: key(e["page"])})
	}
	for _, language := range d.locales() {
		for _, e := range p.entries(t, "pages", language) {
			r.page(e)
		}
	}
	for _, item := range r.library {
		r.read.Files = append(r.read.Files, r.file(item))
	}
	return r.sorted()
}

// directusReader makes rows of Directus from entries of a project.
type directusReader struct {
	t       *testing.T
	library map[float64]object
	read    directus
	first   map[int]directus // what the translations of a page have in common, by page
}

func whole(value any) int { return int(value.(float64)) }

// key returns the id that an entry has in Directus, or nil for null.
func key(shown any) any {
	if shown == nil {
		return nil
	}
	return shown.(object)["directusId"]
}

func (r *directusReader) fileID(shown any) any {
	if shown == nil {
		return nil
	}
	return r.library[shown.(object)["id"].(float64)]["tags"].([]any)[0]
}

// page adds the rows of a page in one language. What has no translation is equal in all of them.
func (r *directusReader) page(e object) {
	id := whole(e["directusId"])
	r.read.PagesTranslations = append(r.read.PagesTranslations, directusTranslation{
		ID: whole(e["translation"]), PagesID: id, Language: e["locale"].(string), Title: e["title"], Intro: e["intro"],
	})
	one := directusReader{t: r.t, library: r.library}
	one.shared(id, e)
	if first, known := r.first[id]; !known {
		r.first[id] = one.read
		r.add(one.read)
	} else if !reflect.DeepEqual(first, one.read) {
		r.t.Errorf("page %d differs between its translations: %v, %v", id, first, one.read)
	}
}

func (r *directusReader) add(more directus) {
	r.read.Pages = append(r.read.Pages, more.Pages...)
	r.read.PagesSections = append(r.read.PagesSections, more.PagesSections...)
	r.read.PagesRelated = append(r.read.PagesRelated, more.PagesRelated...)
	r.read.Heroes = append(r.read.Heroes, more.Heroes...)
	r.read.Galleries = append(r.read.Galleries, more.Galleries...)
	r.read.GalleryFiles = append(r.read.GalleryFiles, more.GalleryFiles...)
	r.read.Texts = append(r.read.Texts, more.Texts...)
}

// shared adds the rows of a page that its translations have in common.
func (r *directusReader) shared(id int, e object) {
	row := directusPage{ID: id, Status: "draft", DateCreated: e["createdAt"].(string), Slug: e["slug"].(string), Cover: r.fileID(e["cover"]), Parent: key(e["parent"])}
	if e["publishedAt"] != nil {
		row.Status = "published"
	}
	r.read.Pages = append(r.read.Pages, row)
	for i, shown := range e["sections"].([]any) {
		item := shown.(object)
		junction := directusJunction{
			ID: number(r.t, item["_key"].(string)), PagesID: id, Sort: i + 1,
			Collection: strings.ReplaceAll(item["_type"].(string), "-", "_"), Item: strconv.Itoa(whole(item["directusId"])),
		}
		r.read.PagesSections = append(r.read.PagesSections, junction)
		r.block(junction.Collection, item)
	}
	for i, shown := range e["related"].([]any) {
		target := shown.(object)
		r.read.PagesRelated = append(r.read.PagesRelated, directusJunction{
			PagesID: id, Collection: target["_collection"].(string), Item: fmt.Sprint(target["directusId"]), Sort: i + 1,
		})
	}
}

// block adds the row of a block.
func (r *directusReader) block(table string, item object) {
	id := whole(item["directusId"])
	switch table {
	case "block_hero":
		row := directusHero{ID: id, Headline: item["headline"], Image: r.fileID(item["image"]), Page: key(item["page"]), Related: key(item["article"])}
		r.read.Heroes = append(r.read.Heroes, row)
	case "block_gallery":
		r.read.Galleries = append(r.read.Galleries, directusGallery{ID: id, Title: item["title"]})
		for i, image := range item["images"].([]any) {
			r.read.GalleryFiles = append(r.read.GalleryFiles, directusGalleryFile{GalleryID: id, FileID: r.fileID(image).(string), Sort: i + 1})
		}
	case "block_text":
		r.read.Texts = append(r.read.Texts, directusText{ID: id, Text: r.text(item["text"].(string))})
	}
}

// text returns a text as Directus has it: a file has an address, and no attributes that responses add.
func (r *directusReader) text(text string) string {
	nodes, err := html.ParseFragment(strings.NewReader(text), nil)
	ok(r.t, err)
	body := nodes[0].LastChild
	for n := range body.Descendants() {
		i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "data-media" })
		if i < 0 {
			continue
		}
		id, err := strconv.ParseFloat(n.Attr[i].Val, 64)
		ok(r.t, err)
		source := html.Attribute{Key: map[string]string{"img": "src", "a": "href"}[n.Data], Val: assets + r.fileID(object{"id": id}).(string)}
		n.Attr = append([]html.Attribute{source}, rows(n.Attr, func(a html.Attribute) bool { return a.Key == "alt" })...)
	}
	var made bytes.Buffer
	for n := range body.ChildNodes() {
		ok(r.t, html.Render(&made, n))
	}
	return strings.ReplaceAll(made.String(), "/>", ">")
}

func (r *directusReader) file(item object) directusFile {
	f := directusFile{ID: item["tags"].([]any)[0].(string), Filename: item["fileName"].(string), Title: item["caption"], Description: item["alt"]}
	f.Type, f.Filesize, f.Width, f.Height = item["mimeType"].(string), item["size"], item["width"], item["height"]
	return f
}

// sorted returns the tables in the order of the export, with the ids that count up.
func (r *directusReader) sorted() directus {
	all := r.read
	slices.SortFunc(all.Pages, func(a, b directusPage) int { return a.ID - b.ID })
	slices.SortFunc(all.PagesTranslations, func(a, b directusTranslation) int { return a.ID - b.ID })
	byPage := func(a, b directusJunction) int { return cmp.Or(a.PagesID-b.PagesID, a.Sort-b.Sort) }
	slices.SortFunc(all.PagesSections, byPage)
	slices.SortFunc(all.PagesRelated, byPage)
	slices.SortFunc(all.Heroes, func(a, b directusHero) int { return a.ID - b.ID })
	slices.SortFunc(all.Galleries, func(a, b directusGallery) int { return a.ID - b.ID })
	slices.SortFunc(all.GalleryFiles, func(a, b directusGalleryFile) int { return cmp.Or(a.GalleryID-b.GalleryID, a.Sort-b.Sort) })
	slices.SortFunc(all.Texts, func(a, b directusText) int { return a.ID - b.ID })
	slices.SortFunc(all.Files, func(a, b directusFile) int { return strings.Compare(a.ID, b.ID) })
	for i := range all.PagesRelated {
		all.PagesRelated[i].ID = i + 1
	}
	for i := range all.GalleryFiles {
		all.GalleryFiles[i].ID = i + 1
	}
	return all
}
