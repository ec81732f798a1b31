package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"strings"
	"testing"
)

// TestRenditions asks the program for pictures of other sizes, and deletes their original.
func TestRenditions(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			public, token := s.base+s.fill("{P}/media"), "Authorization: Bearer "+s.tokens["full"]
			item := upload(t, public+"/upload", newForm().file("harbour.jpg", jpegOf(800, 400)).end(), token)
			small := call(t, "GET", item.FullURL+"?w=240&h=240&fit=cover&fp=0,0.5", "")
			config, err := jpeg.DecodeConfig(bytes.NewReader(small.body))
			if small.status != 200 || err != nil || (image.Point{X: config.Width, Y: config.Height}) != image.Pt(240, 240) {
				t.Errorf("%d %v %v", small.status, err, config)
			}
			if small.header.Get("Cache-Control") != "public, max-age=31536000, immutable" || small.header.Get("Content-Type") != "image/jpeg" {
				t.Error(small.header)
			}
			same := call(t, "GET", item.FullURL+"?fp=0,0.5&q=75&fit=cover&h=240&format=jpeg&w=240", "")
			if same.header.Get("ETag") != small.header.Get("ETag") || !bytes.Equal(same.body, small.body) {
				t.Error("the same rendition in another order differs")
			}
			if a := call(t, "GET", item.FullURL+"?w=240&format=auto", "", "Accept: image/webp,*/*"); a.header.Get("Content-Type") != "image/webp" ||
				!strings.Contains(strings.Join(a.header.Values("Vary"), ","), "Accept") || string(a.body[8:12]) != "WEBP" {
				t.Error(a.header)
			}
			wantProblem(t, call(t, "GET", item.FullURL+"?w=250", ""), 400)
			if a := call(t, "DELETE", fmt.Sprintf("%s/%d", public, item.ID), "", token); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			for _, query := range []string{"", "?w=240&h=240&fit=cover&fp=0,0.5", "?w=320"} {
				wantProblem(t, call(t, "GET", item.FullURL+query, ""), 404)
			}
		})
	}
}
