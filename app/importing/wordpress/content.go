package wordpress

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	xhtml "golang.org/x/net/html"

	"imprimatur/app/importing"
	"imprimatur/core/canonical"
)

// blockComment is the comment that begins or ends a block, or is all of it: its groups are "/" of an end, the name of
// the block, its attributes, and "/" of a block without content.
var blockComment = regexp.MustCompile(`(?s)<!--\s+(/)?wp:((?:[a-z][a-z0-9_-]*/)?[a-z][a-z0-9_-]*)\s+(\{.*?\}\s+)?(/)?-->`)

// maxReusable is how deep reusable blocks are looked up in each other.
const maxReusable = 10

// markup returns the content of a post as rich text.
func (s *Source) markup(e *importing.Entry, content string) *importing.Markup {
	text := strings.ReplaceAll(strings.ReplaceAll(content, "\r\n", "\n"), "\r", "\n")
	text = s.blocks(e, text, 0)
	text = s.shortcodes(e, text)
	text = embeds.ReplaceAllStringFunc(text, func(match string) string {
		address := html.EscapeString(html.UnescapeString(embeds.FindStringSubmatch(match)[1]))
		return `<p><a href="` + address + `">` + address + `</a></p>`
	})
	for _, mark := range []string{"more", "nextpage"} {
		if n := strings.Count(text, "<!--"+mark); n > 0 {
			e.Lose(importing.LostPart, "content", "the mark "+mark+" has no meaning here", nil)
		}
	}
	text = marks.ReplaceAllString(text, "")
	m := &importing.Markup{}
	m.Text = importing.EditTags(text, func(tag *xhtml.Token) bool { return s.link(m, tag) })
	return m
}

var (
	embeds = regexp.MustCompile(`<div class="wp-block-embed__wrapper">\s*(https?://[^\s<]+)\s*</div>`)
	marks  = regexp.MustCompile(`<!--(more|nextpage|noteaser)[^>]*-->`)
)

// blocks returns content without the comments of blocks. What is outside of all blocks is classic content.
func (s *Source) blocks(e *importing.Entry, text string, reused int) string {
	if !strings.Contains(text, "<!-- wp:") && !blockComment.MatchString(text) {
		return classic(text)
	}
	var out strings.Builder
	depth, at := 0, 0
	write := func(part string) {
		if depth == 0 {
			part = classic(part)
		}
		out.WriteString(part)
	}
	for _, m := range blockComment.FindAllStringSubmatchIndex(text, -1) {
		write(text[at:m[0]])
		at = m[1]
		name := text[m[4]:m[5]]
		switch {
		case m[2] >= 0:
			depth = max(0, depth-1)
		case m[8] < 0:
			depth++
		default:
			attributes := ""
			if m[6] >= 0 {
				attributes = strings.TrimSpace(text[m[6]:m[7]])
			}
			out.WriteString(s.empty(e, name, attributes, reused))
		}
	}
	write(text[at:])
	return out.String()
}

// empty returns what a block without content shows.
func (s *Source) empty(e *importing.Entry, name, attributes string, reused int) string {
	var of struct {
		Ref json.Number `json:"ref"`
		URL string      `json:"url"`
	}
	_ = json.Unmarshal([]byte(attributes), &of) // without them the block is listed
	switch {
	case name == "block" && reused < maxReusable:
		if p := s.posts[of.Ref.String()]; p != nil && p.kind == "wp_block" {
			return s.blocks(e, p.content, reused+1)
		}
	case (name == "embed" || strings.HasPrefix(name, "core-embed/")) && strings.HasPrefix(of.URL, "http"):
		address := html.EscapeString(of.URL)
		return `<p><a href="` + address + `">` + address + `</a></p>`
	}
	e.Lose(importing.LostPart, "content", "the block "+name+" has no content of its own", canonical.Quote(attributes))
	return ""
}

// blockTag is the beginning of a paragraph that is none: WordPress leaves it as it is.
var blockTag = regexp.MustCompile(`(?i)^\s*</?(?:address|article|aside|blockquote|caption|center|col|colgroup|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|` +
	`footer|form|h[1-6]|header|hgroup|hr|iframe|legend|li|main|map|math|menu|nav|object|ol|option|p|pre|script|section|select|style|summary|table|tbody|td|` +
	`textarea|tfoot|th|thead|tr|ul|video|audio|!--)[\s/>-]`)

var (
	emptyLines = regexp.MustCompile(`\n[ \t]*(?:\n[ \t]*)+`)
	kept       = regexp.MustCompile(`(?is)<(pre|script|style|textarea|svg)\b.*?</(?:pre|script|style|textarea|svg)>`)
	alone      = regexp.MustCompile(`^https?://[^\s<"]+$`)
)

// keptMark stands for a part that is kept as it is.
const keptMark = "\uE000"

