package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/definition"
	"imprimatur/core/slug"
)

// MaxText is the maximum size of a file in bytes.
const MaxText = 1 << 20

// maxNesting is the maximum depth of lists and objects in a default.
const maxNesting = 50

// Parse reads a file. It returns core.KindInvalid with all faults, each with its line. A file is one YAML
// document without anchors, aliases and tags, of at most MaxText bytes.
func Parse(text []byte) (File, error) {
	if len(text) > MaxText {
		return File{}, core.Invalid(core.FieldError{Location: "schema", Message: "must have at most " + strconv.Itoa(MaxText) + " bytes"})
	}
	root, err := document(text)
	if err != nil {
		return File{}, core.Invalid(core.FieldError{Location: "schema", Message: err.Error()})
	}
	return ParseNode(root)
}

// ParseNode is Parse for the root of a document.
func ParseNode(root *yaml.Node) (File, error) {
	p := &parser{file: File{lines: map[string]int{}}}
	p.object("", root, map[string]func(at string, n *yaml.Node){
		"format": func(at string, n *yaml.Node) {
			if n.Value != strconv.Itoa(format) {
				p.fault(at, n, "must be "+strconv.Itoa(format))
			}
		},
		"components": func(at string, n *yaml.Node) {
			p.file.Components = p.definitions(at, n, false)
		},
		"collections": func(at string, n *yaml.Node) {
			p.file.Collections = p.definitions(at, n, true)
		},
	}, "format")
	p.checkNames()
	return p.file, p.faults.Err()
}

// checkNames adds a fault for each field that names a definition of the file by a slug that is no key.
func (p *parser) checkNames() {
	slugs, keys := map[string]string{}, p.file.slugs()
	for path, slug := range keys {
		kind, key, _ := strings.Cut(path, ".")
		slugs[kind+"."+slug] = key
	}
	for _, list := range p.file.kinds() {
		for i, in := range *list.of {
			for j, f := range in.Fields {
				for _, path := range named([]definition.FieldInput{f}) {
					if key := slugs[path]; keys[path] == "" && key != "" {
						at := fmt.Sprintf("%s[%d].fields[%d]", list.name, i, j)
						p.faults.Add(at, nil, fmt.Sprintf("line %d: must name the definition by its key %s, not by its slug", p.file.lines[at], key))
					}
				}
			}
		}
	}
}

var lineOf = regexp.MustCompile(`^yaml: (line \d+: )?`)

// document returns the root of the only document of a text.
func document(text []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("must not be empty")
	case err != nil:
		return nil, errors.New("is not YAML: " + lineOf.ReplaceAllString(core.Clip(err.Error()), "$1"))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be one YAML document")
	}
	return doc.Content[0], nil
}

// parser reads the nodes of a file and collects the faults.
type parser struct {
	file   File
	faults core.Faults
}

func (p *parser) fault(at string, n *yaml.Node, message string) {
	p.faults.Add(at, nil, fmt.Sprintf("line %d: %s", n.Line, message))
}

// simple reports whether n is the node of that kind, without what a file does not have.
func (p *parser) simple(at string, n *yaml.Node, kind yaml.Kind, what string) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		p.fault(at, n, "must not have anchors and aliases")
	case n.Style&yaml.TaggedStyle != 0:
		p.fault(at, n, "must not have a tag")
	case n.Kind != kind:
		p.fault(at, n, "must be "+what)
	default:
		return true
	}
	return false
}

// object reads the members of a mapping. A member that read does not have is a fault.
func (p *parser) object(at string, n *yaml.Node, read map[string]func(at string, n *yaml.Node), required ...string) {
	if !p.simple(strings.TrimSuffix(at, "."), n, yaml.MappingNode, "an object") {
		return
	}
	p.file.lines[strings.TrimSuffix(at, ".")] = n.Line
	var names []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		do := read[name.Value]
		switch {
		case !p.simple(at+core.Clip(name.Value), name, yaml.ScalarNode, "a name"):
		case do == nil:
			p.fault(at+core.Clip(name.Value), name, "unknown member")
		case slices.Contains(names, name.Value):
			p.fault(at+name.Value, name, "is given twice")
		default:
			p.file.lines[at+name.Value] = name.Line
			do(at+name.Value, value)
		}
		names = append(names, name.Value)
	}
	for _, name := range required {
		if !slices.Contains(names, name) {
			p.fault(at+name, n, "is required")
		}
	}
}

