package wordpress

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"

	"imprimatur/app/importing"
)

// maxDepth is the largest number of elements of which one is inside the other.
const maxDepth = 100

// item is an element item of the export: a post of any type.
type item struct {
	fields     map[string]string // texts by the names of elements, such as "wp:post_id"
	categories []category
	meta       []meta
	comments   []comment
}

type category struct{ domain, slug, name string }

type meta struct{ key, value string }

type comment struct{ ID, Text string }

func (i *item) id() string   { return i.fields["wp:post_id"] }
func (i *item) kind() string { return i.fields["wp:post_type"] }

// metas returns the values of a key.
func (i *item) metas(key string) (values []string) {
	for _, m := range i.meta {
		if m.key == key {
			values = append(values, m.value)
		}
	}
	return values
}

func (i *item) metaOf(key string) string {
	if values := i.metas(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

// visitor gets the elements of an export in their order.
type visitor struct {
	channel func(name, text string)
	person  func(fields map[string]string)
	term    func(fields map[string]string) // with the names of the element term
	item    func(i *item) error
}

// reader reads an export as a stream of elements.
type reader struct {
	*xml.Decoder
	meter *importing.Meter
	depth int
}

// prefixes are the prefixes of names by what their namespace, which the export may not have declared, has in it.
var prefixes = []struct{ in, prefix string }{
	{"excerpt", "excerpt:"}, {"modules/content", "content:"}, {"content", "content:"}, {"purl.org/dc/", "dc:"}, {"dc", "dc:"},
	{"wordpress.org/export", "wp:"}, {"wp", "wp:"}, {"wellformedweb", "wfw:"},
}

func nameOf(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	for _, p := range prefixes {
		if strings.Contains(n.Space, p.in) {
			return p.prefix + n.Local
		}
	}
	return n.Space + ":" + n.Local
}

// noControl replaces the characters that XML does not have, and that exports have all the same, by spaces.
var noControl = runes.Map(func(r rune) rune {
	if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
		return ' '
	}
	return r
})

// mark is a byte order mark.
const mark = "\uFEFF"

// read calls v with the elements of in.
func read(ctx context.Context, in io.Reader, v visitor) error {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if first, _ := buffered.Peek(len(mark)); string(first) == mark { // an error comes again from Token
		_, _ = buffered.Discard(len(mark)) // it was read
	}
	text := transform.NewReader(buffered, transform.Chain(runes.ReplaceIllFormed(), noControl))
	bounded := importing.NewMeter(text)
	r := &reader{Decoder: xml.NewDecoder(bounded), meter: bounded}
	r.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("its encoding is %s, and must be UTF-8", label)
	}
	found := false
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.meter.Next()
		token, err := r.next()
		switch {
		case errors.Is(err, io.EOF) && found:
			return nil
		case errors.Is(err, io.EOF):
			return errors.New("it is no export of WordPress: it has no element rss")
		case err != nil:
			return r.fault(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		name := nameOf(start.Name)
		if !found && name != "rss" {
			return fmt.Errorf("it is no export of WordPress: its first element is %s", name)
		}
		if found = true; name == "rss" || name == "channel" {
			continue
		}
		if err := r.element(name, v); err != nil {
			return r.fault(err)
		}
	}
}

// fault says where the file has an error.
func (r *reader) fault(err error) error {
	line, _ := r.InputPos()
	syntax, ok := errors.AsType[*xml.SyntaxError](err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), ok && syntax.Msg == "unexpected EOF":
		return fmt.Errorf("line %d: the file ends in the middle: make the export again", line)
	case ok:
		return fmt.Errorf("line %d: it is not XML: %s", syntax.Line, syntax.Msg)
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// next returns the next token.
func (r *reader) next() (xml.Token, error) {
	token, err := r.Token()
	switch t := token.(type) {
	case xml.StartElement:
		if r.depth++; r.depth > maxDepth {
			return nil, fmt.Errorf("elements are nested more than %d deep", maxDepth)
		}
	case xml.EndElement:
		r.depth--
	case xml.Directive:
		return nil, fmt.Errorf("it declares %.20s, which an export of WordPress does not", string(t))
	}
	return token, err
}

// element reads an element of the channel.
func (r *reader) element(name string, v visitor) error {
	switch name {
	case "item":
		i, err := r.item()
		if err != nil {
			return err
		}
		return v.item(i)
	case "wp:author":
		fields, err := r.texts()
		v.person(fields)
		return err
	case "wp:category", "wp:tag", "wp:term":
		fields, err := r.texts()
		v.term(termOf(name, fields))
		return err
	}
	text, err := r.text()
	v.channel(name, text)
	return err
}

// termOf returns the fields of a category, tag or term with the names of a term.
func termOf(name string, fields map[string]string) map[string]string {
	of := func(names ...string) string {
		for _, n := range names {
			if text := fields["wp:"+n]; text != "" {
				return text
			}
		}
		return ""
	}
	taxonomy := map[string]string{"wp:category": "category", "wp:tag": "post_tag"}[name]
	if taxonomy == "" {
		taxonomy = of("term_taxonomy")
	}
	return map[string]string{
		"id": of("term_id"), "taxonomy": taxonomy, "slug": of("category_nicename", "tag_slug", "term_slug"),
		"name": of("cat_name", "tag_name", "term_name"), "parent": of("category_parent", "term_parent"),
		"description": of("category_description", "tag_description", "term_description"),
	}
}

// text returns the trimmed text of the element that was begun, without the elements in it.
func (r *reader) text() (string, error) {
	var out strings.Builder
	for depth := r.depth; ; {
		token, err := r.next()
		switch t := token.(type) {
		case xml.CharData:
			if r.depth == depth {
				out.Write(t)
			}
		case xml.EndElement:
			if r.depth < depth {
				return strings.TrimSpace(out.String()), nil
			}
		}
		if err != nil {
			return "", unexpected(err)
		}
	}
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// each calls visit with each element inside of the one that was begun.
func (r *reader) each(visit func(name string, start xml.StartElement) error) error {
	for depth := r.depth; ; {
		token, err := r.next()
		if err != nil {
			return unexpected(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := visit(nameOf(t.Name), t); err != nil {
				return err
			}
		case xml.EndElement:
			if r.depth < depth {
				return nil
			}
		}
	}
}

// texts returns the texts of the elements inside of the one that was begun, by their names.
func (r *reader) texts() (map[string]string, error) {
	fields := map[string]string{}
	err := r.each(func(name string, _ xml.StartElement) error {
		text, err := r.text()
		fields[name] = text
		return err
	})
	return fields, err
}

func (r *reader) item() (*item, error) {
	i := &item{fields: map[string]string{}}
	err := r.each(func(name string, start xml.StartElement) error {
		switch name {
		case "category":
			text, err := r.text()
			c := category{name: text}
			for _, a := range start.Attr {
				switch a.Name.Local {
				case "domain":
					c.domain = a.Value
				case "nicename":
					c.slug = a.Value
				}
			}
			i.categories = append(i.categories, c)
			return err
		case "wp:postmeta":
			fields, err := r.texts()
			i.meta = append(i.meta, meta{fields["wp:meta_key"], fields["wp:meta_value"]})
			return err
		case "wp:comment":
			fields, err := r.texts()
			i.comments = append(i.comments, comment{fields["wp:comment_id"], fields["wp:comment_content"]})
			return err
		}
		text, err := r.text()
		if _, twice := i.fields[name]; !twice {
			i.fields[name] = text
		}
		return err
	})
	return i, err
}

// pathOf returns an address without what pages of one site have in common: its host and the slashes around its path.
// ok is false for an address of another site.
func (s *Source) pathOf(address string) (path string, ok bool) {
	u, err := s.base.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || !sameHost(u.Host, s.base.Host) {
		return "", false
	}
	path = strings.Trim(u.Path, "/")
	for _, name := range []string{"p", "page_id", "attachment_id"} {
		if id := u.Query().Get(name); id != "" {
			return "?" + id, true
		}
	}
	return path, true
}

func sameHost(a, b string) bool {
	return strings.EqualFold(strings.TrimPrefix(strings.ToLower(a), "www."), strings.TrimPrefix(strings.ToLower(b), "www."))
}

// absolute returns an address of the site, which may be relative, in full.
func (s *Source) absolute(address string) string {
	u, err := s.base.Parse(address)
	if err != nil {
		return address
	}
	return u.String()
}

func parseBase(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return &url.URL{Scheme: "https", Host: "site.invalid", Path: "/"}
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u
}
