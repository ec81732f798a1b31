package writing

import (
	"bytes"
	"encoding/json"
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/validation"
)

// plain are the types whose values are texts without markup, or numbers: a text can have each of them.
var plain = []core.FieldType{
	core.TypeText, core.TypeLongText, core.TypeSlug, core.TypeEmail, core.TypeURL, core.TypeEnumeration, core.TypeColor,
	core.TypeDate, core.TypeTime, core.TypeDateTime, core.TypeNumber,
}

// conversionFault says why values of from cannot be copied into the field to, which has no items; empty: they can.
func conversionFault(to, from *core.Field) string {
	switch {
	case from.Structured():
		return "has items, which stay where they are"
	case from.Type == core.TypePassword:
		return "is a password, which cannot be copied"
	case from.Secret() && !to.Secret():
		return "is hidden, and " + to.Name + " is not"
	case from.Multiple && !to.Multiple:
		return "has several values, and " + to.Name + " one"
	case from.Type == core.TypeRelation && to.Type == core.TypeRelation:
		for _, slug := range from.TargetSlugs() {
			if !slices.Contains(to.TargetSlugs(), slug) {
				return "has entries of " + slug + ", which " + to.Name + " does not admit"
			}
		}
		return ""
	case from.Type == to.Type,
		(to.Type == core.TypeText || to.Type == core.TypeLongText) && slices.Contains(plain, from.Type),
		to.Type == core.TypeRichText && (from.Type == core.TypeText || from.Type == core.TypeLongText):
		return ""
	}
	return "is of the type " + string(from.Type) + ", which cannot become " + string(to.Type)
}

// converted returns raw, a stored value of from, as a value of the field to, which need not meet its options; nil: raw is
// none.
func converted(to, from *core.Field, raw json.RawMessage) json.RawMessage {
	if from.Missing(raw) {
		return nil
	}
	value := slices.Clone(raw)
	if from.Type != to.Type || from.Multiple != to.Multiple {
		var list [][]byte
		canonical.Elements(raw, func(element []byte) { list = append(list, convertedOne(to, from, element)) })
		if value = list[0]; to.Multiple {
			value = slices.Concat([]byte("["), bytes.Join(list, []byte(",")), []byte("]"))
		}
	}
	var found core.Faults
	if stored := validation.Canonical(to, value, &found); len(found.List) == 0 {
		return stored
	}
	return value
}

// convertedOne is converted for one value.
func convertedOne(to, from *core.Field, raw []byte) []byte {
	text, isText := canonical.Text(raw)
	switch {
	case to.Type == from.Type:
		return raw
	case to.Type == core.TypeRichText:
		return canonical.Quote(fieldtype.Paragraphs(text))
	case isText:
		return raw
	default: // a number
		return canonical.Quote(string(raw))
	}
}
