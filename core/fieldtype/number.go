package fieldtype

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

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
		return 0, "must be a number that a 64-bit double holds exactly"
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

// ExactNumber returns the number of a JSON literal. It returns false when a double does not give the
// literal back: when its shortest form is another decimal number, as for 2^53+1, 1e-400 and numbers
// of more than 17 digits. 1.10 and 1e2 are 1.1 and 100.
func ExactNumber(literal string) (float64, bool) {
	n, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return 0, false
	}
	if exactDigits(literal) {
		return n, true
	}
	digits, exponent, ok := decimal(literal)
	shortest, itsExponent, _ := decimal(strconv.FormatFloat(n, 'e', -1, 64))
	return n, ok && digits == shortest && exponent == itsExponent
}

// exactDigits reports whether a literal has at most 15 characters and no exponent, so that a double
// gives it back.
func exactDigits(literal string) bool {
	return len(literal) <= 15 && !strings.ContainsAny(literal, "eE")
}

// decimal returns the significant digits of a JSON number literal, without zeros at either end, and
// the exponent of ten of the last one. Zero has no digits. ok is false when the exponent is too large.
func decimal(literal string) (digits string, exponent int, ok bool) {
	mantissa, power, hasPower := strings.Cut(strings.ToLower(strings.TrimPrefix(literal, "-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "", 0, true
	}
	if hasPower {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return "", 0, false
		}
	}
	significant := strings.TrimRight(digits, "0")
	return significant, exponent - len(fraction) + len(digits) - len(significant), true
}

// FormatNumber writes a finite number as RFC 8785 does.
func FormatNumber(n float64) string {
	text, err := jcs.NumberToJSON(n)
	if err != nil {
		panic("fieldtype: not a finite number: " + err.Error())
	}
	return text
}