// list calls read with each element of a sequence and its location.
func (p *parser) list(at string, n *yaml.Node, read func(at string, n *yaml.Node)) {
	if !p.simple(at, n, yaml.SequenceNode, "a list") {
		return
	}
	for i, element := range n.Content {
		read(at+"["+strconv.Itoa(i)+"]", element)
	}
}

// definitions reads components or collections.
func (p *parser) definitions(at string, n *yaml.Node, collections bool) (list []definition.CollectionInput) {
	keys, slugs := map[string]bool{}, map[string]bool{}
	p.list(at, n, func(at string, n *yaml.Node) {
		var in definition.CollectionInput
		key := ""
		read := map[string]func(string, *yaml.Node){
			"key":         p.text(&key),
			"slug":        p.text(&in.Slug),
			"name":        p.text(&in.Name),
			"description": p.text(&in.Description),
			"fields": func(at string, n *yaml.Node) {
				p.list(at, n, func(at string, n *yaml.Node) { in.Fields = append(in.Fields, p.field(at, n)) })
			},
		}
		if collections {
			in.Icon = core.DefaultIcon
			read["icon"] = func(at string, n *yaml.Node) { p.text((*string)(&in.Icon))(at, n) }
			read["previewUrl"] = p.text(&in.PreviewURL)
			read["singleton"] = p.flag(&in.Singleton)
		}
		p.object(at+".", n, read, "key", "name")
		if in.Slug == "" {
			in.Slug = key
		} else if in.Slug != key {
			in.Key = key
		}
		if keys[key] && key != "" {
			p.fault(at+".key", n, "is the key of another one")
		} else if slugs[in.Slug] && in.Slug != "" {
			p.fault(at+".slug", n, "is the slug of another one")
		}
		keys[key], slugs[in.Slug] = true, true
		list = append(list, in)
	})
	return list
}

func (p *parser) field(at string, n *yaml.Node) (in definition.FieldInput) {
	style := ""
	p.object(at+".", n, map[string]func(string, *yaml.Node){
		"name": p.text(&in.Name), "label": p.text(&in.Label), "help": p.text(&in.Help), "type": p.text((*string)(&in.Type)),
		"required": p.flag(&in.Required), "unique": p.flag(&in.Unique), "multiple": p.flag(&in.Multiple), "hidden": p.flag(&in.Hidden),
		"min": p.number(&in.Min), "max": p.number(&in.Max), "pattern": p.text(&in.Pattern), "patternMessage": p.text(&in.PatternMessage),
		"choices": p.texts(&in.Choices), "source": p.text(&in.Source), "style": p.text(&style), "path": p.flag(&in.Path),
		"collection": p.text(&in.Collection), "collections": p.texts(&in.Collections),
		"component": p.text(&in.Component), "components": p.texts(&in.Components),
		"default": func(at string, n *yaml.Node) {
			var raw bytes.Buffer
			if p.json(at, n, &raw, 0) && raw.String() != "null" {
				in.Default = raw.Bytes()
			}
		},
		"indexed": func(at string, n *yaml.Node) {
			in.Indexed = new(bool)
			p.flag(in.Indexed)(at, n)
		},
		"filterable": p.flag(&in.Filterable), "searchable": p.flag(&in.Searchable),
	}, "name", "type")
	in.Style = slug.Style(style)
	return in
}

