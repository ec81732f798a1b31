package canonical_test

import (
	"fmt"

	"imprimatur/core/canonical"
)

// Two texts with the same values have the same canonical form, and so the same hash.
func ExampleTransform() {
	one, _ := canonical.Transform([]byte(`{"title": "Caf\u00e9", "views": 1e2}`))
	other, _ := canonical.Transform([]byte(`{ "views":100.0, "title":"Café" }`))
	fmt.Printf("%s\n", one)
	fmt.Println(canonical.Hash(one) == canonical.Hash(other))

	_, err := canonical.Transform([]byte(`{"a":1,"a":2}`))
	fmt.Println(err)
	// Output:
	// {"title":"Café","views":100}
	// true
	// byte 7: duplicate member
}
