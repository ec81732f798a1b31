package projectdoc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// What the names of schemas of a collection or a component end with.
const (
	fieldsSuffix  = "Fields"
	relatedSuffix = "Related"
	targetSuffix  = "Target"
	groupSuffix   = "Group"
	itemSuffix    = "Item"
	blockSuffix   = "Block"
	writeSuffix   = "Write"
)

// The names of schemas that no collection has.
const (
	localeSchema    = "Locale"
	referenceSchema = "Reference"
	mediaSchema     = "MediaView"
	alternateSchema = "Alternate"
	referrersSchema = "Referrers"
)

// entry returns the schema of an entry of a collection, or of any collection.
func (w *writer) entry(of *owner) object {
	if of.collection == nil {
		return w.anyEntry()
	}
	w.put(schemas, alternateSchema, func() object {
		return object{
			"type": "object", "required": []any{"id", "locale"},
			"properties": object{"id": id(), "locale": w.locale(), "slug": object{"type": "string"}},
		}
	})
	w.put(schemas, referrersSchema, func() object {
		return object{
			"type": "object", "required": []any{"items", "total"},
			"properties": object{
				"items": list(w.component(schemas, entrySchema, w.owners[""])),
				"total": object{"type": "integer", "format": "int64", "description": "Exact up to 1000."},
				"more":  object{"type": "boolean", "description": "Whether there are more than total."},
			},
		}
	})
	members := maps.Clone(w.use(w.components[schemas][entrySchema], nil).(object)["properties"].(object))
	for name, each := range members {
		member := maps.Clone(each.(object))
		delete(member, "examples")
		members[name] = member
	}
	members["locale"] = w.locale()
	members["_alternates"] = described(list(refTo(schemas, alternateSchema)), "Only with alternates=true.")
	members["_referrers"] = object{"type": "object", "additionalProperties": refTo(schemas, referrersSchema), "description": "Only with referrers: by what it names."}
	w.add(members, of.collection.Fields, w.shown)
	return object{
		"type": "object", "required": []any{"id", "locale"}, "properties": members,
		"description": strings.TrimSpace("An entry of " + plain(of.collection.Name) + ". " + plain(of.collection.Description) + " The parameter fields leaves out members."),
	}
}

// anyEntry returns the schema of an entry of any collection.
func (w *writer) anyEntry() object {
	every, mapping := []any{}, object{}
	for _, c := range w.Collections {
		ref := w.related(w.owners[c.Slug])
		every, mapping[c.Slug] = append(every, ref), ref["$ref"]
	}
	return object{"oneOf": every, "discriminator": object{"propertyName": core.RelatedCollection, "mapping": mapping}}
}

// related returns a reference to the schema of an entry that is shown with its collection.
func (w *writer) related(of *owner) object {
	name := of.name + relatedSuffix
	w.put(schemas, name, func() object {
		return object{
			"description": "An entry behind a relation to several collections, or among referrers.",
			"allOf": []any{w.component(schemas, entrySchema, of), object{
				"type": "object", "required": []any{core.RelatedCollection}, "properties": object{core.RelatedCollection: object{"type": "string", "enum": []any{of.collection.Slug}}},
			}},
		}
	})
	return refTo(schemas, name)
}

// fields returns a reference to the schema of the values that a write takes.
func (w *writer) fields(of *owner) object {
	name := of.name + fieldsSuffix
	w.put(schemas, name, func() object {
		members := object{}
		w.add(members, of.collection.Fields, w.written)
		return object{"type": "object", "properties": members, "description": "Values by field; null clears. Drafts may be incomplete. Relations and media are ids."}
	})
	return refTo(schemas, name)
}

// add adds the fields that are not secret to members.
func (w *writer) add(members object, fields []*core.Field, value func(f *core.Field) object) {
	for _, f := range fields {
		if f.Secret() {
			continue
		}
		members[f.Name] = value(f)
	}
	names := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if other, twice := names[bare(name)]; twice { // Go has one name for both
			member := members[name].(object)
			member["x-go-name"] = goName(name, other)
		}
		names[bare(name)] = name
	}
}

// goName returns a name for a member in Go that differs from that of another one.
func goName(name, other string) string {
	escaped := capital(strings.ReplaceAll(name, "_", "Underscore"))
	if bare(escaped) == bare(other) {
		escaped += "Or" + fmt.Sprintf("%x", name)
	}
	return escaped
}

// shown returns the schema of a member that shows f.
func (w *writer) shown(f *core.Field) object {
	var value object
	switch f.Type {
	case core.TypeMedia:
		value = w.media()
	case core.TypeRelation:
		value = w.target(f)
	case core.TypeGroup, core.TypeBlocks:
		value = w.items(f, "", w.shown)
	default:
		value = scalar(f)
	}
	if f.Multiple {
		return explained(list(value), f)
	}
	return explained(orNull(value), f)
}

