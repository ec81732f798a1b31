package media_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/media"
)

// asUTF16 returns text in UTF-16, little endian, with a byte order mark.
func asUTF16(text string) string {
	b := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

// TestTextTypes checks that a text keeps its name and type if its bytes agree with them.
func TestTextTypes(t *testing.T) {
	t.Parallel()
	d := setup(t)
	const (
		event    = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"
		card     = "BEGIN:VCARD\nVERSION:4.0\nFN:Ada\nEND:VCARD\n"
		subtitle = "1\n00:00:01,000 --> 00:00:02,000\nHello\n"
		letter   = "Dear Ada,\nthank you, Charles, and all.\nYours, B.\n"
		object   = `{"type":"Point","coordinates":[23.68,70.66]}`
	)
	for _, c := range []struct{ name, content, served, mime string }{
		{"a.ics", event, "a.ics", "text/calendar"},
		{"a.ical", "\ufeff" + event, "a.ical", "text/calendar"},
		{"a.ics", letter, "a.txt", "text/plain"},
		{"A.VCF", card, "A.VCF", "text/vcard"},
		{"cards", card, "cards.vcf", "text/vcard"},
		{"a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n", "a.vtt", "text/vtt"},
		{"a.vtt", subtitle, "a.srt", "application/x-subrip"},
		{"a.srt", subtitle, "a.srt", "application/x-subrip"},
		{"a.srt", asUTF16(subtitle), "a.srt", "application/x-subrip"},
		{"a.tsv", "a\tb\n1\t2\n", "a.tsv", "text/tab-separated-values"},
		{"list.csv", "Oslo\nBergen\n", "list.csv", "text/csv"},
		{"list.csv", "a;b\n1,5;2\n", "list.csv", "text/csv"},
		{"list.csv", asUTF16("a;b\nä;ö\n"), "list.csv", "text/csv"},
		{"letter.txt", letter, "letter.txt", "text/plain"},
		{"letter", "a,b,c\n1,2,3\n4,5,6\n", "letter.txt", "text/plain"},
		{"README.md", "# Title\n\ntext", "README.md", "text/markdown"},
		{"a.markdown", `{"a":1}`, "a.markdown", "text/markdown"},
		{"mail.eml", "From: a@example.com\nSubject: Hello\n\nHi\n", "mail.eml", "message/rfc822"},
		{"mail.eml", "Hello there\n", "mail.txt", "text/plain"},
		{"a.jsonl", "{\"a\":1}\n{\"a\":2}\n", "a.jsonl", "application/x-ndjson"},
		{"a.ndjson", "{\"a\":1}\n", "a.ndjson", "application/x-ndjson"},
		{"a.jsonl", "{a:1}\n", "a.txt", "text/plain"},
		{"a.geojson", object, "a.geojson", "application/geo+json"},
		{"a.json", object, "a.json", "application/json"},
		{"a.json", "\ufeff[1]", "a.json", "application/json"},
		{"a.json", `"text"`, "a.json", "application/json"},
		{"a.json", `[` + strings.Repeat(`"0123456789",`, 10_000) + `1]`, "a.json", "application/json"},
		{"a.json", "{a:1}", "a.txt", "text/plain"},
		{"a.png", object, "a.geojson", "application/geo+json"},
		{"a.yaml", "a: 1\n", "a.yaml", "application/yaml"},
		{"a.YML", "- a\n", "a.YML", "application/yaml"},
		{"server.log", "started\n", "server.log", "text/plain"},
		{"Report v1.2", "a report", "Report v1.2.txt", "text/plain"},
		{"run.bat", "format c:", "run.txt", "text/plain"},
		{"a.html", "just text", "a.txt", "text/plain"},
		{"README.md", "<h1 align=\"center\">A tool</h1>\n\nWhat it does.", "README.md", "text/markdown"},
		{"a.md", "<!-- a note -->\n# A", "a.md", "text/markdown"},
		{"a.csv", "<b>a</b>,b\n", "a.csv", "text/csv"},
		{"a.txt", "MZ is a letter pair", "a.txt", "text/plain"},
		{"a.txt", "GIF89a is a format", "a.txt", "text/plain"},
	} {
		item, err := d.tryUpload(t.Context(), c.name, c.content)
		require.NoError(t, err, c.name)
		require.Equal(t, c.mime, item.MimeType, c.name)
		require.Equal(t, c.served, item.FileName)
		address := fileurl.URL("", item.Full, item.FileName)
		require.Equal(t, strings.ReplaceAll(c.served, " ", "%20"), address[strings.LastIndex(address, "/")+1:], c.content)
		served, known := media.TypeOf(item.Full)
		require.True(t, known)
		require.Equal(t, media.FileType{MIME: c.mime, Extension: served.Extension, Kind: core.MediaDocument}, served)
		require.Equal(t, served.Extension, fileurl.Extension(c.served))
	}
	for _, name := range []string{"a.md", "a.txt", "a.csv", "a.ics", "a.json"} {
		if name == "a.ics" || name == "a.json" { // a beginning like another type, in a text that is not of the named one
			for _, content := range []string{"<h1>A</h1>", "MZ is a letter pair"} {
				_, err := d.tryUpload(t.Context(), name, content)
				require.Equal(t, core.KindUnsupportedMedia, core.KindOf(err), "%s %s", name, content)
			}
		}
		for _, content := range []string{"<!DOCTYPE html><script>alert(1)</script>", "<?xml version='1.0'?><a/>", "#!/bin/sh\nrm -rf /"} {
			_, err := d.tryUpload(t.Context(), name, content)
			require.Equal(t, core.KindUnsupportedMedia, core.KindOf(err), "%s %s", name, content)
		}
	}
}

// TestCharset checks that only a certain encoding is named.
func TestCharset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		head string
		cut  bool
		want string
	}{
		{"", false, "utf-8"},
		{"plain", false, "utf-8"},
		{"plain", true, ""},
		{"größer", false, "utf-8"},
		{"größer", true, "utf-8"},
		{"gr\xf6\xdfer", false, ""},
		{"gr\xf6\xdfer", true, ""},
		{"größer 🖼"[:11], true, "utf-8"},
		{"größer 🖼"[:11], false, ""},
		{"\ufeffa", false, "utf-8"},
		{asUTF16("größer"), false, "utf-16"},
		{"\xfe\xff\x00a", false, "utf-16"},
	} {
		require.Equal(t, c.want, media.Charset([]byte(c.head), c.cut), "%q %t", c.head, c.cut)
	}
}
