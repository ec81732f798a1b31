package fieldtype

import "encoding/json"

var _ = register(Type{
	Name: "boolean", Kind: Number, Form: "true or false", Control: "switch", Example: `true`,
	Check: checkBoolean, Operand: booleanOperand, Decode: decodeBoolean, Unordered: true,
})

func checkBoolean(raw json.RawMessage) (json.RawMessage, string) {
	if text := string(raw); text != "true" && text != "false" {
		return nil, "must be true or false"
	}
	return raw, ""
}

func booleanOperand(item any) (Value, string) {
	switch item {
	case true, "true":
		return Value{Num: 1}, ""
	case false, "false":
		return Value{Num: 0}, ""
	}
	return Value{}, "takes true or false"
}

func decodeBoolean(raw []byte) (Value, bool) {
	if raw[0] == 't' {
		return Value{Num: 1}, true
	}
	return Value{}, true
}
