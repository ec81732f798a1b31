package contentful

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"imprimatur/app/importing"
	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/slug"
)

// tagsField is what the source calls the tags of an entry.
const tagsField = "metadata.tags"

// Survey implements importing.Source.
func (s *Source) Survey() importing.Survey {
	var out importing.Survey
	for _, l := range s.locales {
		out.Locales = append(out.Locales, l.Code)
	}
	taken, keys := map[string]bool{}, map[string]string{}
	var all []string
	for _, id := range s.order {
		keys[id] = importing.FreeKey(taken, separated(id, '-'))
		all = append(all, keys[id])
	}
	for _, id := range s.order {
		t := s.types[id]
		b := importing.Suggest(id, keys[id], t.Name)
		if b.Name == "" {
			b.Name = id
		}
		b.Description = t.Description
		for _, f := range t.Fields {
			b.Add(f.ID, s.fieldOf(t, f, keys, all))
		}
		if s.tagged[id] {
			b.Add(tagsField, definition.FieldInput{Name: "tags", Label: "Tags", Type: core.TypeText, Multiple: true})
		}
		out.Collections = append(out.Collections, b.Suggestion)
	}
	return out
}

// separated returns an id in camel case with separators between its words.
func separated(id string, separator rune) string {
	var out strings.Builder
	lower := false
	for _, r := range id {
		if unicode.IsUpper(r) && lower {
			out.WriteRune(separator)
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// nameOf returns the name of a field: its id, as far as it is one here.
func nameOf(id string) string {
	valid := id != ""
	for i, r := range id {
		letter := r >= 'a' && r <= 'z'
		valid = valid && (letter || i > 0 && (r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'))
	}
	if valid && len(id) <= 50 {
		return id
	}
	return importing.FieldName(separated(id, '_'))
}

// fieldOf returns the definition that a field should become.
func (s *Source) fieldOf(t *contentType, f field, keys map[string]string, all []string) definition.FieldInput {
	in := definition.FieldInput{Name: nameOf(f.ID), Label: f.Name, Required: f.Required}
	shown := s.help[t.Sys.ID][f.ID]
	in.Help = shown.Settings.HelpText
	kind, link, rules := f.Type, f.LinkType, f.Validations
	if kind == "Array" && f.Items != nil {
		in.Multiple = true
		kind, link = f.Items.Type, f.Items.LinkType
		rules = slices.Concat(rules, f.Items.Validations)
	}
	switch kind {
	case "Symbol":
		in.Type = core.TypeText
	case "Text":
		in.Type = core.TypeLongText
	case "RichText":
		in.Type = core.TypeRichText
	case "Integer", "Number":
		in.Type = core.TypeNumber
	case "Boolean":
		in.Type = core.TypeBoolean
	case "Date":
		if in.Type = core.TypeDateTime; shown.Settings.Format == "dateonly" {
			in.Type = core.TypeDate
		}
	case "Link":
		if in.Type = core.TypeMedia; link != "Asset" {
			in.Type = core.TypeRelation
			targets(&in, rules, keys, all)
		}
	default: // Object, Location, and what is new
		in.Type = core.TypeJSON
	}
	limit(&in, f, rules)
	if in.Type == core.TypeText && shown.WidgetID == "slugEditor" && !in.Multiple {
		in.Type, in.Style, in.Path = core.TypeSlug, slug.Unicode, true
		for _, other := range t.Fields {
			if other.ID == t.DisplayField && other.Type == "Symbol" && other.ID != f.ID {
				in.Source = nameOf(other.ID)
			}
		}
	}
	return in
}

// targets sets what a relation may point to.
func targets(in *definition.FieldInput, rules []validation, keys map[string]string, all []string) {
	var found []string
	for _, rule := range rules {
		var ids []string
		if json.Unmarshal(rule.LinkContentType, &ids) != nil {
			var id string
			if json.Unmarshal(rule.LinkContentType, &id) == nil && id != "" {
				ids = []string{id}
			}
		}
		for _, id := range ids {
			if key := keys[id]; key != "" && !slices.Contains(found, key) {
				found = append(found, key)
			}
		}
	}
	if len(found) == 0 {
		found = all
	}
	if len(found) == 1 {
		in.Collection = found[0]
		return
	}
	in.Collections = found
}

// limit sets the options that values have to meet.
func limit(in *definition.FieldInput, f field, rules []validation) {
	for _, rule := range rules {
		if rule.Unique && !in.Multiple && (in.Type == core.TypeText || in.Type == core.TypeNumber) {
			in.Unique = true
		}
		switch {
		case rule.Size != nil && (in.Multiple || in.Type == core.TypeText || in.Type == core.TypeLongText):
			in.Min, in.Max = rule.Size.Min, rule.Size.Max
		case rule.Range != nil && in.Type == core.TypeNumber && !in.Multiple:
			in.Min, in.Max = rule.Range.Min, rule.Range.Max
		}
		if len(rule.In) == 0 || in.Type != core.TypeText || in.Unique {
			continue
		}
		var choices []string
		for _, raw := range rule.In {
			var choice string
			if json.Unmarshal(raw, &choice) == nil && choice != "" && !slices.Contains(choices, choice) {
				choices = append(choices, choice)
			}
		}
		if len(choices) > 0 {
			in.Type, in.Choices = core.TypeEnumeration, choices
		}
	}
	if in.Type == core.TypeEnumeration && !in.Multiple {
		in.Min, in.Max = nil, nil
	}
	if in.Multiple && f.Required && in.Min == nil {
		in.Required = true
	}
}
