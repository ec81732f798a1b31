package importing

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
)

// Mapping says what the kinds, fields, locales and people of a source become. As a file it is one of definitions
// (package core/definition/schema) with more members:
//
//	system: wordpress       the source that it is for
//	site: https://…
//	locales: {en-US: en}    locales of the project by those of the source; "" leaves one out
//	people: {jane: Jane Doe} names by logins
//	from: post              in a collection, component or field: what it is in the source, or a list of that
//
// A kind or field of the source that no from names is left out, and listed.
type Mapping struct {
	System, Site string
	Locales      map[string]string
	People       map[string]string
	File         schema.File

	collections, components map[string]mapped // by their names in the source
}

// mapped is what a kind becomes.
type mapped struct {
	key    string
	fields map[string]string // names by those in the source
}

// MappingOf returns the mapping that a source suggests for a project with the definitions known. Locales are those of
// the project with the same tag, or else with the same language. A definition that cannot be merged into that of the
// project gets another key.
func MappingOf(s Source, project *core.Project, known schema.File) Mapping {
	survey := s.Survey()
	m := Mapping{System: s.System(), Site: s.Site(), Locales: map[string]string{}, People: maps.Clone(survey.People)}
	for i, tag := range survey.Locales {
		m.Locales[tag], _ = project.ResolveLocale(strings.ReplaceAll(tag, "_", "-"))
		if i == 0 && m.Locales[tag] == "" {
			m.Locales[tag] = project.DefaultLocale
		}
	}
	m.components, m.File.Components = suggested(survey.Components)
	m.collections, m.File.Collections = suggested(survey.Collections)
	m.avoid(known)
	return m
}

// avoid gives other keys to definitions whose fields are other ones in known.
func (m *Mapping) avoid(known schema.File) {
	taken := func(f schema.File) bool { return len(known.Conflicts(f)) > 0 }
	components, collections := map[string]string{}, map[string]string{}
	for _, c := range m.File.Components {
		components[c.Slug] = freeKey(c, func(c definition.CollectionInput) bool {
			return taken(schema.File{Components: []definition.CollectionInput{c}})
		})
	}
	for _, c := range m.File.Collections {
		collections[c.Slug] = freeKey(c, func(c definition.CollectionInput) bool {
			return taken(schema.File{Collections: []definition.CollectionInput{c}})
		})
	}
	for _, list := range [][]definition.CollectionInput{m.File.Components, m.File.Collections} {
		for i := range list {
			for j := range list[i].Fields {
				f := &list[i].Fields[j]
				f.Component, f.Components = renamed(components, f.Component)[0], renamed(components, f.Components...)
				f.Collection, f.Collections = renamed(collections, f.Collection)[0], renamed(collections, f.Collections...)
			}
		}
	}
	rename := func(list []definition.CollectionInput, kinds map[string]mapped, names map[string]string) {
		for i := range list {
			list[i].Slug = names[list[i].Slug]
		}
		for from, kind := range kinds {
			kind.key = names[kind.key]
			kinds[from] = kind
		}
	}
	rename(m.File.Components, m.components, components)
	rename(m.File.Collections, m.collections, collections)
}

func freeKey(c definition.CollectionInput, taken func(definition.CollectionInput) bool) string {
	key := c.Slug
	for n := 2; taken(c); n++ {
		c.Slug = key + "-" + strconv.Itoa(n)
	}
	return c.Slug
}

// renamed returns keys by their new names.
func renamed(names map[string]string, keys ...string) []string {
	var list []string
	for _, key := range keys {
		if name := names[key]; name != "" {
			key = name
		}
		list = append(list, key)
	}
	return list
}

func suggested(list []Suggestion) (kinds map[string]mapped, definitions []definition.CollectionInput) {
	kinds = map[string]mapped{}
	for _, s := range list {
		fields := map[string]string{}
		for i, from := range s.Fields {
			if from != "" {
				fields[from] = s.Definition.Fields[i].Name
			}
		}
		kinds[s.From] = mapped{s.Slug, fields}
		definitions = append(definitions, s.Definition)
	}
	return kinds, definitions
}

