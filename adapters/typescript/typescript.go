package typescript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

// head is the beginning of each module. A field cannot have the name "collection", which therefore
// distinguishes a Reference from an entry.
const head = `// The collections of one Project, written by "imprimatur types". Do not edit.

/** A related entry that is deeper than the parameter depth. Only a Reference has the member "collection". */
export interface Reference { id: number; collection: string; _collection?: undefined }

/** A related entry in changes: the entry of the translation group that serves the reader's locale. */
export interface GroupReference { group: number; collection: string }
`

// changes is the end of each module: the items of the changes of the Project.
const changes = `
/** The entries of collections with a single entry. */
export type Singleton = %s;

/** A value in changes: relations name a translation group, and media that are not sealed their id. */
export type Changed<V> = V extends readonly (infer I)[] ? Changed<I>[]
  : V extends MediaView ? MediaView | { id: number }
  : V extends Reference | { id: number; locale: Locale } ? GroupReference
  : V extends object ? { [Name in keyof V]: Changed<V[Name]> }
  : V;

/** What GET /changes lists. */
export type Change =
  | { [Slug in keyof Collections]: {
      op: "put"; id: number; group: number; collection: Slug; locale: Locale; contentHash: string; publishedAt: string;
      entry: { [Name in keyof Collections[Slug]]: Changed<Collections[Slug][Name]> }; tags?: string[];
    } }[keyof Collections]
  | { op: "delete"; id: number; group: number; collection: keyof Collections; locale: Locale; tags?: string[] }
  | { op: "media"; media: MediaItem; tags?: string[] }
  | { op: "mediaDeleted"; id: number; tags?: string[] }
  | { op: "reset"; collection?: string };

/** All types of the Project, for createClient of @imprimatur/client. */
export interface Schema { collections: Collections; singleton: Singleton; locale: Locale; change: Change }
`

// system are the members of each entry before its fields, those of wire.Entry.
const system = `  id: number;
  locale: Locale;
  publishedAt: string | null; // null: a draft
  createdAt?: string; // only with timestamps=true
  updatedAt?: string; // only with timestamps=true
`

// Module returns a TypeScript module with an interface for each of the collections and components,
// which are those of the project, sorted by slug, and an interface Collections that maps the slugs of
// collections to them. Blocks are a union of interfaces that _type distinguishes, and
// relations to several collections one that _collection distinguishes. Secret
// fields are left out, and the help of others is their comment. Each single value can be null, also of a required field, because a field can
// become required after an entry was published.
func Module(project wire.PublicProject, collections []wire.PublicCollection, components []wire.PublicComponent) []byte {
	m, names := bytes.NewBufferString(head), interfaceNames(collections, components)
	m.WriteString("\nexport interface MediaView {\n")
	writeMembers(m, reflect.TypeFor[wire.MediaView]())
	m.WriteString("\n/** A file of the library. */\nexport interface MediaItem extends MediaView {\n")
	writeMembers(m, reflect.TypeFor[wire.MediaFile]())
	fmt.Fprintf(m, "\nexport type Locale = %s;\n", union(project.Locales))
	for _, c := range components {
		fmt.Fprintf(m, "\n/** An item of the component %q. */\nexport interface %s {\n", c.Slug, names.component[c.Slug])
		writeFields(m, names, c.Fields)
	}
	for _, c := range collections {
		fmt.Fprintf(m, "\nexport interface %s {\n%s", names.collection[c.Slug], system)
		writeFields(m, names, c.Fields)
	}
	m.WriteString("\n/** The entries of each collection, by its slug. */\nexport interface Collections {\n")
	for _, c := range collections {
		fmt.Fprintf(m, "  %s: %s;\n", quote(c.Slug), names.collection[c.Slug])
	}
	m.WriteString("}\n")
	fmt.Fprintf(m, changes, singletons(collections))
	return m.Bytes()
}

// singletons returns the type of the slugs of collections with a single entry.
func singletons(collections []wire.PublicCollection) string {
	var slugs []string
	for _, c := range collections {
		if c.Singleton {
			slugs = append(slugs, c.Slug)
		}
	}
	if slugs == nil {
		return "never"
	}
	return union(slugs)
}

// writeMembers writes the members of a type of package wire, and the end of its interface.
func writeMembers(m *bytes.Buffer, t reflect.Type) {
	for i := range t.NumField() {
		fmt.Fprintf(m, "  %s: %s;\n", t.Field(i).Tag.Get("json"), typeOf(t.Field(i).Type))
	}
	m.WriteString("}\n")
}