// classic returns classic content, in which empty lines end paragraphs, as HTML.
func classic(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	text = strings.ReplaceAll(text, keptMark, "")
	var parts []string
	text = kept.ReplaceAllStringFunc(text, func(part string) string {
		parts = append(parts, part)
		return "\n\n" + keptMark + strconv.Itoa(len(parts)-1) + keptMark + "\n\n"
	})
	var out strings.Builder
	for _, paragraph := range emptyLines.Split(text, -1) {
		paragraph = strings.Trim(paragraph, "\n\t ")
		number, isKept := strings.CutPrefix(paragraph, keptMark)
		switch {
		case paragraph == "":
		case isKept:
			n, _ := strconv.Atoi(strings.TrimSuffix(number, keptMark)) // made above
			out.WriteString(parts[n])
		case alone.MatchString(paragraph):
			address := html.EscapeString(html.UnescapeString(paragraph))
			out.WriteString(`<p><a href="` + address + `">` + address + "</a></p>")
		case blockTag.MatchString(paragraph), strings.HasPrefix(paragraph, "[") && strings.HasSuffix(paragraph, "]"):
			out.WriteString(paragraph)
		default:
			out.WriteString("<p>" + strings.ReplaceAll(paragraph, "\n", "<br>\n") + "</p>")
		}
		out.WriteByte('\n')
	}
	return out.String()
}

var (
	captionCode = regexp.MustCompile(`(?s)(?:<p>)?\[(?:wp_)?caption([^\]]*)\](.*?)\[/(?:wp_)?caption\](?:</p>)?`)
	pictured    = regexp.MustCompile(`(?s)^\s*((?:<a\s[^>]*>\s*)?<img\s[^>]*>(?:\s*</a>)?)\s*(.*?)\s*$`)
	captioned   = regexp.MustCompile(`caption=(?:"([^"]*)"|'([^']*)')`)
	galleryCode = regexp.MustCompile(`(?:<p>)?\[gallery([^\]]*)\](?:</p>)?`)
	galleryIDs  = regexp.MustCompile(`ids=["']?([0-9,\s]+)`)
	embedCode   = regexp.MustCompile(`(?:<p>)?\[embed[^\]]*\]\s*(https?://[^\s\[<]+)\s*\[/embed\](?:</p>)?`)
	anyCode     = regexp.MustCompile(`\[(/?)([a-z][a-z0-9_-]*)((?:\s+[^\]\[<>]*)?/?)\]`)
)

// shortcodes replaces the shortcodes of WordPress itself, and lists the others, which stay in the text.
func (s *Source) shortcodes(e *importing.Entry, text string) string {
	if !strings.Contains(text, "[") {
		return text
	}
	text = captionCode.ReplaceAllStringFunc(text, func(match string) string {
		groups := captionCode.FindStringSubmatch(match)
		inside := pictured.FindStringSubmatch(groups[2])
		if inside == nil {
			return groups[2]
		}
		caption := inside[2]
		if given := captioned.FindStringSubmatch(groups[1]); given != nil && caption == "" {
			caption = given[1] + given[2]
		}
		return "<figure>" + inside[1] + "<figcaption>" + caption + "</figcaption></figure>"
	})
	text = embedCode.ReplaceAllStringFunc(text, func(match string) string {
		address := html.EscapeString(html.UnescapeString(embedCode.FindStringSubmatch(match)[1]))
		return `<p><a href="` + address + `">` + address + `</a></p>`
	})
	text = galleryCode.ReplaceAllStringFunc(text, func(match string) string {
		return s.gallery(e, galleryCode.FindStringSubmatch(match)[1])
	})
	codes := map[string]int{}
	var names []string
	ends := map[string]bool{}
	found := anyCode.FindAllStringSubmatch(text, -1)
	for _, m := range found {
		ends[m[2]] = ends[m[2]] || m[1] != ""
	}
	for _, m := range found {
		if m[1] == "" && (ends[m[2]] || strings.Contains(m[3], "=") || strings.ContainsAny(m[2], "_-")) { // not a word in brackets
			if codes[m[2]]++; codes[m[2]] == 1 {
				names = append(names, m[2])
			}
		}
	}
	for _, name := range names {
		e.Lose(importing.LostPart, "content", "the shortcode "+name+" is text here", json.RawMessage(strconv.Itoa(codes[name])))
	}
	return text
}

