package webp_test

import (
	"bytes"
	"fmt"

	"imprimatur/adapters/imaging/webp"
)

// A grey picture of 4 × 4 pixels. The chroma planes have half the width and height.
func ExampleEncode() {
	plane := func(n int) []byte { return bytes.Repeat([]byte{128}, n) }
	file, err := webp.Encode(webp.Picture{
		Width: 4, Height: 4, Y: plane(16), U: plane(4), V: plane(4), YStride: 4, UVStride: 2,
	}, 80)
	fmt.Printf("%s %s %v\n", file[:4], file[8:15], err)

	_, err = webp.Encode(webp.Picture{}, 80)
	fmt.Println(err)
	// Output:
	// RIFF WEBPVP8 <nil>
	// webp: invalid size of a picture
}
