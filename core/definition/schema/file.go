package schema

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/definition"
)

// format is the version of the file format.
const format = 1

// File has the definitions of a Project. Their fields name each other by key.
type File struct {
	Components  []definition.CollectionInput // Icon, PreviewURL and Singleton are zero
	Collections []definition.CollectionInput

	lines map[string]int // by the location of a member; only of parsed files
}

// Of returns the file of stored definitions, ordered by key.
func Of(components []*core.Component, collections []*core.Collection) File {
	f := File{}
	for _, c := range components {
		f.Components = append(f.Components, definition.CollectionInput{Slug: c.Slug, Key: c.OwnKey, Name: c.Name, Description: c.Description, Fields: inputs(c.Fields)})
	}
	for _, c := range collections {
		f.Collections = append(f.Collections, definition.CollectionInput{
			Slug: c.Slug, Key: c.OwnKey, Name: c.Name, Description: c.Description, Icon: c.Icon, PreviewURL: c.PreviewURL, Singleton: c.Singleton, Fields: inputs(c.Fields),
		})
	}
	keys := names{}
	for _, list := range f.kinds() {
		for _, in := range *list.of {
			keys[list.name+"."+in.Slug] = KeyOf(in)
		}
	}
	for _, list := range f.kinds() {
		slices.SortFunc(*list.of, func(a, b definition.CollectionInput) int { return cmp.Compare(KeyOf(a), KeyOf(b)) })
		for i, in := range *list.of {
			(*list.of)[i].Fields = keys.in(in.Fields)
		}
	}
	return f
}

// kind is one of the lists of a file.
type kind struct {
	name string // componentKind or collectionKind
	of   *[]definition.CollectionInput
}

func (f *File) kinds() []kind {
	return []kind{{componentKind, &f.Components}, {collectionKind, &f.Collections}}
}

// KeyOf returns what identifies a definition.
func KeyOf(in definition.CollectionInput) string { return cmp.Or(in.Key, in.Slug) }

// names are other names of definitions, by their kind and name: "collections.news".
type names map[string]string

// slugs returns the slugs of the definitions of f by their keys.
func (f File) slugs() names {
	slugs := names{}
	for _, list := range f.kinds() {
		for _, in := range *list.of {
			slugs[list.name+"."+KeyOf(in)] = in.Slug
		}
	}
	return slugs
}

// in returns the fields with the other names of the definitions that they name. A name that n does not have stays.
func (n names) in(fields []definition.FieldInput) []definition.FieldInput {
	other := func(kind, name string) string { return cmp.Or(n[kind+"."+name], name) }
	all := func(kind string, list []string) []string {
		list = slices.Clone(list)
		for i, name := range list {
			list[i] = other(kind, name)
		}
		return list
	}
	fields = slices.Clone(fields)
	for i, f := range fields {
		fields[i].Collection, fields[i].Collections = other(collectionKind, f.Collection), all(collectionKind, f.Collections)
		fields[i].Component, fields[i].Components = other(componentKind, f.Component), all(componentKind, f.Components)
	}
	return fields
}

func inputs(fields []*core.Field) []definition.FieldInput {
	list := make([]definition.FieldInput, len(fields))
	for i, f := range fields {
		list[i] = definition.InputOf(f)
	}
	return list
}

// fingerprint returns a short text that differs when the file of the definitions differs, or when one was
// deleted and made again.
func fingerprint(components []*core.Component, collections []*core.Collection) string {
	hash := sha256.New()
	hash.Write(Of(components, collections).Text())
	for _, c := range components {
		fmt.Fprintf(hash, "component %s %d\n", c.Slug, c.ID)
	}
	for _, c := range collections {
		fmt.Fprintf(hash, "collection %s %d\n", c.Slug, c.ID)
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// member is an option of a definition that is not its default. The value is a string, a bool, a float64, a
// list of strings, or the JSON of a default.
type member struct {
	name  string
	value any
}

// members are the options of a definition, in the order of the file.
type members []member

func (m *members) text(name, value string) {
	if value != "" {
		*m = append(*m, member{name, value})
	}
}

func (m *members) flag(name string, value bool) {
	if value {
		*m = append(*m, member{name, true})
	}
}

func (m *members) number(name string, value *float64) {
	if value != nil {
		*m = append(*m, member{name, *value})
	}
}

func (m *members) list(name string, value []string) {
	if len(value) > 0 {
		*m = append(*m, member{name, value})
	}
}

// value returns the option of that name, nil for the default.
func (m members) value(name string) any {
	if at := slices.IndexFunc(m, func(one member) bool { return one.name == name }); at >= 0 {
		return m[at].value
	}
	return nil
}

// headOf returns the options of a component or collection, without its fields.
func headOf(in definition.CollectionInput) (m members) {
	m.text("key", KeyOf(in))
	if in.Slug != KeyOf(in) {
		m.text("slug", in.Slug)
	}
	m.text("name", in.Name)
	m.text("description", in.Description)
	if in.Icon != core.DefaultIcon {
		m.text("icon", string(in.Icon))
	}
	m.text("previewUrl", in.PreviewURL)
	m.flag("singleton", in.Singleton)
	return m
}

// optionsOf returns the options of a field.
func optionsOf(in definition.FieldInput) (m members) {
	in = definition.Normal(in)
	m.text("name", in.Name)
	m.text("label", in.Label)
	m.text("help", in.Help)
	m.text("type", string(in.Type))
	m.flag("required", in.Required)
	m.flag("unique", in.Unique)
	m.flag("multiple", in.Multiple && in.Type != core.TypeBlocks)
	m.flag("hidden", in.Hidden)
	m.number("min", in.Min)
	m.number("max", in.Max)
	m.text("pattern", in.Pattern)
	m.text("patternMessage", in.PatternMessage)
	m.list("choices", in.Choices)
	m.text("source", in.Source)
	m.text("style", string(in.Style))
	m.flag("path", in.Path)
	m.text("collection", in.Collection)
	m.list("collections", in.Collections)
	m.text("component", in.Component)
	m.list("components", in.Components)
	if in.Default != nil {
		m = append(m, member{"default", in.Default})
	}
	if in.Indexed != nil {
		m = append(m, member{"indexed", *in.Indexed})
	}
	m.flag("filterable", in.Filterable)
	m.flag("searchable", in.Searchable)
	return m
}

// Text returns the file as YAML. Equal definitions have equal bytes.
func (f File) Text() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "format: %d\n", format)
	definitions(&out, "components", f.Components)
	definitions(&out, "collections", f.Collections)
	return out.Bytes()
}