// gallery returns the pictures of a gallery.
func (s *Source) gallery(e *importing.Entry, attributes string) string {
	var ids []string
	if given := galleryIDs.FindStringSubmatch(attributes); given != nil {
		for id := range strings.SplitSeq(given[1], ",") {
			ids = append(ids, strings.TrimSpace(id))
		}
	} else {
		for _, id := range s.files {
			if s.posts[id].parent == e.ID {
				ids = append(ids, id)
			}
		}
	}
	var out strings.Builder
	for _, id := range ids {
		p := s.posts[id]
		if p == nil || p.kind != "attachment" {
			e.Lose(importing.LostPart, "content", "a gallery has a picture that is not there", canonical.Quote(id))
			continue
		}
		out.WriteString(`<figure><img class="wp-image-` + id + `" src="` + html.EscapeString(p.url) + `" alt="` + html.EscapeString(p.alt) + `">`)
		if p.caption != "" {
			out.WriteString("<figcaption>" + html.EscapeString(p.caption) + "</figcaption>")
		}
		out.WriteString("</figure>")
	}
	return out.String()
}

var (
	pictureClass = regexp.MustCompile(`(?:^|\s)wp-image-([0-9]+)(?:\s|$)`)
	sizeSuffix   = regexp.MustCompile(`-[0-9]+x[0-9]+(\.[A-Za-z0-9]+)$`)
	scaledSuffix = regexp.MustCompile(`-scaled(\.[A-Za-z0-9]+)$`)
)

// link makes a picture or link of the site refer to what it shows.
func (s *Source) link(m *importing.Markup, tag *xhtml.Token) (changed bool) {
	before := len(tag.Attr)
	tag.Attr = slices.DeleteFunc(tag.Attr, func(a xhtml.Attribute) bool { return a.Key == "data-media" || a.Key == "data-entry" })
	changed = len(tag.Attr) < before
	name := map[string]string{"img": "src", "a": "href", "area": "href"}[tag.Data]
	if name == "" {
		return changed
	}
	at := slices.IndexFunc(tag.Attr, func(a xhtml.Attribute) bool { return a.Key == name })
	if file := s.fileOf(tag, at); file != "" {
		m.Files = append(m.Files, file)
		tag.Attr = append(tag.Attr, xhtml.Attribute{Key: "data-media", Val: strconv.Itoa(len(m.Files))})
		return true
	}
	if at < 0 || tag.Data == "img" {
		return changed
	}
	path, ok := s.pathOf(tag.Attr[at].Val)
	p := s.paths[path]
	if !ok || p == nil || path == "" || p.skipped != "" || p.kind == "attachment" || strings.HasPrefix(strings.TrimSpace(tag.Attr[at].Val), "#") {
		return changed
	}
	m.Refs = append(m.Refs, importing.Ref{Kind: p.kind, ID: p.id})
	tag.Attr = append(tag.Attr, xhtml.Attribute{Key: "data-entry", Val: strconv.Itoa(len(m.Refs))})
	return true
}

// fileOf returns the id of the file that an element shows or links to, "" without one. at is the index of the attribute
// with its address, or -1.
func (s *Source) fileOf(tag *xhtml.Token, at int) string {
	if tag.Data == "img" {
		class := slices.IndexFunc(tag.Attr, func(a xhtml.Attribute) bool { return a.Key == "class" })
		if class >= 0 {
			if id := pictureClass.FindStringSubmatch(tag.Attr[class].Val); id != nil && s.posts[id[1]] != nil && s.posts[id[1]].kind == "attachment" {
				return fileID(id[1])
			}
		}
	}
	if at < 0 {
		return ""
	}
	address := tag.Attr[at].Val
	if id := s.attachment(address); id != "" {
		return fileID(id)
	}
	if full := s.absolute(address); tag.Data == "img" && s.seen[full] {
		return "url " + full
	}
	return ""
}

// attachment returns the id of the attachment with that address, or with that of a smaller form of it.
func (s *Source) attachment(address string) string {
	path, ok := s.pathOf(address)
	if !ok || path == "" {
		return ""
	}
	for _, form := range []string{path, sizeSuffix.ReplaceAllString(path, "$1"), scaledSuffix.ReplaceAllString(path, "$1")} {
		for _, one := range []string{form, sizeSuffix.ReplaceAllString(form, "$1"), strings.TrimSuffix(form, extension(form)) + "-scaled" + extension(form)} {
			if id := s.attached[one]; id != "" {
				return id
			}
		}
	}
	return ""
}

func extension(name string) string {
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		return name[at:]
	}
	return ""
}

var pictureSource = regexp.MustCompile(`(?i)<img\s[^>]*?src=["']([^"']+)["']`)

// seePictures collects the pictures in uploads, which may be attachments that the export has later.
func (s *Source) seePictures(content string) {
	for _, m := range pictureSource.FindAllStringSubmatch(content, -1) {
		address := html.UnescapeString(m[1])
		if _, ok := s.pathOf(address); !ok || !strings.Contains(address, "/uploads/") {
			continue
		}
		if full := s.absolute(address); !s.seen[full] {
			s.seen[full] = true
			s.extra = append(s.extra, full)
		}
	}
}
