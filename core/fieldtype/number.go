package fieldtype

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/gowebpki/jcs"
)

var _ = register(Type{
	Name: "number", Kind: Number, Form: "a number that an IEEE 754 double holds exactly", Control: "number", Example: `4.5`,
	Check: checkNumber, Meets: numberMeets, Operand: numberOperand, Decode: decodeNumber, Unique: true,
})

func checkNumber(raw json.RawMessage) (json.RawMessage, string) {
	n, fault := readNumber(raw)
	return json.RawMessage(FormatNumber(n)), fault
}

func numberMeets(o Options, value json.RawMessage) Fault {
	n, _ := readNumber(value)
	switch {
	case o.Multiple:
	case o.Max != nil && n > *o.Max:
		return Fault{Message: "must be at most " + FormatNumber(*o.Max)}
	case o.Min != nil && n < *o.Min:
		return Fault{"must be at least " + FormatNumber(*o.Min), true}
	}
	return Fault{}
}

func readNumber(raw json.RawMessage) (n float64, fault string) {
	if len(raw) == 0 || raw[0] != '-' && !isDigit(raw[0]) {
		return 0, "must be a number"
	}
	n, exact := ExactNumber(string(raw))
	if !exact {
		return 0, "is too large to be kept exactly"
	}
	return n, ""
}

func numberOperand(item any) (Value, string) {
	literal, ok := numeral(item)
	if !ok {
		return Value{}, "takes a number"
	}
	n, ok := ExactNumber(literal)
	if !ok {
		return Value{}, "takes a number that is exact in 64 bits"
	}
	return Value{Num: n}, ""
}

func decodeNumber(raw []byte) (Value, bool) {
	n, err := strconv.ParseFloat(string(raw), 64)
	return Value{Num: n}, err == nil
}

// numeral returns the JSON number literal in item, a json.Number or a string. strconv alone would
// also accept "Inf", "0x10" and "1_000".
func numeral(item any) (literal string, ok bool) {
	switch n := item.(type) {
	case json.Number:
		literal = n.String()
	case string:
		literal = n
	}
	ok = literal != "" && len(literal) <= MaxOperand && isDigit(literal[len(literal)-1]) &&
		(isDigit(literal[0]) || literal[0] == '-') && json.Valid([]byte(literal))
	return literal, ok
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// ExactNumber returns the number of a JSON literal. It returns false when the number is not
// finite, or when it is an integer of 2^53 or more in absolute value. Each smaller integer has its
// own double, but 2^53+1 becomes 2^53.
func ExactNumber(literal string) (float64, bool) {
	n, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return 0, false
	}
	if n == math.Trunc(n) && math.Abs(n) >= 1<<53 {
		return 0, false
	}
	return n, true
}

// FormatNumber writes a finite number as RFC 8785 does.
func FormatNumber(n float64) string {
	text, err := jcs.NumberToJSON(n)
	if err != nil {
		panic("fieldtype: not a finite number: " + err.Error())
	}
	return text
}