// target returns the schema of an entry that relation f leads to.
func (w *writer) target(f *core.Field) object {
	if of := w.owners[f.Collection]; !f.ToSeveral() && of != nil {
		name := of.name + targetSuffix
		w.put(schemas, name, func() object { return object{"oneOf": []any{w.component(schemas, entrySchema, of), w.reference()}} })
		return refTo(schemas, name)
	}
	var targets []any
	for _, slug := range f.Collections {
		if of := w.owners[slug]; of != nil {
			targets = append(targets, w.related(of))
		}
	}
	if targets == nil {
		return w.reference() // no collection exists any longer
	}
	return object{"oneOf": append(targets, w.reference())}
}

// written returns the schema of a member that writes f.
func (w *writer) written(f *core.Field) object {
	var value object
	switch f.Type {
	case core.TypeMedia:
		value = id()
	case core.TypeRelation:
		value = id()
	case core.TypeGroup, core.TypeBlocks:
		value = w.items(f, writeSuffix, w.written)
	default:
		value = scalar(f)
		bound(value, f)
	}
	if f.Multiple {
		value = list(value)
		if f.Max != nil {
			value["maxItems"] = int64(*f.Max)
		}
	}
	return explained(orNull(value), f)
}

// items returns the schema of one item of f. The names of the schemas end with suffix.
func (w *writer) items(f *core.Field, suffix string, value func(f *core.Field) object) object {
	if f.Type == core.TypeGroup {
		kind := groupSuffix
		if f.Multiple {
			kind = itemSuffix
		}
		return w.itemSchema(f.ComponentNamed(f.Component), kind, suffix, value)
	}
	choices, mapping := []any{}, object{}
	for _, slug := range f.Components {
		if component := f.ComponentNamed(slug); component != nil {
			ref := w.itemSchema(component, blockSuffix, suffix, value)
			choices, mapping[slug] = append(choices, ref), ref["$ref"]
		}
	}
	if len(choices) == 0 {
		return object{"type": "object"}
	}
	return object{"oneOf": choices, "discriminator": object{"propertyName": core.ItemType, "mapping": mapping}}
}

// itemSchema returns a reference to the schema of items of a component.
func (w *writer) itemSchema(c *core.Component, kind, suffix string, value func(f *core.Field) object) object {
	if c == nil {
		return object{"type": "object"}
	}
	name := w.parts[c.Slug] + kind + suffix
	w.put(schemas, name, func() object {
		members, required := object{}, []any{}
		w.add(members, c.Fields, value)
		if kind != groupSuffix {
			members[core.ItemKey] = object{"type": "string", "description": "Identifies the item in its list. It stays when the item moves."}
			if suffix == "" {
				required = append(required, core.ItemKey)
			}
		}
		if kind == blockSuffix {
			members[core.ItemType] = object{"type": "string", "enum": []any{c.Slug}}
			required = append(required, core.ItemType)
		}
		schema := object{"type": "object", "properties": members, "description": strings.TrimSpace("An item of " + plain(c.Name) + ". " + plain(c.Description))}
		if len(required) > 0 {
			schema["required"] = required
		}
		return schema
	})
	return refTo(schemas, name)
}

// scalar returns the schema of one value of f that is neither a reference nor an item.
func scalar(f *core.Field) object {
	switch f.Type {
	case core.TypeBoolean:
		return object{"type": "boolean"}
	case core.TypeNumber:
		return object{"type": "number", "format": "double"}
	case core.TypeJSON:
		return object{}
	case core.TypeDate:
		return object{"type": "string", "format": "date"}
	case core.TypeDateTime:
		return object{"type": "string", "format": "date-time"}
	case core.TypeEnumeration:
		return object{"type": "string", "enum": wire.Each(f.Choices, func(choice string) any { return choice })}
	default:
		return object{"type": "string"}
	}
}

// bound adds the options that a draft must meet, too.
func bound(value object, f *core.Field) {
	if f.Max == nil || f.Multiple {
		return
	}
	switch f.Kind() {
	case fieldtype.Number:
		value["maximum"] = *f.Max
	case fieldtype.Text:
		value["maxLength"] = int64(*f.Max)
	}
}

// orNull returns the schema of value or null.
func orNull(value object) object {
	if value["oneOf"] != nil || value["$ref"] != nil {
		return object{"oneOf": []any{value, object{"type": "null"}}}
	}
	if kind, ok := value["type"]; ok {
		value["type"] = []any{kind, "null"}
	}
	if choices, ok := value["enum"].([]any); ok {
		value["enum"] = append(choices, nil)
	}
	return value
}

