package reading

import (
	"encoding/json"
	"strings"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// values converts the operand of cond to values of the field's type, as many as the operator
// takes.
func (c *checker) values(cond query.Filter, clause query.Predicate, op query.Operator) []core.Value {
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
		value, fault := fieldtype.Of(clause.Field.Type).Operand(item)
		if fault != "" {
			c.fault(cond.Location, scalar(item), "the field %q %s", cond.Field, fault)
			continue
		}
		if op.Caseless {
			value.Text = words.Caseless(value.Text)
		}
		values[i] = value
	}
	return values
}

// affirms reports whether the operand of null or not_null is absent, null, "" or true.
func affirms(o query.Operand) bool {
	if o.Listed || len(o.Items) > 1 {
		return false
	}
	return len(o.Items) == 0 || o.Items[0] == nil || o.Items[0] == "" || o.Items[0] == "true" || o.Items[0] == true
}

// operands returns the operand's values. For an operator that takes several values it splits a
// single string at its commas; an empty string is then an empty list.
func operands(o query.Operand, op query.Operator) []any {
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
	// The caller refuses the list if it has one part more than allowed.
	parts := strings.SplitN(text, ",", op.MostValues+1)
	items := make([]any, len(parts))
	for i, part := range parts {
		items[i] = part
	}
	return items
}

func amount(op query.Operator) string {
	switch op.MostValues {
	case 1:
		return "one value"
	case 2:
		return "two values"
	default:
		return "1 to 500 values"
	}
}

// scalar returns item for an error, or nil for a list or object.
func scalar(item any) any {
	switch item.(type) {
	case string, bool, json.Number:
		return item
	}
	return nil
}
