package wordpress

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"imprimatur/app/importing"
	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/slug"
)

// Source is an export of WordPress. It implements importing.Source.
type Source struct {
	file  string
	media *os.Root // nil: files are fetched
	site  string
	base  *url.URL

	people, addresses map[string]string // names and e-mail addresses by logins
	terms             map[string]*term  // by "taxonomy/slug"
	termIDs           map[string]*term  // by "taxonomy/id"
	taxonomies        []string
	types             map[string]*postType
	typeNames         []string
	posts             map[string]*post  // by id
	paths             map[string]*post  // by the paths of their addresses
	attached          map[string]string // ids of attachments by the paths of their files
	files             []string          // ids of attachments in order
	noFiles           []importing.File  // attachments that are only listed
	extra             []string          // addresses of pictures of the site that are no attachments
	seen              map[string]bool   // extra
	menus             map[string][]*menuItem
}

var _ importing.Source = (*Source)(nil)

// term is a term of a taxonomy.
type term struct {
	id, taxonomy, slug, name, parent, description string
}

// postType is what posts of a type have.
type postType struct {
	name         string
	number       int
	meta         map[string]*field
	taxonomies   []string
	hierarchical bool
	ordered      bool
}

// field is what values of a key of meta look like.
type field struct {
	long, several bool
}

// post is what other posts need to know of a post.
type post struct {
	id, kind, slug, parent string
	title                  string
	skipped                string // why it is not imported
	// of an attachment:
	url, attachedFile, alt, caption, description string
	// of a reusable block:
	content string
}

// menuItem is an item of a menu.
type menuItem struct {
	id, parent, label, url, kind, object, objectID string
	order                                          int
}

// kinds of entries beside types of posts
const (
	termKind = "term:" // and the taxonomy
	menuKind = "menu"
	itemKind = "menu-item"
)

// internal are types of posts that have no content of the site.
var internal = []string{
	"revision", "nav_menu_item", "custom_css", "customize_changeset", "oembed_cache", "user_request", "wp_block", "wp_template",
	"wp_template_part", "wp_global_styles", "wp_navigation", "wp_font_family", "wp_font_face", "acf-field", "acf-field-group",
}

// technical are elements and keys of meta that describe how WordPress works and not content.
var technical = []string{
	"_edit_last", "_edit_lock", "_wp_attachment_metadata", "_pingme", "_encloseme", "_wp_old_slug", "_wp_old_date", "_thumbnail_id",
	"_wp_attachment_image_alt", "_wp_attached_file",
}

// secrets are keys of meta whose values are not even listed.
var secrets = regexp.MustCompile(`(?i)passw|api_?key|secret|token|license_?key`)

