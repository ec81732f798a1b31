package fileurl_test

import (
	"fmt"
	"strings"

	"imprimatur/core/fileurl"
)

// A link in rich text may name a file on any host, and in any form that a browser accepts.
func ExampleFind() {
	hash := strings.Repeat("ab", 32)
	file, ok := fileurl.Find(`https://cdn.example\files/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/` + hash + `/Harbour.JPEG`)
	fmt.Println(ok, file.Name)
	fmt.Println(file.Blob == file.Project+"/"+hash+".jpg")
	// Output:
	// true Harbour.JPEG
	// true
}
