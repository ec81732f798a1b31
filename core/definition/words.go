package definition

import (
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

// searched is what searches in a collection find.
type searched struct {
	places []string // the searchable fields, and which components each field with items has, in their order
	title  string
	inside map[string]bool // the components that places has
}

// searchedTexts returns what searches in a collection find, with the fields of its components.
func searchedTexts(c *core.Collection) searched {
	s := searched{inside: map[string]bool{}}
	if c.SearchesTitles() {
		s.title = fmt.Sprint(c.TitleField().ID)
	}
	s.add("", c.Fields)
	return s
}

// add adds the fields of the collection, or of the component owner.
func (s *searched) add(owner string, fields []*core.Field) {
	for _, f := range fields {
		place := fmt.Sprint(owner, "/", f.ID, " ", f.Name, " ", f.Type)
		switch {
		case f.Secret():
		case f.Structured():
			for _, slug := range f.ComponentSlugs() {
				s.places = append(s.places, place+" "+slug)
				if c := f.ComponentNamed(slug); c != nil && !s.inside[slug] {
					s.inside[slug] = true
					s.add(slug, c.Fields)
				}
			}
		case f.Searchable && f.Kind() == fieldtype.Text:
			s.places = append(s.places, place)
		}
	}
}

// searches compares what searches find with what they found before. If that changed, entries must be
// indexed again; if they find less, they must not find it from now on.
func (d *definition) searches(before searched) {
	after := searchedTexts(d.Collection)
	lost := !subset(before.places, after.places)
	if lost {
		d.WordsEpoch++
	}
	d.reworded = lost || before.title != after.title || !slices.Equal(before.places, after.places)
}