// KeepLegacy adds LegacyField to each collection.
func (m *Mapping) KeepLegacy() {
	for i := range m.File.Collections {
		c := &m.File.Collections[i]
		if !slices.ContainsFunc(c.Fields, func(f definition.FieldInput) bool { return f.Name == LegacyField }) {
			c.Fields = append(slices.Clip(c.Fields), definition.FieldInput{Name: LegacyField, Type: core.TypeJSON, Hidden: true})
		}
	}
}

// Text returns the mapping as a file.
func (m Mapping) Text() []byte {
	var out bytes.Buffer
	for i, line := range strings.SplitAfter(string(m.File.Text()), "\n") {
		out.WriteString(line)
		if i == 0 { // the format
			m.head(&out)
		}
	}
	return m.addFrom(out.Bytes())
}

// head writes what a mapping has before its definitions.
func (m Mapping) head(out *bytes.Buffer) {
	fmt.Fprintf(out, "system: %s\nsite: %s\n", schema.Scalar(m.System), schema.Scalar(m.Site))
	for _, texts := range []struct {
		name string
		of   map[string]string
	}{{"locales", m.Locales}, {"people", m.People}} {
		if len(texts.of) > 0 {
			fmt.Fprintf(out, "%s:\n", texts.name)
		}
		for _, from := range slices.Sorted(maps.Keys(texts.of)) {
			fmt.Fprintf(out, "  %s: %s\n", schema.Scalar(from), schema.Scalar(texts.of[from]))
		}
	}
}

// The lines that begin a definition and a field in a file of schema.File.Text.
const (
	definitionLine = "  - key: "
	fieldLine      = "      - name: "
)

// addFrom adds what definitions are in the source to a file, after the lines that begin them.
func (m Mapping) addFrom(text []byte) []byte {
	var out bytes.Buffer
	kinds, definitions := m.components, m.File.Components
	at, field := -1, 0
	for line := range strings.SplitAfterSeq(string(text), "\n") {
		out.WriteString(line)
		switch {
		case strings.HasPrefix(line, "collections:"):
			kinds, definitions, at = m.collections, m.File.Collections, -1
		case strings.HasPrefix(line, definitionLine):
			at, field = at+1, 0
			writeFrom(&out, "    ", froms(kinds, schema.KeyOf(definitions[at]), ""))
		case strings.HasPrefix(line, fieldLine):
			writeFrom(&out, "        ", froms(kinds, schema.KeyOf(definitions[at]), definitions[at].Fields[field].Name))
			field++
		}
	}
	return out.Bytes()
}