// writeFields writes the members of an interface, and its end.
func writeFields(m *bytes.Buffer, names interfaces, fields []wire.PublicField) {
	for _, f := range fields {
		if f.Help != "" {
			fmt.Fprintf(m, "  /** %s */\n", comment.Replace(f.Help))
		}
		fmt.Fprintf(m, "  %s: %s;\n", f.Name, fieldType(names, f))
	}
	m.WriteString("}\n")
}

// comment makes a text one line that does not end a comment.
var comment = strings.NewReplacer("*/", "* /", "\r\n", " ", "\n", " ", "\r", " ", "\u2028", " ", "\u2029", " ")

// typeOf returns the type of a member of a type of package wire.
func typeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		if value, null := t.FieldByName("Value"); null { // wire.OrNull
			return typeOf(value.Type)
		}
		members := make([]string, t.NumField())
		for i := range members {
			members[i] = t.Field(i).Tag.Get("json") + ": " + typeOf(t.Field(i).Type)
		}
		return "{ " + strings.Join(members, "; ") + " }"
	case reflect.Pointer:
		return typeOf(t.Elem()) + " | null"
	case reflect.Slice:
		return typeOf(t.Elem()) + "[]"
	case reflect.String:
		return "string"
	default:
		return "number"
	}
}

// fieldType returns the type of the member that shows f.
func fieldType(names interfaces, f wire.PublicField) string {
	value := valueType(names, f)
	switch {
	case f.Multiple && strings.ContainsAny(value, "|&"):
		return "(" + value + ")[]"
	case f.Multiple:
		return value + "[]"
	case value == "unknown": // includes null
		return value
	}
	return value + " | null"
}

// valueType returns the type of one value of f, other than null.
func valueType(names interfaces, f wire.PublicField) string {
	switch core.FieldType(f.Type) {
	case core.TypeBoolean:
		return "boolean"
	case core.TypeEnumeration:
		return union(f.Choices)
	case core.TypeMedia:
		return "MediaView"
	case core.TypeRelation:
		if len(f.Collections) > 0 {
			return severalType(names, f)
		}
		if name, ok := names.collection[f.Collection]; ok {
			return name + " | Reference"
		}
		return "never" // the collection no longer exists
	case core.TypeGroup:
		if f.Multiple {
			return names.component[f.Component] + " & { _key: string }"
		}
		return names.component[f.Component]
	case core.TypeBlocks:
		items := make([]string, len(f.Components))
		for i, slug := range f.Components {
			items[i] = fmt.Sprintf("{ _type: %s; _key: string } & %s", quote(slug), names.component[slug])
		}
		return strings.Join(items, " | ")
	}
	kind := fieldtype.Of(core.FieldType(f.Type))
	if kind == nil { // of a service that is newer than this program
		return "unknown"
	}
	return map[fieldtype.Kind]string{fieldtype.Text: "string", fieldtype.Time: "string", fieldtype.Number: "number", fieldtype.Opaque: "unknown"}[kind.Kind]
}

// severalType returns the type of one value of a relation to several collections.
func severalType(names interfaces, f wire.PublicField) string {
	var union strings.Builder
	for _, slug := range f.Collections {
		if name, ok := names.collection[slug]; ok {
			fmt.Fprintf(&union, "{ %s: %s } & %s | ", core.RelatedCollection, quote(slug), name)
		}
	}
	return union.String() + "Reference"
}

// interfaces are the names of the interfaces of collections and of components, by slug.
type interfaces struct{ collection, component map[string]string }

// interfaceNames returns a name for each interface: the slug in PascalCase. A name that would start with a digit starts with "_", and a name that is taken ends
// with "_" and a number; no slug has a "_".
func interfaceNames(collections []wire.PublicCollection, components []wire.PublicComponent) interfaces {
	names := interfaces{map[string]string{}, map[string]string{}}
	taken := []string{"Change", "Changed", "Collections", "GroupReference", "Locale", "MediaItem", "MediaView", "Reference", "Schema", "Singleton"}
	name := func(slug string) string {
		base := ""
		for word := range strings.SplitSeq(slug, "-") {
			base += strings.ToUpper(word[:1]) + word[1:]
		}
		if base[0] <= '9' {
			base = "_" + base
		}
		name := base
		for n := 2; slices.Contains(taken, name); n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		taken = append(taken, name)
		return name
	}
	for _, c := range collections {
		names.collection[c.Slug] = name(c.Slug)
	}
	for _, c := range components {
		names.component[c.Slug] = name(c.Slug)
	}
	return names
}

// union returns the type of the texts.
func union(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quote(text)
	}
	return strings.Join(quoted, " | ")
}

// quote returns a string literal. JSON text is also TypeScript.
func quote(text string) string {
	literal, _ := json.Marshal(text) // a string always has JSON
	return string(literal)
}
