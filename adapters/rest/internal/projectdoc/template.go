package projectdoc

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// object is a decoded JSON object.
type object = map[string]any

// The members of components.
const (
	schemas    = "schemas"
	parameters = "parameters"
	responses  = "responses"
)

// The schemas of the document of the whole API that the schemas of a collection replace.
const (
	entrySchema   = "Entry"
	writeSchema   = "EntryWrite"
	managedSchema = "ManagedEntry"
)

// ofCollection is the beginning of the paths of the operations of one collection.
const ofCollection = "/collections/{slug}/"

// Template has what the documents of all Projects share. It is safe for concurrent use.
type Template struct {
	info       object
	paths      map[string]object            // operations by method, by the path after that of the Project
	components map[string]map[string]object // by kind and name
	typed      map[string]map[string]bool   // the components that contain an entry, by kind and name
	credential any                          // the security scheme of tokens
}

// credentialName is the name of the security scheme of tokens.
const credentialName = "projectToken"

// New returns the Template for the operations in document, the OpenAPI document of the whole API in JSON,
// whose paths begin with prefix, the path of a Project.
func New(document []byte, prefix string) (*Template, error) {
	var whole struct {
		Info       object
		Paths      map[string]map[string]object
		Components map[string]map[string]object
	}
	if err := json.Unmarshal(document, &whole); err != nil {
		return nil, err
	}
	t := &Template{info: whole.Info, paths: map[string]object{}, components: whole.Components}
	t.credential = whole.Components["securitySchemes"][credentialName]
	for _, path := range slices.Sorted(maps.Keys(whole.Paths)) {
		own, ok := strings.CutPrefix(path, prefix)
		if !ok {
			continue
		}
		item := object{}
		for method, operation := range whole.Paths[path] {
			operation["security"] = []any{object{credentialName: []any{}}}
			operation["parameters"] = t.share(operation)
			item[method] = operation
		}
		t.paths[cmp.Or(own, "/")] = item
	}
	t.typed = map[string]map[string]bool{schemas: {}, responses: {}}
	for grown := true; grown; {
		grown = false
		for _, kind := range []string{schemas, responses} {
			for name, component := range t.components[kind] {
				if !t.typed[kind][name] && (kind == schemas && name == entrySchema || kind == schemas && name == writeSchema || t.mentionsTyped(component)) {
					t.typed[kind][name], grown = true, true
				}
			}
		}
	}
	t.typed[schemas][managedSchema] = true
	return t, nil
}

// share returns the parameters of an operation but the Project, as references to components, which it adds.
func (t *Template) share(operation object) []any {
	shared := []any{}
	given, _ := operation["parameters"].([]any)
	for _, each := range given {
		p := each.(object)
		if ref, ok := p["$ref"].(string); ok {
			if !strings.HasSuffix(ref, "/projectUuid") {
				shared = append(shared, p)
			}
			continue
		}
		title := capital(strings.ReplaceAll(p["name"].(string), "-", ""))
		name := title + "Parameter"
		if in, _ := p["in"].(string); in == "header" {
			name = title + "Header"
		}
		for n := 2; t.components[parameters][name] != nil && !same(t.components[parameters][name], p); n++ {
			name = title + "Parameter" + strconv.Itoa(n)
		}
		t.components[parameters][name] = p
		shared = append(shared, refTo(parameters, name))
	}
	return shared
}

// mentionsTyped reports whether v has a reference to a component that contains an entry.
func (t *Template) mentionsTyped(v any) (found bool) {
	eachRef(v, func(ref string) {
		kind, name := split(ref)
		found = found || t.typed[kind][name] || kind == schemas && name == managedSchema
	})
	return found
}

// same reports whether two values have the same JSON.
func same(a, b any) bool {
	x, _ := json.Marshal(a) // decoded JSON always has JSON
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// eachRef calls visit with each reference in v.
func eachRef(v any, visit func(ref string)) {
	switch v := v.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok {
			visit(ref)
		}
		for _, inner := range v {
			eachRef(inner, visit)
		}
	case []any:
		for _, inner := range v {
			eachRef(inner, visit)
		}
	}
}

const componentsAt = "#/components/"

// refTo returns a reference to a component.
func refTo(kind, name string) object { return object{"$ref": componentsAt + kind + "/" + name} }

// split returns the kind and the name of the component that a reference leads to.
func split(ref string) (kind, name string) {
	kind, name, _ = strings.Cut(strings.TrimPrefix(ref, componentsAt), "/")
	return kind, name
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