// froms returns what a definition, or a field of it, is in the source.
func froms(kinds map[string]mapped, key, field string) (list []string) {
	for from, kind := range kinds {
		switch {
		case kind.key != key:
		case field == "":
			list = append(list, from)
		default:
			for in, name := range kind.fields {
				if name == field && !slices.Contains(list, in) {
					list = append(list, in)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

func writeFrom(out *bytes.Buffer, indent string, list []string) {
	switch len(list) {
	case 0:
	case 1:
		fmt.Fprintf(out, "%sfrom: %s\n", indent, schema.Scalar(list[0]))
	default:
		for i := range list {
			list[i] = schema.Scalar(list[i])
		}
		fmt.Fprintf(out, "%sfrom: [%s]\n", indent, strings.Join(list, ", "))
	}
}

// member returns the value of a member of an object; nil without it.
func member(object *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == name {
			return object.Content[i+1]
		}
	}
	return nil
}

// ParseMapping reads a mapping for a source. It returns core.KindInvalid with all faults, each with its line, also of
// what the source does not have.
func ParseMapping(text []byte, s Source) (Mapping, error) {
	m := Mapping{Locales: map[string]string{}, People: map[string]string{}, collections: map[string]mapped{}, components: map[string]mapped{}}
	if len(text) > schema.MaxText {
		return m, core.Invalid(core.FieldError{Location: "mapping", Message: "must have at most " + strconv.Itoa(schema.MaxText) + " bytes"})
	}
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&root); err != nil || len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		if err == nil || errors.Is(err, io.EOF) {
			err = errors.New("it has no members")
		}
		return m, core.Invalid(core.FieldError{Location: "mapping", Message: "is not YAML of a mapping: " + core.Clip(err.Error())})
	}
	p := mappingParser{survey: s.Survey()}
	object := root.Content[0]
	m.System, m.Site = p.text(take(object, "system"), "system"), p.text(take(object, "site"), "site")
	if m.System != s.System() || m.Site != s.Site() {
		p.faults.Add("system", nil, fmt.Sprintf("is a mapping for %s of %s, and this is %s of %s", core.Clip(m.System), core.Clip(m.Site), s.System(), s.Site()))
	}
	p.texts(take(object, "locales"), "locales", m.Locales)
	p.texts(take(object, "people"), "people", m.People)
	for tag := range m.Locales {
		if !slices.Contains(p.survey.Locales, tag) {
			p.faults.Add("locales."+core.Clip(tag), nil, "is no locale of the source")
		}
	}
	p.kinds(member(object, "components"), "components", p.survey.Components, m.components)
	p.kinds(member(object, "collections"), "collections", p.survey.Collections, m.collections)
	var err error
	m.File, err = schema.ParseNode(object)
	if found := p.faults.Err(); found != nil {
		return m, found
	}
	return m, err
}

// mappingParser reads what a mapping has beside definitions.
type mappingParser struct {
	survey Survey
	faults core.Faults
}

func (p *mappingParser) fault(at string, n *yaml.Node, message string) {
	p.faults.Add(at, nil, fmt.Sprintf("line %d: %s", n.Line, message))
}

// take removes a member of an object, and returns its value; nil without it.
func take(object *yaml.Node, name string) *yaml.Node {
	for i := 0; object.Kind == yaml.MappingNode && i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == name {
			value := object.Content[i+1]
			object.Content = slices.Delete(object.Content, i, i+2)
			return value
		}
	}
	return nil
}

func (p *mappingParser) text(n *yaml.Node, at string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode:
		p.fault(at, n, "must be a text")
		return ""
	}
	return n.Value
}

func (p *mappingParser) texts(n *yaml.Node, at string, to map[string]string) {
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.fault(at, n, "must be an object")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		to[n.Content[i].Value] = p.text(n.Content[i+1], at)
	}
}

// from removes the member from of an object, and returns its texts.
func (p *mappingParser) from(object *yaml.Node, at string) (froms []string) {
	n := take(object, "from")
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode:
		for _, one := range n.Content {
			froms = append(froms, p.text(one, at))
		}
	default:
		froms = append(froms, p.text(n, at))
	}
	return froms
}

func (p *mappingParser) kinds(list *yaml.Node, at string, known []Suggestion, to map[string]mapped) {
	if list == nil || list.Kind != yaml.SequenceNode {
		return // schema.ParseNode has the fault
	}
	for i, element := range list.Content {
		if element.Kind != yaml.MappingNode {
			continue
		}
		at := fmt.Sprintf("%s[%d]", at, i)
		key := member(element, "key")
		fields, sources := map[string]string{}, map[string]*yaml.Node{}
		if inside := member(element, "fields"); inside != nil && inside.Kind == yaml.SequenceNode {
			for j, field := range inside.Content {
				name := member(field, "name")
				for _, from := range p.from(field, fmt.Sprintf("%s.fields[%d].from", at, j)) {
					if name != nil {
						fields[from], sources[from] = name.Value, field
					}
				}
			}
		}
		for _, from := range p.from(element, at+".from") {
			n := slices.IndexFunc(known, func(s Suggestion) bool { return s.From == from })
			switch {
			case n < 0:
				p.fault(at+".from", element, "the source has no "+core.Clip(from))
			case to[from].key != "":
				p.fault(at+".from", element, core.Clip(from)+" is named twice")
			case key != nil:
				to[from] = mapped{key.Value, fields}
				for name := range sources {
					if slices.Contains(known[n].Fields, name) {
						delete(sources, name)
					}
				}
			}
		}
		for name, field := range sources {
			p.fault(at+".fields", field, "the source has no field "+core.Clip(name)+" there")
		}
	}
}
