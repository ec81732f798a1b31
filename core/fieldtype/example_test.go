package fieldtype_test

import (
	"encoding/json"
	"fmt"

	"imprimatur/core/fieldtype"
)

// A type checks a written value and makes it canonical. The fault follows the name of the field.
func ExampleOf() {
	number := fieldtype.Of("number")
	for _, raw := range []string{`1.50`, `2e3`, `"three"`} {
		if value, fault := number.Check(json.RawMessage(raw)); fault != "" {
			fmt.Println(raw, fault)
		} else {
			fmt.Printf("%s is stored as %s\n", raw, value)
		}
	}
	// Output:
	// 1.50 is stored as 1.5
	// 2e3 is stored as 2000
	// "three" must be a number
}

// Options of a field narrow what its type accepts.
func ExampleType_meets() {
	most := 5.0
	fault := fieldtype.Of("number").Meets(fieldtype.Options{Max: &most}, json.RawMessage(`7`))
	fmt.Println(fault.Message)
	// Output: must be at most 5
}