// Open surveys an export. With media, files are those of this folder, as wp-content/uploads has them; otherwise they are
// fetched. The caller closes the Source.
func Open(ctx context.Context, file, media string) (*Source, error) {
	s := &Source{
		file: file, people: map[string]string{}, addresses: map[string]string{}, terms: map[string]*term{}, termIDs: map[string]*term{},
		types: map[string]*postType{}, posts: map[string]*post{}, paths: map[string]*post{}, attached: map[string]string{}, seen: map[string]bool{},
		menus: map[string][]*menuItem{}, base: parseBase(""),
	}
	if media != "" {
		var err error
		if s.media, err = os.OpenRoot(media); err != nil {
			return nil, err
		}
	}
	err := s.read(ctx, visitor{channel: s.seeChannel, person: s.seePerson, term: s.seeTerm, item: s.seeItem})
	if err != nil {
		_ = s.Close() // it is read only
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if s.site == "" {
		s.site = "wordpress"
	}
	s.extra = slices.DeleteFunc(s.extra, func(address string) bool {
		known := s.attachment(address) != ""
		if known {
			delete(s.seen, address)
		}
		return known
	})
	return s, nil
}

// Close closes the folder of files.
func (s *Source) Close() error {
	if s.media == nil {
		return nil
	}
	return s.media.Close()
}

func (s *Source) read(ctx context.Context, v visitor) error {
	file, err := os.Open(s.file)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it is read only
	return read(ctx, file, v)
}

// System implements importing.Source.
func (s *Source) System() string { return "wordpress" }

// Site implements importing.Source.
func (s *Source) Site() string { return s.site }

func (s *Source) seeChannel(name, text string) {
	switch name {
	case "wp:base_blog_url", "wp:base_site_url", "link":
		if text != "" && (s.site == "" || name == "wp:base_blog_url") {
			s.base = parseBase(text)
			s.site = strings.TrimSuffix(s.base.Host+s.base.Path, "/")
		}
	}
}

func (s *Source) seePerson(fields map[string]string) {
	login := fields["wp:author_login"]
	if login == "" {
		return
	}
	s.people[login] = cmp.Or(fields["wp:author_display_name"], strings.TrimSpace(fields["wp:author_first_name"]+" "+fields["wp:author_last_name"]), login)
	s.addresses[login] = fields["wp:author_email"]
}

func (s *Source) seeTerm(fields map[string]string) {
	t := &term{
		id: fields["id"], taxonomy: fields["taxonomy"], slug: fields["slug"], name: plain(fields["name"]), parent: fields["parent"],
		description: fields["description"],
	}
	s.addTerm(t)
}

func (s *Source) addTerm(t *term) *term {
	if t.taxonomy == "" || t.slug == "" {
		return nil
	}
	key := t.taxonomy + "/" + t.slug
	if known := s.terms[key]; known != nil {
		return known
	}
	if t.name == "" {
		t.name = t.slug
	}
	if s.terms[key] = t; t.id != "" {
		s.termIDs[t.taxonomy+"/"+t.id] = t
	}
	if !slices.Contains(s.taxonomies, t.taxonomy) {
		s.taxonomies = append(s.taxonomies, t.taxonomy)
	}
	return t
}

// seeItem keeps what other posts need to know of a post.
func (s *Source) seeItem(i *item) error {
	f := i.fields
	p := &post{id: i.id(), kind: i.kind(), slug: decodedSlug(f["wp:post_name"]), parent: f["wp:post_parent"], title: plain(f["title"])}
	if p.kind == "attachment" {
		p.url = cmp.Or(f["wp:attachment_url"], f["guid"])
	}
	if p.id == "" {
		s.noFile(p, "has no id")
		return nil // Entries lists it
	}
	if p.parent == "0" {
		p.parent = ""
	}
	if s.posts[p.id] != nil {
		s.noFile(p, "another post of the export has the same id")
		return nil // Entries lists the second one
	}
	s.posts[p.id] = p
	p.skipped = skipped(i)
	switch p.kind {
	case "attachment":
		s.seeFile(i, p)
	case "nav_menu_item":
		s.seeMenuItem(i)
		return nil
	case "wp_block":
		p.content = f["content:encoded"]
		return nil
	}
	if p.kind != "attachment" && p.skipped == "" {
		s.seeType(i, p)
	}
	if at, ok := s.pathOf(f["link"]); ok && at != "" {
		s.paths[at] = p
	}
	s.paths["?"+p.id] = p
	return nil
}

// skipped says why a post is not imported.
func skipped(i *item) string {
	switch {
	case slices.Contains(internal, i.kind()):
		return "posts of the type " + i.kind() + " are not content"
	case i.fields["wp:status"] == "trash":
		return "is in the trash"
	case i.fields["wp:status"] == "auto-draft":
		return "is an empty draft that was never saved"
	}
	return ""
}

func (s *Source) seeFile(i *item, p *post) {
	f := i.fields
	p.attachedFile, p.alt = i.metaOf("_wp_attached_file"), i.metaOf("_wp_attachment_image_alt")
	p.caption, p.description = plain(f["excerpt:encoded"]), plain(f["content:encoded"])
	if at, ok := s.pathOf(p.url); ok {
		s.attached[at] = p.id
	}
	if p.skipped != "" {
		s.noFile(p, p.skipped)
		return
	}
	s.files = append(s.files, p.id)
}

// noFile lists an attachment that is not imported.
func (s *Source) noFile(p *post, reason string) {
	if p.kind != "attachment" {
		return
	}
	s.noFiles = append(s.noFiles, importing.File{
		ID: fmt.Sprintf("no file %d", len(s.noFiles)), Origin: importing.Origin{Kind: p.kind, ID: p.id}, URL: p.url, Open: importing.Missing(reason),
	})
}

func (s *Source) seeMenuItem(i *item) {
	m := &menuItem{
		id: i.id(), parent: i.metaOf("_menu_item_menu_item_parent"), label: plain(i.fields["title"]), url: i.metaOf("_menu_item_url"),
		kind: i.metaOf("_menu_item_type"), object: i.metaOf("_menu_item_object"), objectID: i.metaOf("_menu_item_object_id"),
	}
	m.order, _ = strconv.Atoi(i.fields["wp:menu_order"]) // 0 comes first
	if m.parent == "0" {
		m.parent = ""
	}
	for _, c := range i.categories {
		if c.domain == "nav_menu" {
			s.addTerm(&term{taxonomy: "nav_menu", slug: c.slug, name: plain(c.name)})
			s.menus[c.slug] = append(s.menus[c.slug], m)
		}
	}
}

func (s *Source) seeType(i *item, p *post) {
	t := s.types[p.kind]
	if t == nil {
		t = &postType{name: p.kind, meta: map[string]*field{}}
		s.types[p.kind] = t
		s.typeNames = append(s.typeNames, p.kind)
	}
	t.number++
	t.hierarchical = t.hierarchical || p.parent != "" || p.kind == "page"
	t.ordered = t.ordered || i.fields["wp:menu_order"] != "" && i.fields["wp:menu_order"] != "0"
	for _, c := range i.categories {
		if s.addTerm(&term{taxonomy: c.domain, slug: c.slug, name: plain(c.name)}) != nil && !slices.Contains(t.taxonomies, c.domain) {
			t.taxonomies = append(t.taxonomies, c.domain)
		}
	}
	for _, m := range i.meta {
		if !isField(m.key) {
			continue
		}
		of := t.meta[m.key]
		if of == nil {
			if len(t.meta) >= maxMeta {
				continue // Entries lists them
			}
			of = &field{}
			t.meta[m.key] = of
		}
		of.long = of.long || len(m.value) > maxText || strings.Contains(m.value, "\n")
		of.several = of.several || len(i.metas(m.key)) > 1
	}
	s.seePictures(i.fields["content:encoded"])
}

// Limits of fields that are made of meta.
const (
	maxMeta = 100 // fields
	maxText = 500 // bytes of a text that is not long
)

func isField(key string) bool {
	return key != "" && !strings.HasPrefix(key, "_") && !secrets.MatchString(key)
}

// Survey implements importing.Source.
func (s *Source) Survey() importing.Survey {
	out := importing.Survey{People: s.people, Addresses: s.addresses}
	taken, keyOf := map[string]bool{}, map[string]string{}
	var all []string
	key := func(kind, name string) {
		keyOf[kind] = importing.FreeKey(taken, named(name))
		all = append(all, keyOf[kind])
	}
	for _, name := range s.typeNames {
		key(name, name)
	}
	for _, name := range s.taxonomies {
		if name != "nav_menu" {
			key(termKind+name, name)
			out.Collections = append(out.Collections, termSuggestion(name, keyOf[termKind+name]))
		}
	}
	for _, name := range s.typeNames {
		out.Collections = append(out.Collections, s.typeSuggestion(s.types[name], keyOf))
	}
	if len(s.menus) > 0 {
		component, collection := menuSuggestions(all, importing.FreeKey(taken, "menus"))
		out.Components, out.Collections = append(out.Components, component), append(out.Collections, collection)
	}
	return out
}

// plural are the keys of collections that have other names than in WordPress.
var plural = map[string]string{"post": "posts", "page": "pages", "category": "categories", "post_tag": "tags"}

func named(name string) string { return cmp.Or(plural[name], name) }

func slugField(path bool, source string) definition.FieldInput {
	return definition.FieldInput{Name: "slug", Type: core.TypeSlug, Unique: true, Source: source, Style: slug.Unicode, Path: path}
}

func termSuggestion(taxonomy, key string) importing.Suggestion {
	s := importing.Suggest(termKind+taxonomy, key, titled(key))
	s.Add("name", definition.FieldInput{Name: "name", Type: core.TypeText, Required: true})
	s.Add("slug", slugField(false, "name"))
	s.Add("description", definition.FieldInput{Name: "description", Type: core.TypeLongText})
	s.Add("parent", definition.FieldInput{Name: "parent", Type: core.TypeRelation, Collection: key})
	return s.Suggestion
}

func (s *Source) typeSuggestion(t *postType, keyOf map[string]string) importing.Suggestion {
	key := keyOf[t.name]
	out := importing.Suggest(t.name, key, titled(key))
	out.Add("title", definition.FieldInput{Name: "title", Type: core.TypeText})
	out.Add("slug", slugField(t.hierarchical, "title"))
	out.Add("content", definition.FieldInput{Name: "body", Type: core.TypeRichText})
	out.Add("excerpt", definition.FieldInput{Name: "excerpt", Type: core.TypeLongText})
	out.Add("thumbnail", definition.FieldInput{Name: "cover", Type: core.TypeMedia})
	out.Add("author", definition.FieldInput{Name: "author", Type: core.TypeText})
	for _, taxonomy := range t.taxonomies {
		name := keyOf[termKind+taxonomy]
		out.Add(termKind+taxonomy, definition.FieldInput{Name: importing.FieldName(name), Type: core.TypeRelation, Collection: name, Multiple: true})
	}
	if t.hierarchical {
		out.Add("parent", definition.FieldInput{Name: "parent", Type: core.TypeRelation, Collection: key})
	}
	if t.ordered || t.name == "page" {
		out.Add("menu_order", definition.FieldInput{Name: "order", Type: core.TypeNumber})
	}
	if t.name == "post" {
		out.Add("sticky", definition.FieldInput{Name: "sticky", Type: core.TypeBoolean})
	}
	var keys []string
	for key := range t.meta {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		in := definition.FieldInput{Name: importing.FieldName(key), Type: core.TypeText, Multiple: t.meta[key].several}
		if in.Label = key; t.meta[key].long {
			in.Type = core.TypeLongText
		}
		out.Add("meta:"+key, in)
	}
	return out.Suggestion
}

func menuSuggestions(all []string, key string) (component, collection importing.Suggestion) {
	c := importing.Suggest(itemKind, "menu-item", "Menu item")
	c.Add("label", definition.FieldInput{Name: "label", Type: core.TypeText})
	c.Add("url", definition.FieldInput{Name: "url", Type: core.TypeText})
	c.Add("target", definition.FieldInput{Name: "target", Type: core.TypeRelation, Collections: all})
	c.Add("level", definition.FieldInput{Name: "level", Type: core.TypeNumber})
	m := importing.Suggest(menuKind, key, "Menus")
	m.Add("name", definition.FieldInput{Name: "name", Type: core.TypeText, Required: true})
	m.Add("slug", slugField(false, "name"))
	m.Add("items", definition.FieldInput{Name: "items", Type: core.TypeGroup, Component: "menu-item", Multiple: true})
	return c.Suggestion, m.Suggestion
}

// titled returns the name of a collection with that key.
func titled(key string) string {
	text := strings.ReplaceAll(key, "-", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// slugOf returns the path of slugs of a post, those of its parents before it.
func (s *Source) slugOf(p *post, hierarchical bool) string {
	parts, seen := []string{p.slug}, map[string]bool{p.id: true} // posts may be parents of each other
	for up := s.posts[p.parent]; hierarchical && up != nil && up.kind == p.kind && !seen[up.id] && len(parts) <= 20; up = s.posts[up.parent] {
		parts = append(parts, up.slug)
		seen[up.id] = true
	}
	slices.Reverse(parts)
	return strings.Join(parts, "/")
}

// decodedSlug returns a slug as people read it.
func decodedSlug(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		text = decoded
	}
	return text
}

// baseName returns the name of the file at an address.
func baseName(address string) string {
	if u, err := url.Parse(address); err == nil {
		return path.Base(u.Path)
	}
	return path.Base(address)
}
