package projectdoc

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"imprimatur/core"
)

// MaxSize is the largest size of a document in bytes.
const MaxSize = 10 << 20

var errTooLarge = core.BadRequest("too_large", "the document has more than %d bytes: the Project has too many fields", MaxSize)

// Definitions are those of one Project. Their fields know the components of each other.
type Definitions struct {
	Project     *core.Project
	Collections []*core.Collection // sorted by slug
	Components  []*core.Component  // sorted by slug
}

// writer makes one document.
type writer struct {
	*Template
	Definitions

	owners map[string]*owner // of collections, by slug
	parts  map[string]string // the names of components, by slug
	out    map[string]object // components by kind
	err    error
}

// owner is a collection whose schemas are written. All collections together are an owner without a
// collection.
type owner struct {
	name       string // which its schemas begin with
	collection *core.Collection
}

// Document returns the document of the Project with these definitions as JSON. server is the address of the
// Project in the content API. KindBadRequest with the code too_large: it would have more than MaxSize bytes.
func (t *Template) Document(d Definitions, server string) ([]byte, error) {
	w := &writer{Template: t, Definitions: d, out: map[string]object{}}
	w.name()
	document := object{
		"openapi": "3.1.0",
		"info": object{
			"title": plain(d.Project.Name), "version": t.info["version"], "description": about,
			"license": w.info["license"], "contact": w.info["contact"],
		},
		"servers": []any{object{"url": server, "description": "The Project."}},
		"paths":   w.allPaths(),
		"tags":    w.tags(),
	}
	w.out["securitySchemes"] = object{credentialName: t.credential}
	document["components"] = w.out
	if w.err != nil {
		return nil, w.err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	if b.Len() > MaxSize {
		return nil, errTooLarge
	}
	return b.Bytes(), nil
}

const about = "The content API of one Project: its collections with their fields. Requests need a token of the Project: `Authorization: Bearer …`. " +
	"The document changes with the definitions of the Project."

const generalTag = "Project"

func (w *writer) tags() []any {
	tags := []any{object{"name": generalTag, "description": "Operations that belong to no single collection."}}
	for _, c := range w.Collections {
		tags = append(tags, object{"name": c.Slug, "description": "Entries of " + plain(c.Name) + "."})
	}
	return tags
}

// allPaths returns the operations.
func (w *writer) allPaths() object {
	paths := object{}
	for _, path := range slices.Sorted(maps.Keys(w.paths)) {
		rest, repeated := strings.CutPrefix(path, ofCollection)
		if !repeated {
			paths[path] = w.item(w.paths[path], nil)
			continue
		}
		for _, c := range w.Collections {
			if rest == "entry" && !c.Singleton {
				continue
			}
			paths["/collections/"+c.Slug+"/"+rest] = w.item(w.paths[path], w.owners[c.Slug])
		}
	}
	return paths
}

// item returns the operations at one path, of a collection unless of is nil.
func (w *writer) item(methods object, of *owner) object {
	item := object{}
	for method, each := range methods {
		operation := maps.Clone(each.(object))
		operation["tags"] = []any{generalTag}
		target := of
		if of != nil {
			id := operation["operationId"].(string)
			operation["operationId"], operation["tags"] = id+"Of"+of.name, []any{of.collection.Slug}
			operation["parameters"] = w.parametersOf(operation["parameters"].([]any), of)
			if id == "listReferrers" {
				target = w.owners[""]
			}
		}
		item[method] = w.use(operation, target)
	}
	return item
}

// parametersOf returns the parameters of an operation of a collection.
func (w *writer) parametersOf(given []any, of *owner) []any {
	own := []any{}
	for _, each := range given {
		switch _, name := split(each.(object)["$ref"].(string)); name {
		case "slug": // is in the path
		case "WhereParameter", "SortParameter", "OrParameter":
			w.put(parameters, of.name+name, func() object { return w.querying(name, of.collection) })
			own = append(own, refTo(parameters, of.name+name))
		default:
			own = append(own, each)
		}
	}
	return own
}

// put adds a component to the document if it lacks it.
func (w *writer) put(kind, name string, made func() object) {
	all := w.out[kind]
	if all == nil {
		all = object{}
		w.out[kind] = all
	}
	if all[name] == nil {
		all[name] = object{} // ends recursion
		all[name] = made()
	}
}

// use returns v, a part of the document of the whole API, with the components of a collection in place of
// those that contain an entry. It adds all components that v refers to. Examples of entries are left out: they are of other collections.
func (w *writer) use(v any, of *owner) any {
	switch v := v.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok {
			kind, name := split(ref)
			return w.component(kind, name, of)
		}
		copied := make(object, len(v))
		if choices, ok := v["anyOf"].([]any); ok && slices.ContainsFunc(choices, isAny) { // which says nothing
			v = maps.Clone(v)
			delete(v, "anyOf")
		}
		for name, inner := range v {
			if of != nil && (name == "example" || name == "examples") {
				continue
			}
			copied[name] = w.use(inner, of)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, inner := range v {
			copied[i] = w.use(inner, of)
		}
		return copied
	default:
		return v
	}
}

// component returns a reference to a component, and adds it.
func (w *writer) component(kind, name string, of *owner) object {
	typed := of != nil && w.typed[kind][name]
	if !typed {
		of = nil
	}
	shown := name
	if typed {
		shown = of.name + name
	}
	w.put(kind, shown, func() object {
		if typed && kind == schemas {
			switch name {
			case entrySchema:
				return w.entry(of)
			case writeSchema, managedSchema:
				return w.withFields(w.components[kind][name], of)
			}
		}
		return w.use(w.components[kind][name], of).(object)
	})
	return refTo(kind, shown)
}

// withFields returns the schema of a write, or of its response, with the fields of the collection.
func (w *writer) withFields(schema object, of *owner) object {
	own := w.use(schema, of).(object)
	members := maps.Clone(own["properties"].(object))
	members["fields"] = w.fields(of)
	members["locale"] = w.locale()
	own["properties"] = members
	return own
}

// isAny reports whether a schema matches every value.
func isAny(schema any) bool {
	s, ok := schema.(object)
	return ok && len(s) == 0
}