func definitions(out *bytes.Buffer, name string, list []definition.CollectionInput) {
	if len(list) == 0 {
		fmt.Fprintf(out, "%s: []\n", name)
		return
	}
	fmt.Fprintf(out, "%s:\n", name)
	for _, in := range list {
		write(out, "  ", headOf(in))
		if len(in.Fields) == 0 {
			out.WriteString("    fields: []\n")
			continue
		}
		out.WriteString("    fields:\n")
		for _, field := range in.Fields {
			write(out, "      ", optionsOf(field))
		}
	}
}

// write writes the members of an element of a list.
func write(out *bytes.Buffer, indent string, list members) {
	for i, m := range list {
		mark := "  "
		if i == 0 {
			mark = "- "
		}
		fmt.Fprintf(out, "%s%s%s: %s\n", indent, mark, m.name, scalar(m.value))
	}
}

// Scalar returns a text as YAML on one line, which can be an element of a list or the name of a member.
func Scalar(text string) string {
	if plain(text) && !strings.ContainsAny(text, ",") {
		return text
	}
	return quoted(text)
}

// scalar returns a value as YAML on one line.
func scalar(value any) string {
	switch value := value.(type) {
	case string:
		if plain(value) {
			return value
		}
		return quoted(value)
	case []string:
		texts := make([]string, len(value))
		for i, text := range value {
			if texts[i] = text; !plain(text) || strings.ContainsAny(text, ",") {
				texts[i] = quoted(text)
			}
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case json.RawMessage:
		return flow(value)
	default:
		text, _ := json.Marshal(value)
		return string(text)
	}
}

// flow returns JSON as a YAML value on one line.
func flow(raw json.RawMessage) string {
	var list []json.RawMessage
	var text string
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0:
		return "null"
	case raw[0] == '"' && json.Unmarshal(raw, &text) == nil:
		return quoted(text)
	case raw[0] == '[' && json.Unmarshal(raw, &list) == nil:
		texts := make([]string, len(list))
		for i, element := range list {
			texts[i] = flow(element)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case raw[0] == '{':
		return flowObject(raw)
	default:
		return string(raw)
	}
}

// flowObject is flow for an object, whose members keep their order.
func flowObject(raw json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	var texts []string
	_, err := decoder.Token()
	for err == nil && decoder.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = decoder.Token(); err == nil {
			err = decoder.Decode(&value)
		}
		key, _ := name.(string)
		texts = append(texts, quoted(key)+": "+flow(value))
	}
	return "{" + strings.Join(texts, ", ") + "}"
}

// reserved are the words that YAML, in one version or another, does not read as texts.
var reserved = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// plain reports whether YAML reads the text as itself, without quotes.
func plain(text string) bool {
	if text == "" || strings.HasSuffix(text, " ") || slices.Contains(reserved, strings.ToLower(text)) {
		return false
	}
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0xBF && r < 0x250
		inside := r >= '0' && r <= '9' || strings.ContainsRune(" -_./()'&?!,", r)
		if !letter && (i == 0 || !inside) {
			return false
		}
	}
	return true
}

// quoted returns a text in double quotes, on one line of characters that are printed.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case r <= 0xFFFF && (!strconv.IsPrint(r) || r == 0xFEFF):
			fmt.Fprintf(&out, `\u%04X`, r)
		case !strconv.IsPrint(r):
			fmt.Fprintf(&out, `\U%08X`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