// text returns a reader of a text.
func (p *parser) text(to *string) func(string, *yaml.Node) {
	return func(at string, n *yaml.Node) {
		if !p.simple(at, n, yaml.ScalarNode, "a text") {
			return
		}
		if !isText(n) {
			p.fault(at, n, "must be a text: put it in quotes")
			return
		}
		*to = n.Value
	}
}

// isText reports whether YAML reads the scalar as a text. A date without quotes counts as one.
func isText(n *yaml.Node) bool { return n.ShortTag() == "!!str" || n.ShortTag() == "!!timestamp" }

func (p *parser) texts(to *[]string) func(string, *yaml.Node) {
	return func(at string, n *yaml.Node) {
		p.list(at, n, func(at string, n *yaml.Node) {
			var text string
			p.text(&text)(at, n)
			*to = append(*to, text)
		})
	}
}

func (p *parser) flag(to *bool) func(string, *yaml.Node) {
	return func(at string, n *yaml.Node) {
		if !p.simple(at, n, yaml.ScalarNode, "true or false") {
			return
		}
		if n.Style != 0 || n.Value != "true" && n.Value != "false" {
			p.fault(at, n, "must be true or false")
		}
		*to = n.Value == "true"
	}
}

var jsonNumber = regexp.MustCompile(`\A-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?\z`)

func (p *parser) number(to **float64) func(string, *yaml.Node) {
	return func(at string, n *yaml.Node) {
		if !p.simple(at, n, yaml.ScalarNode, "a number") {
			return
		}
		value, err := strconv.ParseFloat(n.Value, 64)
		if n.Style != 0 || err != nil || !jsonNumber.MatchString(n.Value) {
			p.fault(at, n, "must be a number, such as 200 or -1.5")
			return
		}
		*to = &value
	}
}

// json writes a node as JSON. It returns false after a fault.
func (p *parser) json(at string, n *yaml.Node, out *bytes.Buffer, depth int) bool {
	if depth > maxNesting {
		p.fault(at, n, "must have at most "+strconv.Itoa(maxNesting)+" levels")
		return false
	}
	var ok bool
	switch n.Kind {
	case yaml.SequenceNode:
		ok = p.simple(at, n, n.Kind, "")
		out.WriteByte('[')
		for i, element := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			ok = ok && p.json(at, element, out, depth+1)
		}
		out.WriteByte(']')
	case yaml.MappingNode:
		ok = p.simple(at, n, n.Kind, "")
		out.WriteByte('{')
		for i := 0; ok && i+1 < len(n.Content); i += 2 {
			name := n.Content[i]
			if ok = p.simple(at, name, yaml.ScalarNode, "a name"); i > 0 {
				out.WriteByte(',')
			}
			out.Write(canonical.Quote(name.Value))
			out.WriteByte(':')
			ok = ok && p.json(at, n.Content[i+1], out, depth+1)
		}
		out.WriteByte('}')
	default:
		ok = p.simple(at, n, yaml.ScalarNode, "a value") && p.jsonScalar(at, n, out)
	}
	return ok
}

func (p *parser) jsonScalar(at string, n *yaml.Node, out *bytes.Buffer) bool {
	switch tag := n.ShortTag(); {
	case isText(n):
		out.Write(canonical.Quote(n.Value))
	case tag == "!!null":
		out.WriteString("null")
	case tag == "!!bool" && (n.Value == "true" || n.Value == "false"), jsonNumber.MatchString(n.Value) && json.Valid([]byte(n.Value)):
		out.WriteString(n.Value)
	default:
		p.fault(at, n, "must be a value as JSON has it; put a text in quotes")
		return false
	}
	return true
}

// place adds to the faults of err the line of the nearest member of the file that has one.
func (f File) place(err error) error {
	return core.EditFields(err, func(fault *core.FieldError) {
		for at := fault.Location; at != ""; at = at[:max(strings.LastIndexAny(at, ".["), 0)] {
			if line := f.lines[at]; line != 0 {
				fault.Message = fmt.Sprintf("line %d: %s", line, fault.Message)
				return
			}
		}
	})
}
