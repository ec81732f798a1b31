package core

import (
	"slices"

	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/words"
)

// Words has the tokens of one version of an entry that searches find.
type Words struct {
	All   words.Bag // of all texts, the title among them
	Title words.Bag
}

// Words returns the tokens of doc: of the searchable texts of c, also of those inside of items, and of rich
// text without its markup, with the alternative texts of pictures. It has none of secret or removed fields. Title has the tokens of c.TitleField if
// that is searchable.
func (c *Collection) Words(doc Document) *Words {
	w := new(Words)
	title := c.TitleField()
	if title != nil {
		title.eachSearched(doc.Value(title.Name), func(text string) {
			w.Title.Add(text)
			w.All.Add(text)
		})
	}
	for _, f := range c.Fields {
		if f != title {
			f.eachSearched(doc.Value(f.Name), w.All.Add)
		}
	}
	return w
}

// maxExcerpted bounds the bytes of an entry's texts in which Collection.Excerpt looks for words.
const maxExcerpted = 64 << 10

// Excerpt returns a part of a searchable text of doc around the first words of the search, or nil if the first 64 kB of
// the texts have none. The title comes last, because results show it anyway.
func (c *Collection) Excerpt(s *words.Search, doc Document) (found []words.Piece) {
	left := maxExcerpted
	look := func(text string) {
		if found == nil && left > 0 {
			found = s.Excerpt(text, left)
			left -= len(text)
		}
	}
	title := c.TitleField()
	for _, f := range c.Fields {
		if f != title {
			f.eachSearched(doc.Value(f.Name), look)
		}
	}
	if title != nil && found == nil {
		left = maxExcerpted
		title.eachSearched(doc.Value(title.Name), look)
	}
	return found
}

// eachSearched calls visit with the searchable texts in raw, a value of f.
func (f *Field) eachSearched(raw []byte, visit func(text string)) {
	switch {
	case len(raw) == 0 || f.Secret():
	case f.Structured():
		f.EachItem(raw, func(c *Component, item Document) {
			for _, inner := range c.Fields {
				inner.eachSearched(item.Value(inner.Name), visit)
			}
		})
	case f.Searchable && f.Kind() == fieldtype.Text:
		canonical.Elements(raw, func(element []byte) {
			if value, ok := DecodeValue(f.Type, element); ok {
				visit(f.wordedText(value))
			}
		})
	}
}

// Searches reports whether entries of c can have words that searches find: whether a text of c, or of the
// components of its items, is Searchable.
func (c *Collection) Searches() bool { return searches(c.Fields, map[string]bool{}) }

// searches reports whether one of the fields is a Searchable text or can have one in its items. known has the
// components without one.
func searches(fields []*Field, known map[string]bool) bool {
	return slices.ContainsFunc(fields, func(f *Field) bool {
		if !f.Structured() || f.Secret() {
			return f.Searchable && !f.Secret()
		}
		return slices.ContainsFunc(f.ComponentSlugs(), func(slug string) bool {
			c := f.ComponentNamed(slug)
			if c == nil || known[slug] {
				return false
			}
			known[slug] = true
			return searches(c.Fields, known)
		})
	})
}

// SearchesTitles reports whether entries of c have Words.Title.
func (c *Collection) SearchesTitles() bool {
	title := c.TitleField()
	return title != nil && title.Searchable && !title.Secret()
}

// Rank returns the value of query.RankField for an entry of c with the document.
func (c *Collection) Rank(s *words.Search, doc Document) float64 {
	if s.In(&c.Words(doc).Title) {
		return 1
	}
	return 0
}