// explained adds what editors know about f.
func explained(value object, f *core.Field) object {
	text := plain(f.Label)
	if f.Help != "" {
		text += ": " + plain(f.Help)
	}
	if slugs := f.TargetSlugs(); f.Type == core.TypeRelation {
		text += " (" + strings.Join(slugs, ", ") + ")"
	}
	value["description"] = text
	return value
}

func described(value object, text string) object {
	value["description"] = text
	return value
}

func list(of object) object { return object{"type": "array", "items": of} }

func id() object { return object{"type": "integer", "format": "int64"} }

func (w *writer) locale() object {
	w.put(schemas, localeSchema, func() object {
		return object{"type": "string", "enum": wire.Each(w.Project.Locales, func(l string) any { return l })}
	})
	return refTo(schemas, localeSchema)
}

func (w *writer) reference() object {
	w.put(schemas, referenceSchema, func() object {
		return object{
			"type": "object", "required": []any{"id", "collection"}, "description": "A related entry that is deeper than the parameter depth.",
			"properties": object{"id": id(), "collection": object{"type": "string"}},
		}
	})
	return refTo(schemas, referenceSchema)
}

// media returns a reference to the schema of a medium in an entry: a media item without the members that
// only the library shows.
func (w *writer) media() object {
	w.put(schemas, mediaSchema, func() object {
		item := w.use(w.components[schemas]["MediaItem"], nil).(object)
		members := maps.Clone(item["properties"].(object))
		for _, name := range []string{"mimeType", "hash", "createdAt", "folder"} {
			delete(members, name)
		}
		return object{"type": "object", "required": []any{"id"}, "properties": members, "description": "A medium. The parameter fields leaves out members."}
	})
	return refTo(schemas, mediaSchema)
}

// querying returns the parameter of that name for lists of a collection.
func (w *writer) querying(name string, c *core.Collection) object {
	if name == "SortParameter" {
		p := maps.Clone(w.components[parameters][name])
		delete(p, "example")
		p["description"] = "`field`, `field:asc` or `field:desc`, up to three joined by commas, of " + strings.Join(sortable(c), ", ") + ". Nulls come last; the id breaks ties."
		return p
	}
	text := "Conditions that must all hold: `where[field]=v` for equality or `where[field][operator]=v`. The fields and their operators:\n" + operators(c) +
		"\n\n`relation.field` is a field of related entries, at most two relations away. `_group` finds the translations of an entry by the id of any of them."
	if name == "OrParameter" {
		text = "Numbered groups of the conditions in where: `or[0][field][operator]=v&or[1][field]=w`. All conditions of at least one group must hold, in addition to those of where."
	}
	lower := strings.ToLower(strings.TrimSuffix(name, "Parameter"))
	return object{
		"name": lower, "in": "query", "style": "deepObject", "explode": true, "description": text,
		"schema": object{"type": "object", "additionalProperties": true},
	}
}

// queryable returns the fields of c that queries can name.
func queryable(c *core.Collection) []*core.Field {
	fields := []*core.Field{core.SystemID, core.SystemLocale, core.SystemPublishedAt, core.SystemCreatedAt, core.SystemUpdatedAt}
	for _, f := range c.Fields {
		if !f.Secret() {
			fields = append(fields, f)
		}
	}
	for _, f := range c.Leaves {
		if f.SlotReady && c.Queryable(f.Name) == f {
			fields = append(fields, f)
		}
	}
	return fields
}

func sortable(c *core.Collection) (names []string) {
	for _, f := range queryable(c) {
		if f.Sortable() {
			names = append(names, "`"+f.Name+"`")
		}
	}
	return names
}

// operators returns a list of the fields of c with the operators that apply to them.
func operators(c *core.Collection) string {
	var order []string
	fields := map[string][]string{}
	for _, f := range queryable(c) {
		var names []string
		for _, o := range query.Operators {
			if o.Applies(f) {
				name := string(o.Op)
				if o.Op == query.OpEqual {
					name = "equality"
				}
				names = append(names, name)
			}
		}
		known := strings.Join(names, ", ")
		if fields[known] == nil {
			order = append(order, known)
		}
		fields[known] = append(fields[known], "`"+f.Name+"`")
	}
	var b strings.Builder
	for _, known := range order {
		b.WriteString("\n- " + strings.Join(fields[known], ", ") + ": " + known)
	}
	return b.String()
}

// plain makes a text that editors wrote one line that ends no comment of generated code.
func plain(text string) string { return strings.TrimSpace(lines.Replace(text)) }

var lines = strings.NewReplacer("*/", "* /", "\r\n", " ", "\n", " ", "\r", " ", "\u2028", " ", "\u2029", " ")
