package wordpress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	xhtml "golang.org/x/net/html"

	"imprimatur/app/importing"
	"imprimatur/core/canonical"
	"imprimatur/core/slug"
	"imprimatur/core/transfer"
)

// Files implements importing.Source.
func (s *Source) Files(ctx context.Context, each func(importing.File) error) error {
	for _, id := range s.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := s.posts[id]
		f := importing.File{ID: fileID(id), Origin: importing.Origin{Kind: "attachment", ID: id}, Name: baseName(p.url), URL: p.url, Alt: p.alt, Caption: p.caption}
		stem := strings.TrimSuffix(f.Name, path.Ext(f.Name))
		switch {
		case f.Caption != "" || p.title == "" || p.title == stem || p.title == f.Name:
		default:
			f.Caption = p.title
		}
		for name, text := range map[string]string{"title": p.title, "description": p.description} {
			if text != "" && text != f.Caption && text != stem && text != f.Name {
				f.Lost = append(f.Lost, importing.Lost{
					Origin: f.Origin, Field: name, What: importing.LostPart, Reason: "a file has a caption and an alternative text", Value: canonical.Quote(text),
				})
			}
		}
		s.local(&f, p.attachedFile)
		if err := each(f); err != nil {
			return err
		}
	}
	for _, f := range s.noFiles {
		if err := each(f); err != nil {
			return err
		}
	}
	for _, address := range s.extra {
		f := importing.File{ID: "url " + address, Origin: importing.Origin{Kind: "picture", ID: address}, Name: baseName(address), URL: address}
		s.local(&f, "")
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

func fileID(attachment string) string { return "attachment " + attachment }

// local sets where a file is in the folder of files: at its path in uploads, or at the top.
func (s *Source) local(f *importing.File, attached string) {
	if s.media == nil {
		return
	}
	var places []string
	if attached != "" {
		places = append(places, attached)
	}
	if _, inside, ok := strings.Cut(f.URL, "/uploads/"); ok {
		places = append(places, decodedSlug(inside))
	}
	places = append(places, decodedSlug(f.Name))
	f.Open = func() (io.ReadCloser, error) {
		for _, place := range places {
			file, err := s.media.Open(path.Clean(place))
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				return file, err
			}
		}
		return nil, fs.ErrNotExist
	}
}

