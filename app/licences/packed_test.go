package licences_test

import (
	"bytes"
	"os"
	"testing"

	"imprimatur/app/demo"
)

// TestPackedLicenceIsCurrent compares the licence of the countries in the program with the file.
func TestPackedLicenceIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../demo/data/LICENSE-countries-ODbL.txt")
	if err != nil {
		t.Fatal(err)
	}
	got, err := demo.Licences()
	if err != nil || !bytes.HasSuffix([]byte(got), want) {
		t.Errorf("the licence differs (%v): gzip -9nkf app/demo/data/LICENSE-countries-ODbL.txt", err)
	}
}
