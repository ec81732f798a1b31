package content

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
)

// values reads the operand of cond as the operator takes it and the field's type
// reads it.
func (c *checker) values(cond core.Condition, clause core.Clause, op core.Operator) []core.Value {
	if op.MostValues == 0 {
		if !affirms(cond.Operand) {
			c.fault(cond.Location, nil, "%s takes no value, or true", clause.Op)
		}
		return nil
	}
	if cond.Operand.Listed && !op.TakesList() {
		c.fault(cond.Location, nil, "takes one value, not a list")
		return nil
	}
	items := operands(cond.Operand, op)
	if len(items) < op.LeastValues || len(items) > op.MostValues {
		c.fault(cond.Location, nil, "takes %s, not %d", amount(op), len(items))
		return nil
	}
	values := make([]core.Value, len(items))
	for i, item := range items {
		value, fault := read(clause.Field, item)
		if fault != "" {
			c.fault(cond.Location, scalar(item), "the field %q %s", cond.Field, fault)
			continue
		}
		if clause.Op == core.OpLike {
			value.Text = core.Fold(value.Text)
		}
		values[i] = value
	}
	return values
}

// affirms reports whether the operand of null or not_null says no more than yes.
func affirms(o core.Operand) bool {
	if o.Listed || len(o.Items) > 1 {
		return false
	}
	return len(o.Items) == 0 || o.Items[0] == nil || o.Items[0] == "" || o.Items[0] == "true" || o.Items[0] == true
}

// operands returns the operand's values, a single string split at its commas where
// several values may stand. An empty string is then an empty list.
func operands(o core.Operand, op core.Operator) []any {
	if o.Listed || !op.TakesList() || len(o.Items) != 1 {
		return o.Items
	}
	text, ok := o.Items[0].(string)
	if !ok {
		return o.Items
	}
	if text == "" {
		return nil
	}
	// One part more than allowed is enough to be refused.
	parts := strings.SplitN(text, ",", op.MostValues+1)
	items := make([]any, len(parts))
	for i, part := range parts {
		items[i] = part
	}
	return items
}

func amount(op core.Operator) string {
	switch op.MostValues {
	case 1:
		return "one value"
	case 2:
		return "two values"
	default:
		return "1 to 500 values"
	}
}

// read returns item as a value of field, or what is wrong with it: a phrase that
// goes on after the field's name.
func read(field *core.Field, item any) (value core.Value, fault string) {
	switch field.Kind() {
	case core.ValueText:
		value, fault = readText(item)
		if field.Type == core.TypeColor {
			value.Text = strings.ToLower(value.Text) // as colors are kept
		}
		return value, fault
	case core.ValueTime:
		return readTime(field.Type, item)
	case core.ValueReference:
		return readID(item)
	default:
		if field.Type == core.TypeBoolean {
			return readBoolean(item)
		}
		return readNumber(item)
	}
}

func readText(item any) (core.Value, string) {
	text, ok := item.(string)
	switch {
	case !ok:
		return core.Value{}, "takes a string"
	case len(text) > core.MaxValueLength:
		return core.Value{}, "takes a string of at most 4096 bytes"
	case !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0:
		return core.Value{}, "takes a string of valid UTF-8 without U+0000"
	}
	return core.Value{Text: text}, ""
}

var timeForms = map[core.FieldType]string{
	core.TypeDate:     "takes a date such as 2006-01-02",
	core.TypeTime:     "takes a time such as 15:04:05",
	core.TypeDateTime: "takes a date and time such as 2006-01-02T15:04:05Z",
}

func readTime(t core.FieldType, item any) (core.Value, string) {
	if text, ok := item.(string); ok {
		if ms, ok := core.ParseTime(t, text); ok {
			return core.Value{Num: float64(ms)}, ""
		}
	}
	return core.Value{}, timeForms[t]
}

func readBoolean(item any) (core.Value, string) {
	switch item {
	case true, "true":
		return core.Value{Num: 1}, ""
	case false, "false":
		return core.Value{Num: 0}, ""
	}
	return core.Value{}, "takes true or false"
}

func readNumber(item any) (core.Value, string) {
	literal, ok := numeral(item)
	if !ok {
		return core.Value{}, "takes a number"
	}
	n, ok := core.ExactNumber(literal)
	if !ok {
		return core.Value{}, "takes a number that is exact in 64 bits"
	}
	return core.Value{Num: n}, ""
}

func readID(item any) (core.Value, string) {
	value, fault := readNumber(item)
	if fault != "" || value.Num < 1 || value.Num != float64(int64(value.Num)) {
		return core.Value{}, "takes an id"
	}
	return value, ""
}

// numeral returns the number that item is, or that a string spells as JSON does:
// strconv alone would take "Inf", "0x10" and "1_000" too.
func numeral(item any) (string, bool) {
	switch n := item.(type) {
	case json.Number:
		return n.String(), isNumeral(n.String())
	case string:
		return n, isNumeral(n)
	}
	return "", false
}

func isNumeral(text string) bool {
	return text != "" && len(text) <= core.MaxValueLength && isDigit(text[len(text)-1]) &&
		(isDigit(text[0]) || text[0] == '-') && json.Valid([]byte(text))
}

// scalar returns item for an error when it is no list or object.
func scalar(item any) any {
	switch item.(type) {
	case string, bool, json.Number:
		return item
	}
	return nil
}