// Entries implements importing.Source.
func (s *Source) Entries(ctx context.Context, each func(*importing.Entry) error) error {
	for _, taxonomy := range s.taxonomies {
		if taxonomy == "nav_menu" {
			continue
		}
		for _, key := range sortedTerms(s.terms, taxonomy) {
			if err := each(s.termEntry(s.terms[key])); err != nil {
				return err
			}
		}
	}
	seen := map[string]bool{}
	err := s.read(ctx, visitor{
		channel: func(string, string) {}, person: func(map[string]string) {}, term: func(map[string]string) {},
		item: func(i *item) error {
			if i.kind() == "attachment" || i.kind() == "nav_menu_item" && skipped(i) != "" && s.inMenu(i) {
				return nil
			}
			e := s.entry(i)
			switch id := i.id(); {
			case id == "":
				e.Skipped = "has no id"
			case seen[id]:
				e.Skipped = "another post of the export has the same id"
			default:
				seen[id] = true
			}
			return each(e)
		},
	})
	if err != nil {
		return err
	}
	for _, name := range sortedMenus(s.menus) {
		if err := each(s.menuEntry(name)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) inMenu(i *item) bool {
	return slices.ContainsFunc(i.categories, func(c category) bool { return c.domain == "nav_menu" })
}

func sortedTerms(terms map[string]*term, taxonomy string) (keys []string) {
	for key, t := range terms {
		if t.taxonomy == taxonomy {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func sortedMenus(menus map[string][]*menuItem) (names []string) {
	for name := range menus {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (s *Source) termEntry(t *term) *importing.Entry {
	e := &importing.Entry{Ref: importing.Ref{Kind: termKind + t.taxonomy, ID: t.slug}, Published: true, Draft: map[string]importing.Value{"name": importing.Text(t.name)}}
	setSlug(e, decodedSlug(t.slug), false)
	if t.description != "" {
		e.Draft["description"] = importing.Text(plain(t.description))
	}
	if t.parent != "" {
		parent := s.terms[t.taxonomy+"/"+t.parent]
		if parent == nil {
			e.Lose(importing.LostValue, "parent", "there is no such term", canonical.Quote(t.parent))
		} else {
			e.Draft["parent"] = importing.Value{Refs: []importing.Ref{{Kind: e.Kind, ID: parent.slug}}}
		}
	}
	return e
}

// setSlug sets the slug of an entry, as far as it is one.
func setSlug(e *importing.Entry, text string, path bool) {
	if text == "" {
		return
	}
	made := text
	if !slug.Valid(text, slug.Unicode, path) {
		var parts []string
		for part := range strings.SplitSeq(text, "/") {
			if part = slug.Derive(part, "", slug.Unicode); part != "" {
				parts = append(parts, part)
			}
		}
		made = strings.Join(parts, "/")
		if !slug.Valid(made, slug.Unicode, path) {
			e.Lose(importing.LostValue, "slug", "is not a slug", canonical.Quote(text))
			return
		}
		e.Lose(importing.LostPart, "slug", "has become "+made, canonical.Quote(text))
	}
	e.Draft["slug"] = importing.Text(made)
}

// entry returns the entry of a post.
func (s *Source) entry(i *item) *importing.Entry {
	f := i.fields
	e := &importing.Entry{Ref: importing.Ref{Kind: i.kind(), ID: i.id()}, Draft: map[string]importing.Value{}, Skipped: skipped(i)}
	if e.Skipped != "" {
		return e
	}
	t := s.types[e.Kind]
	if t == nil { // a post without an id
		t = &postType{}
	}
	if title := plain(f["title"]); title != "" {
		e.Draft["title"] = importing.Text(title)
	}
	p := s.posts[i.id()]
	if p != nil && p.slug != "" {
		setSlug(e, s.slugOf(p, t.hierarchical), t.hierarchical)
	}
	switch content := f["content:encoded"]; {
	case len(content) > transfer.MaxLine:
		e.Lose(importing.LostValue, "content", fmt.Sprintf("is longer than %d MB", transfer.MaxLine>>20), canonical.Quote(content))
	case content != "":
		e.Draft["content"] = importing.Value{Markup: s.markup(e, content)}
	}
	if excerpt := plain(f["excerpt:encoded"]); excerpt != "" {
		e.Draft["excerpt"] = importing.Text(excerpt)
	}
	if login := f["dc:creator"]; login != "" {
		e.Draft["author"] = importing.Value{Person: login}
	}
	if order := f["wp:menu_order"]; order != "" && order != "0" || e.Kind == "page" && order != "" {
		e.Draft["menu_order"] = importing.Value{JSON: number(order)}
	}
	if e.Kind == "post" {
		e.Draft["sticky"] = importing.Value{JSON: json.RawMessage(strconv.FormatBool(f["wp:is_sticky"] == "1"))}
	}
	s.refer(e, i, p)
	s.publish(e, i)
	s.metas(e, i, t)
	if link := f["link"]; link != "" {
		s.address(e, i, link)
	}
	for _, c := range i.comments {
		text, _ := json.Marshal(c) // texts
		e.Lose(importing.LostPart, "comments", "comments are not imported", text)
	}
	return e
}

// refer sets what a post refers to.
func (s *Source) refer(e *importing.Entry, i *item, p *post) {
	for _, c := range i.categories {
		t := s.terms[c.domain+"/"+c.slug]
		if t == nil {
			e.Lose(importing.LostValue, "category", "has no name", canonical.Quote(c.name))
			continue
		}
		of, ref := e.Draft[termKind+c.domain], importing.Ref{Kind: termKind + c.domain, ID: t.slug}
		if slices.Contains(of.Refs, ref) {
			continue
		}
		of.Refs = append(of.Refs, ref)
		e.Draft[termKind+c.domain] = of
	}
	if id := i.metaOf("_thumbnail_id"); id != "" {
		if file := s.posts[id]; file != nil && file.kind == "attachment" {
			e.Draft["thumbnail"] = importing.Value{Files: []string{fileID(id)}}
		} else {
			e.Lose(importing.LostValue, "thumbnail", "there is no such attachment", canonical.Quote(id))
		}
	}
	if p != nil && p.parent != "" {
		if up := s.posts[p.parent]; up != nil && up.kind == p.kind && up.skipped == "" {
			e.Draft["parent"] = importing.Value{Refs: []importing.Ref{{Kind: up.kind, ID: up.id}}}
		} else {
			e.Lose(importing.LostValue, "parent", "there is no such post of this type", canonical.Quote(p.parent))
		}
	}
}

// publish sets when a post was made and published.
func (s *Source) publish(e *importing.Entry, i *item) {
	f := i.fields
	at := dateOf(f["wp:post_date_gmt"], f["wp:post_date"], f["pubDate"])
	e.CreatedAt = at
	switch f["wp:status"] {
	case "publish":
		e.Published, e.PublishedAt = true, at
	case "future":
		e.Published, e.PublishAt, e.CreatedAt = true, at, time.Time{}
	case "private":
		e.Lose(importing.LostState, "status", "was private: it is a draft", nil)
	case "draft", "pending", "inherit", "":
	default:
		e.Lose(importing.LostState, "status", "has the status "+f["wp:status"]+": it is a draft", nil)
	}
	if f["wp:post_password"] != "" {
		e.Published, e.PublishAt, e.PublishedAt = false, time.Time{}, time.Time{}
		e.Lose(importing.LostState, "password", "was protected by a password: it is a draft", nil)
	}
}

// dateOf returns the first of times that is one, in UTC; the zero time without one.
func dateOf(times ...string) time.Time {
	for _, text := range times {
		for _, layout := range []string{time.DateTime, time.RFC1123Z, time.RFC1123, time.RFC3339} {
			if at, err := time.Parse(layout, text); err == nil && at.Year() >= 1 {
				return at.UTC()
			}
		}
	}
	return time.Time{}
}

// metas sets the fields of meta.
func (s *Source) metas(e *importing.Entry, i *item, t *postType) {
	done := map[string]bool{}
	for _, m := range i.meta {
		switch {
		case done[m.key] || slices.Contains(technical, m.key):
			continue
		case secrets.MatchString(m.key):
			e.Lose(importing.LostValue, "meta:"+m.key, "looks like a secret, and is not imported", nil)
		case t.meta[m.key] == nil:
			e.Lose(importing.LostValue, "meta:"+m.key, "is not content, or one field too many", canonical.Quote(strings.Join(i.metas(m.key), "\n")))
		default:
			values, _ := json.Marshal(i.metas(m.key)) // texts
			if !t.meta[m.key].several {
				values = canonical.Quote(m.value)
			}
			e.Draft["meta:"+m.key] = importing.Value{JSON: values}
		}
		done[m.key] = true
	}
}

// address sets the addresses that a post had.
func (s *Source) address(e *importing.Entry, i *item, link string) {
	u, err := s.base.Parse(link)
	if err != nil {
		return
	}
	e.Paths = append(e.Paths, u.RequestURI())
	trimmed := strings.TrimSuffix(u.Path, "/")
	for _, old := range i.metas("_wp_old_slug") {
		if old = decodedSlug(old); old != "" && u.RawQuery == "" && trimmed != "" {
			before := url.URL{Path: path.Join(path.Dir(trimmed), old) + strings.TrimPrefix(u.Path, trimmed)}
			e.Paths = append(e.Paths, before.RequestURI())
		}
	}
}

// menuEntry returns the entry of a menu.
func (s *Source) menuEntry(name string) *importing.Entry {
	e := &importing.Entry{Ref: importing.Ref{Kind: menuKind, ID: name}, Published: true, Draft: map[string]importing.Value{}}
	title := name
	if t := s.terms["nav_menu/"+name]; t != nil {
		title = t.name
	}
	e.Draft["name"] = importing.Text(title)
	setSlug(e, decodedSlug(name), false)
	all := slices.Clone(s.menus[name])
	slices.SortStableFunc(all, func(a, b *menuItem) int { return a.order - b.order })
	items := []importing.Item{}
	known := map[string]bool{}
	for _, m := range all {
		known[m.id] = true
	}
	var add func(parent string, level int)
	add = func(parent string, level int) {
		for _, m := range all {
			if up := m.parent; (up == parent || parent == "" && !known[up]) && level <= maxDepth {
				items = append(items, s.menuValue(e, m, level))
				if m.id != "" && m.id != parent {
					add(m.id, level+1)
				}
			}
		}
	}
	add("", 1)
	e.Draft["items"] = importing.Value{Items: items}
	return e
}

func (s *Source) menuValue(e *importing.Entry, m *menuItem, level int) importing.Item {
	fields := map[string]importing.Value{"label": importing.Text(m.label), "level": {JSON: json.RawMessage(strconv.Itoa(level))}}
	if m.url != "" {
		fields["url"] = importing.Text(m.url)
	}
	switch m.kind {
	case "post_type":
		if p := s.posts[m.objectID]; p != nil && p.skipped == "" && p.kind != "attachment" {
			fields["target"] = importing.Value{Refs: []importing.Ref{{Kind: p.kind, ID: p.id}}}
			label(fields, p.title)
		} else {
			e.Lose(importing.LostPart, "items", "points to a post that is not there", canonical.Quote(m.objectID))
		}
	case "taxonomy":
		if t := s.termIDs[m.object+"/"+m.objectID]; t != nil {
			fields["target"] = importing.Value{Refs: []importing.Ref{{Kind: termKind + t.taxonomy, ID: t.slug}}}
			label(fields, t.name)
		} else {
			e.Lose(importing.LostPart, "items", "points to a term that is not there", canonical.Quote(m.object+" "+m.objectID))
		}
	}
	return importing.Item{Kind: itemKind, Key: "m" + m.id, Fields: fields}
}

// label sets the label of an item that has the one of its target.
func label(fields map[string]importing.Value, title string) {
	if string(fields["label"].JSON) == `""` {
		fields["label"] = importing.Text(title)
	}
}

// plain returns the words of a text that may have HTML in it.
func plain(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return strings.TrimSpace(text)
	}
	var out strings.Builder
	for tokens := xhtml.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case xhtml.ErrorToken:
			return strings.TrimSpace(out.String())
		case xhtml.TextToken:
			out.WriteString(html.UnescapeString(string(tokens.Raw())))
		}
	}
}

// number returns the JSON of a number, or of the text that is none.
func number(text string) json.RawMessage {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return json.RawMessage(strconv.FormatInt(n, 10))
	}
	return canonical.Quote(text)
}
