package media

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"imprimatur/core/fileurl"
)

// isText has the types of text that are detected. Detection guesses: a letter with commas is
// reported as CSV, and a list of addresses as plain text. So the name decides between them, if the
// bytes agree.
var isText = map[string]bool{
	"text/plain": true, "text/csv": true, "text/tab-separated-values": true, "text/vtt": true, "text/vcard": true, "text/calendar": true,
	"application/json": true, "application/geo+json": true, "model/gltf+json": true, "application/x-ndjson": true,
	"application/x-subrip": true, "message/rfc822": true,
}

// agrees has, for each extension of a text, whether a text in UTF-8 can be of its type. cut reports
// that the text continues.
var agrees = map[string]func(text []byte, cut bool) bool{
	".txt":     anyText,
	".csv":     anyText,
	".tsv":     anyText,
	".md":      anyText,
	".yaml":    anyText,
	".json":    isJSON,
	".geojson": isJSON,
	".gltf":    isJSON,
	".jsonl":   isJSONLines,
	".ics":     begins(`(?i)BEGIN:VCALENDAR`),
	".vcf":     begins(`(?i)BEGIN:VCARD`),
	".vtt":     begins(`WEBVTT`),
	".srt":     begins(`(\d+\s+)?\d+:\d\d:\d\d[,.]\d{1,3} +-->`),
	".eml":     begins(`(From |[!-9;-~]+:)`),
}

// textType returns the type of a text whose name has the extension. detected is its type by its
// bytes alone, which counts if the bytes are not of the named type. A text that could be many
// things is then plain text.
func textType(extension, detected string, head []byte) FileType {
	text := inUTF8(head)
	if check := agrees[extension]; check != nil && check(text, len(head) == Sniffed) {
		return byExtension[extension]
	}
	switch t := byMIME[detected]; t.Extension {
	case ".csv", ".tsv", ".eml":
		return byExtension[".txt"]
	default:
		return t
	}
}

// isProgram matches the beginning of a whole page of HTML, of XML and of scripts, which are no texts of
// another type.
var isProgram = regexp.MustCompile(`(?i)^[\s\x{FEFF}]*(<(!doctype|html|head|body|script|iframe|frameset)\b|<\?|#!)`)

// isNamedText reports whether the name is that of a text that head can be, in UTF-8: not the beginning of a
// program or of a picture, even if its first characters are theirs. A notice can begin with "MZ" and a
// manual with an element of HTML. Files of the library never run as what they begin like.
func isNamedText(fileName string, head []byte) bool {
	agree := agrees[fileurl.Extension(fileName)]
	if agree == nil || isProgram.Match(head) || !agree(inUTF8(head), len(head) == Sniffed) {
		return false
	}
	text := strings.ToValidUTF8(string(head), "") // the last character may be cut
	return len(head)-len(text) < utf8.UTFMax && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}

func anyText([]byte, bool) bool { return true }

// isJSON reports whether text is a JSON value, or begins like an object or a list and is cut.
func isJSON(text []byte, cut bool) bool {
	text = bytes.TrimSpace(text)
	return json.Valid(text) || cut && len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// isJSONLines reports whether the first line of text with content is a JSON value.
func isJSONLines(text []byte, cut bool) bool {
	line, _, more := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return isJSON(line, cut && !more)
}

// begins returns a function that reports whether a text begins with the pattern, after white space.
func begins(pattern string) func([]byte, bool) bool {
	expression := regexp.MustCompile(`^\s*` + pattern)
	return func(text []byte, _ bool) bool { return expression.Match(text) }
}

// Byte order marks.
const (
	bomUTF8   = "\xef\xbb\xbf"
	bomLittle = "\xff\xfe"
	bomBig    = "\xfe\xff"
)

// inUTF8 returns a text in UTF-8 without a byte order mark. It converts from UTF-16 only.
func inUTF8(text []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(text, []byte(bomBig)):
		order = binary.BigEndian
	case !bytes.HasPrefix(text, []byte(bomLittle)):
		return bytes.TrimPrefix(text, []byte(bomUTF8))
	}
	text = text[2:]
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = order.Uint16(text[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// Charset returns the encoding of a text by its head: utf-8, utf-16 or, if it is not certain, "".
// cut reports that the text continues after the head.
func Charset(head []byte, cut bool) string {
	if bytes.HasPrefix(head, []byte(bomLittle)) || bytes.HasPrefix(head, []byte(bomBig)) {
		return "utf-16"
	}
	whole := head
	for n := 0; cut && n < utf8.UTFMax-1 && !utf8.Valid(whole) && len(whole) > 0; n++ {
		whole = whole[:len(whole)-1] // the head may end within a character
	}
	onlyASCII := !bytes.ContainsFunc(whole, func(r rune) bool { return r >= utf8.RuneSelf })
	if !utf8.Valid(whole) || cut && onlyASCII {
		return ""
	}
	return "utf-8"
}
