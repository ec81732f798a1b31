package fileurl_test

import (
	"testing"

	"imprimatur/core/fileurl"
)

// TestFileURL checks under which name a file is saved.
func TestFileURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fileName, blob, want string }{
		{"harbour.jpg", "u/h.jpg", "harbour.jpg"},
		{"harbour.jpeg", "u/h.jpg", "harbour.jpeg"},
		{"DSC_01.JPG", "u/h.jpg", "DSC_01.JPG"},
		{"harbour.jpg", "u/h.webp", "harbour.webp"},
		{"harbour.jpg", "u/h.png", "harbour.png"},
		{"Report v1.2", "u/h.png", "Report%20v1.2.png"},
		{"Report v1.2.png", "u/h.png", "Report%20v1.2.png"},
		{"Dr.Who", "u/h.jpg", "Dr.Who.jpg"},
		{"No. 5", "u/h.pdf", "No.%205.pdf"},
		{"a.html", "u/h.png", "a.png"},
		{"a.EXE", "u/h.txt", "a.txt"},
		{"png", "u/h.png", "png.png"},
		{".png", "u/h.jpg", "file.jpg"},
		{".png", "u/h.png", "file.png"},
		{"", "u/h.png", "file.png"},
		{"archive.tar.gz", "u/h.zip", "archive.tar.zip"},
	} {
		if got, want := fileurl.URL("https://x.example", c.blob, c.fileName), "https://x.example/files/u/h/"+c.want; got != want {
			t.Errorf("%s of %s is %s, want %s", c.fileName, c.blob, got, want)
		}
	}
	if got := fileurl.URL("https://x.example", "", "a.jpg"); got != "" {
		t.Errorf("no blob has the URL %s", got)
	}
}
