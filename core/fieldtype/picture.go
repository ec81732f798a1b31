package fieldtype

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"imprimatur/core/canonical"
)

// scheme is the form of the scheme of an address.
var scheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*):`)

// pictureFault returns the fault of a picture in rich text that no reader can load, or "". written
// is the text before it was sanitised, cleaned afterwards.
func pictureFault(written, cleaned string) (fault string) {
	if !mentionsPicture([]byte(written)) {
		return ""
	}
	eachPicture(written, func(img html.Token) {
		if fault == "" && !namesMedia(img) {
			fault = sourceFault(valueOf(img, "src"))
		}
	})
	eachPicture(cleaned, func(img html.Token) { // without the sources that the policy does not allow
		if fault == "" && !namesMedia(img) && valueOf(img, "src") == "" {
			fault = noSource
		}
	})
	return fault
}

const noSource = "has a picture without a source that browsers can load"

// sourceFault returns the fault of the source of a picture.
func sourceFault(source string) string {
	source = tidyAddress(source)
	parsed, err := url.Parse(source)
	match := scheme.FindStringSubmatch(source)
	switch {
	case match != nil && !strings.EqualFold(match[1], "http") && !strings.EqualFold(match[1], "https"):
		name := strings.ToLower(match[1])
		if len(name) > maxMarkupName {
			name = name[:maxMarkupName] + "…"
		}
		return "has a picture with a " + name + ": source, which readers cannot load: upload the file to the library"
	case err != nil, parsed.Host == "" && parsed.Path == "" && parsed.Opaque == "" && parsed.RawQuery == "":
		return noSource
	}
	return ""
}

// eachPicture calls visit with each img of a text.
func eachPicture(text string, visit func(img html.Token)) {
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			if tag := tokens.Token(); tag.Data == "img" {
				visit(tag)
			}
		}
	}
}

// namesMedia reports whether img is a picture of the library.
func namesMedia(img html.Token) bool { return digits.MatchString(valueOf(img, mediaAttribute)) }

// valueOf returns the value of the first attribute of that name, as browsers do, or "".
func valueOf(tag html.Token, name string) string {
	for _, a := range tag.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// richTextPictures is Type.Pictures of rich text.
func richTextPictures(raw []byte, visit func(source string)) {
	if !mentionsPicture(raw) {
		return
	}
	text, ok := canonical.Text(raw)
	if !ok {
		return
	}
	eachPicture(text, func(img html.Token) {
		if !namesMedia(img) {
			visit(valueOf(img, "src"))
		}
	})
}

// mentionsPicture reports whether HTML, or its JSON, can have an img. It only scans the bytes.
func mentionsPicture(text []byte) bool {
	for at := 0; ; at++ {
		next := bytes.IndexAny(text[at:], "mM")
		if next < 0 {
			return false
		}
		if at += next; at > 0 && text[at-1]|0x20 == 'i' && at+1 < len(text) && text[at+1]|0x20 == 'g' {
			return true
		}
	}
}
