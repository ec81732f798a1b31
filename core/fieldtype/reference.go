package fieldtype

import (
	"encoding/json"
	"math"
)

var _ = register(
	Type{
		Name: "media", Kind: Reference, Form: "the id of a media item", Control: "media", Example: `16`,
		Check: checkID, Operand: idOperand, Decode: decodeNumber, References: idReferences(MediaItem), Unordered: true,
	},
	Type{
		Name: "relation", Kind: Reference, Form: "the id of an entry", Control: "relation", Example: `42`,
		Check: checkID, Operand: idOperand, Decode: decodeNumber, References: idReferences(EntryGroup), Unordered: true,
	},
)

// checkID checks the form of a reference: an id, or an object with one, as reads show targets. The writer
// checks that the target exists.
func checkID(raw json.RawMessage) (json.RawMessage, string) {
	if raw[0] == '{' {
		var shown struct{ ID json.RawMessage }
		if json.Unmarshal(raw, &shown) != nil || len(shown.ID) == 0 {
			return nil, "must be an id"
		}
		raw = shown.ID
	}
	n, fault := readNumber(raw)
	if fault != "" || !isID(n) {
		return nil, "must be an id"
	}
	return json.RawMessage(FormatNumber(n)), ""
}

func idOperand(item any) (Value, string) {
	value, fault := numberOperand(item)
	if fault != "" || !isID(value.Num) {
		return Value{}, "takes an id"
	}
	return value, ""
}

// isID reports whether n is a positive integer that no other integer is rounded to.
func isID(n float64) bool { return n >= 1 && n < 1<<53 && n == math.Trunc(n) }
