package media_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/fileurl"
	"imprimatur/core/media"
	"imprimatur/ports"
)

func TestUpload(t *testing.T) {
	t.Parallel()
	d := setup(t)
	received, err := d.Receive(t.Context(), d.project, `C:\pictures\..\Größe 🖼.PNG`, iotest.OneByteReader(strings.NewReader(png("a"))))
	require.NoError(t, err)
	for _, name := range d.names(t) {
		require.True(t, strings.HasPrefix(name, "tmp/"), name)
	}
	require.Empty(t, d.events.drain())
	item, err := d.Keep(t.Context(), core.Actor{System: true}, d.project, received, media.Change{
		Caption: new("a bridge"), Alt: new("An arch over water"), Tags: &[]string{"x"}, FocalPoint: core.Some(media.Point{X: new(0.25), Y: new(1.0)}),
	})
	require.NoError(t, err)
	received.Discard(t.Context())
	require.Equal(t, []event.Type{event.MediaCreated}, d.events.drain())
	require.Equal(t, core.MediaItem{
		ID: item.ID, ProjectID: d.project.ID, FileName: "Größe 🖼.PNG", Caption: "a bridge", Alt: "An arch over water", Tags: []string{"x"}, FocalPoint: &core.FocalPoint{X: 0.25, Y: 1},
		MimeType: "image/png", Kind: core.MediaImage, Size: 9, Width: 40, Height: 30, Color: "#5a7d9b",
		Hash: item.Hash,
		Full: d.project.UUID + "/" + item.Hash + ".png", Thumb: item.Thumb, ThumbWebP: item.ThumbWebP, FullWebP: item.FullWebP,
		CreatedAt: d.clock.Now(), UpdatedAt: d.clock.Now(),
	}, item)
	require.Regexp(t, "^[0-9a-f]{64}$", item.Hash)
	require.Regexp(t, "^"+d.project.UUID+`/[0-9a-f]{64}\.png$`, item.Thumb)
	require.Regexp(t, "^"+d.project.UUID+`/[0-9a-f]{64}\.webp$`, item.ThumbWebP)
	require.Equal(t, d.needed(item), d.names(t))
	read, err := d.Item(t.Context(), d.project, item.ID)
	require.NoError(t, err)
	require.Equal(t, item, read)
	for name, want := range map[string]string{item.Full: png("a"), item.Thumb: "thumb" + png("a"), item.FullWebP: "large" + png("a")} {
		blob, err := d.blobs.Open(t.Context(), name)
		require.NoError(t, err)
		content, err := io.ReadAll(blob)
		require.NoError(t, err)
		require.Equal(t, want, string(content))
		require.NoError(t, blob.Close())
	}
}

func TestSameBytesAreStoredOnce(t *testing.T) {
	t.Parallel()
	d := setup(t)
	a, b := d.upload(t, "a.png", png("same")), d.upload(t, "b.png", png("same"))
	require.NotEqual(t, a.ID, b.ID)
	require.Equal(t, "b.png", b.FileName)
	require.Equal(t, a.Blobs(), b.Blobs())
	require.Len(t, d.names(t), 4)
	// Projects do not share bytes.
	mine := d.project
	d.project = d.newProject(t, "22222222-5d0e-4c63-9f5d-2f6a1f0f7a11")
	c := d.upload(t, "a.png", png("same"))
	require.Equal(t, a.Hash, c.Hash)
	require.Len(t, d.names(t), 8)
	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, d.project, c.ID, false))
	require.Equal(t, d.needed(a), d.names(t))
	require.NoError(t, d.Delete(t.Context(), core.Actor{System: true}, mine, a.ID, false))
	require.Equal(t, d.needed(b), d.names(t))
}

func TestTypes(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for name, test := range map[string]struct {
		content string
		want    media.FileType // zero if refused
	}{
		"jpeg":        {"\xff\xd8\xff\xe0\x00\x10JFIF\x00", media.FileType{MIME: "image/jpeg", Extension: ".jpg", Kind: core.MediaImage, Inline: true}},
		"png":         {png("a"), media.FileType{MIME: "image/png", Extension: ".png", Kind: core.MediaImage, Inline: true}},
		"gif":         {"GIF89a\x01\x00\x01\x00\x00\x00\x00;", media.FileType{MIME: "image/gif", Extension: ".gif", Kind: core.MediaImage, Inline: true}},
		"gif with js": {"GIF89a/*\x01\x00\x00\x00\x00;*/=alert(1)", media.FileType{MIME: "image/gif", Extension: ".gif", Kind: core.MediaImage, Inline: true}},
		"webp":        {"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00", media.FileType{MIME: "image/webp", Extension: ".webp", Kind: core.MediaImage, Inline: true}},
		"avif":        {"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1", media.FileType{MIME: "image/avif", Extension: ".avif", Kind: core.MediaImage, Inline: true}},
		"heic":        {"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", media.FileType{MIME: "image/heic", Extension: ".heic", Kind: core.MediaImage}},
		"heif":        {"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic", media.FileType{MIME: "image/heic", Extension: ".heic", Kind: core.MediaImage}},
		"bmp":         {content: "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00"},
		"tiff":        {content: "II*\x00\x08\x00\x00\x00"},
		"ico":         {content: "\x00\x00\x01\x00\x01\x00\x10\x10"},
		"sony mp4":    {"\x00\x00\x00\x1cftypMSNV\x01\x29\x00\x46MSNVmp42", media.FileType{MIME: "video/mp4", Extension: ".mp4", Kind: core.MediaVideo, Inline: true}},
		"3gp":         {"\x00\x00\x00\x18ftyp3gp4\x00\x00\x00\x003gp43gp6", media.FileType{MIME: "video/3gpp", Extension: ".3gp", Kind: core.MediaVideo, Inline: true}},
		"3g2":         {"\x00\x00\x00\x18ftyp3g2a\x00\x00\x00\x003g2a3gp6", media.FileType{MIME: "video/3gpp2", Extension: ".3g2", Kind: core.MediaVideo, Inline: true}},
		"avi":         {"RIFF\x24\x00\x00\x00AVI LIST\x10\x00\x00\x00hdrl", media.FileType{MIME: "video/x-msvideo", Extension: ".avi", Kind: core.MediaVideo, Inline: true}},
		"svg":         {`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, media.FileType{MIME: "image/svg+xml", Extension: ".svg", Kind: core.MediaImage}},
		"svg document": {`<?xml version="1.0" encoding="UTF-8"?>
<!-- flag --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" width="1"></svg>`, media.FileType{MIME: "image/svg+xml", Extension: ".svg", Kind: core.MediaImage}},
		"svg with a byte order mark": {"\ufeff" + `<svg xmlns="http://www.w3.org/2000/svg"/>`, media.FileType{MIME: "image/svg+xml", Extension: ".svg", Kind: core.MediaImage}},
		"svg with a document type": {`<!-- flag --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"></svg>`, media.FileType{MIME: "image/svg+xml", Extension: ".svg", Kind: core.MediaImage}},
		"text about svg": {`<svg> is an element`, media.FileType{MIME: "text/plain", Extension: ".txt", Kind: core.MediaDocument}},
		"mp4":            {"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41", media.FileType{MIME: "video/mp4", Extension: ".mp4", Kind: core.MediaVideo, Inline: true}},
		"m4a":            {"\x00\x00\x00\x20ftypM4A \x00\x00\x02\x00M4A mp42isom", media.FileType{MIME: "audio/mp4", Extension: ".m4a", Kind: core.MediaAudio, Inline: true}},
		"webm":           {"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x84webm", media.FileType{MIME: "video/webm", Extension: ".webm", Kind: core.MediaVideo, Inline: true}},
		"mkv":            {"\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82\x88matroska", media.FileType{MIME: "video/x-matroska", Extension: ".mkv", Kind: core.MediaVideo, Inline: true}},
		"mov":            {"\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  ", media.FileType{MIME: "video/quicktime", Extension: ".mov", Kind: core.MediaVideo, Inline: true}},
		"mp3":            {"ID3\x03\x00\x00\x00\x00\x00\x21TSSE", media.FileType{MIME: "audio/mpeg", Extension: ".mp3", Kind: core.MediaAudio, Inline: true}},
		"wav":            {"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00", media.FileType{MIME: "audio/wav", Extension: ".wav", Kind: core.MediaAudio, Inline: true}},
		"flac":           {"fLaC\x00\x00\x00\x22", media.FileType{MIME: "audio/flac", Extension: ".flac", Kind: core.MediaAudio, Inline: true}},
		"opus":           {"OggS\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x13OpusHead\x01\x02", media.FileType{MIME: "audio/ogg", Extension: ".ogg", Kind: core.MediaAudio, Inline: true}},
		"aac":            {"\xff\xf1\x50\x80\x02\x1f\xfc", media.FileType{MIME: "audio/aac", Extension: ".aac", Kind: core.MediaAudio, Inline: true}},
		"pdf":            {"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", media.FileType{MIME: "application/pdf", Extension: ".pdf", Kind: core.MediaDocument, Inline: true}},
		"docx":           {zipOf("[Content_Types].xml", "_rels/.rels", "word/document.xml"), media.FileType{MIME: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", Extension: ".docx", Kind: core.MediaDocument}},
		"xlsx":           {zipOf("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), media.FileType{MIME: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Extension: ".xlsx", Kind: core.MediaDocument}},
		"pptx":           {zipOf("[Content_Types].xml", "_rels/.rels", "ppt/presentation.xml"), media.FileType{MIME: "application/vnd.openxmlformats-officedocument.presentationml.presentation", Extension: ".pptx", Kind: core.MediaDocument}},
		"zip":            {zipOf("a.txt"), media.FileType{MIME: "application/zip", Extension: ".zip", Kind: core.MediaDocument}},
		"text":           {"just\ntext, naïve", media.FileType{MIME: "text/plain", Extension: ".txt", Kind: core.MediaDocument}},
		"markdown":       {"# Heading\n\n*x*", media.FileType{MIME: "text/plain", Extension: ".txt", Kind: core.MediaDocument}},
		"csv":            {"a,b,c\n1,2,3\n4,5,6\n", media.FileType{MIME: "text/plain", Extension: ".txt", Kind: core.MediaDocument}},
		"json":           {`{"a": [1, 2]}`, media.FileType{MIME: "application/json", Extension: ".json", Kind: core.MediaDocument}},
		"rtf":            {`{\rtf1\ansi x}`, media.FileType{MIME: "text/rtf", Extension: ".rtf", Kind: core.MediaDocument}},
		"html":           {content: "<!DOCTYPE html><html><script>alert(1)</script>"},
		"bare html":      {content: "\n\n  <ScRiPt>alert(1)</script>"},
		"xml":            {content: `<?xml version="1.0"?><a/>`},
		"xhtml":          {content: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`},
		"php":            {content: "<?php system('id');"},
		"shell":          {content: "#!/bin/sh\nrm -rf /"},
		"python":         {content: "#!/usr/bin/env python\nimport os"},
		"elf":            {content: "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00"},
		"windows":        {content: "MZ\x90\x00\x03\x00\x00\x00"},
		"wasm":           {content: "\x00asm\x01\x00\x00\x00"},
		"jar":            {content: zipOf("META-INF/MANIFEST.MF", "A.class")},
		"flash":          {content: "FWS\x0a\x00\x00\x00\x00"},
		"noise":          {content: "\x00\x01\x02\x03\xf0\xf1"},
		"gzip":           {content: "\x1f\x8b\x08\x00\x00\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			item, err := d.tryUpload(t.Context(), "a.exe", test.content)
			if test.want == (media.FileType{}) {
				require.Equal(t, core.KindUnsupportedMedia, core.KindOf(err), "%v %v", item.MimeType, err)
				require.ErrorContains(t, err, "accepted are jpg, png, gif, webp, avif, heic, svg, mp4")
				return
			}
			require.NoError(t, err)
			require.Equal(t, []any{test.want.MIME, test.want.Kind}, []any{item.MimeType, item.Kind})
			served, known := media.TypeOf(item.Full)
			require.True(t, known)
			require.Equal(t, test.want, served)
		})
	}
	for _, name := range []string{"", "u/a", "u/a.html", "u/a.JPG", "u/a.jpg/b", "jpg", "u/a.exe", "u/a.xml"} {
		_, known := media.TypeOf(name)
		require.False(t, known, name)
	}
}

// zipOf returns an archive of empty files.
func zipOf(names ...string) string {
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for _, name := range names {
		_, _ = archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}) // writes to a buffer cannot fail
	}
	_ = archive.Close()
	return b.String()
}

func TestReceiveRefuses(t *testing.T) {
	t.Parallel()
	broken := &core.Error{Kind: core.KindBadRequest, Code: "body_broken", Message: "body ended too early"}
	const limit = 100_000
	for name, test := range map[string]struct {
		source io.Reader
		want   core.Kind
	}{
		"one byte too many":               {strings.NewReader(strings.Repeat("a", limit+1)), core.KindTooLarge},
		"far too many":                    {io.MultiReader(strings.NewReader(png("")), endless{}), core.KindTooLarge},
		"too many of an unknown type":     {endless{}, core.KindTooLarge},
		"nothing":                         {strings.NewReader(""), core.KindInvalid},
		"an unknown type":                 {strings.NewReader("<html>"), core.KindUnsupportedMedia},
		"a broken picture":                {strings.NewReader(png("broken")), core.KindInvalid},
		"a source that fails immediately": {iotest.ErrReader(broken), core.KindBadRequest},
		"a source that fails":             {io.MultiReader(strings.NewReader(strings.Repeat("a", 90_000)), iotest.ErrReader(broken)), core.KindBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.project.UploadLimit = limit
			_, err := d.Receive(t.Context(), d.project, "a", test.source)
			require.Equal(t, test.want, core.KindOf(err), err)
			require.Empty(t, d.names(t), "no blobs remain")
		})
	}
	d := setup(t)
	d.project.UploadLimit = limit
	d.upload(t, "a", strings.Repeat("a", limit))
}

// endless is a reader without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestKeepRefuses(t *testing.T) {
	t.Parallel()
	d := setup(t)
	received, err := d.Receive(t.Context(), d.project, "a.txt", strings.NewReader("a"))
	require.NoError(t, err)
	_, err = d.Keep(t.Context(), core.Actor{System: true}, d.project, received, media.Change{
		Caption: new("\x00"), Alt: new("\x00"), Tags: &[]string{""}, FocalPoint: core.Some(media.Point{X: new(0.5)}),
	})
	require.Len(t, faults(t, err, core.KindInvalid), 4)
	require.NoError(t, d.stores.Projects.Delete(t.Context(), d.project.ID))
	d.events.drain()
	_, err = d.Keep(t.Context(), core.Actor{System: true}, d.project, received, media.Change{})
	require.ErrorIs(t, err, core.ErrNotFound)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	received.Discard(ended)
	received.Discard(ended)
	(*media.Received)(nil).Discard(ended)
	for _, name := range d.names(t) {
		require.False(t, strings.HasPrefix(name, "tmp/"), name)
	}
	require.Empty(t, d.events.drain())
}

// TestKeepAfterTheSweep keeps an upload that a sweep has already removed.
func TestKeepAfterTheSweep(t *testing.T) {
	t.Parallel()
	d := setup(t)
	received, err := d.Receive(t.Context(), d.project, "a.txt", strings.NewReader("a"))
	require.NoError(t, err)
	d.clock.pass(2 * media.SweepAge)
	_, err = d.sweeper.Sweep(t.Context(), media.SweepAge)
	require.NoError(t, err)
	_, err = d.Keep(t.Context(), core.Actor{System: true}, d.project, received, media.Change{})
	var fault *core.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "upload_expired", fault.Code)
}

// TestKeepRestoresLostBytes deletes the last other item with the same bytes before each transaction of
// the upload: before the bytes are reserved, and between their storage and the transaction that adds the item.
func TestKeepRestoresLostBytes(t *testing.T) {
	t.Parallel()
	for _, number := range []int{0, 1} {
		d := setup(t)
		a := d.upload(t, "a.png", png("a"))
		lib, store, done := *d, d.tx, 0
		d.tx = txFunc(func(ctx context.Context, do func(context.Context, ports.Stores) error) error {
			if done++; done == number+1 {
				require.NoError(t, lib.Delete(ctx, core.Actor{System: true}, d.project, a.ID, false))
				require.Empty(t, d.names(t))
			}
			return store.Do(ctx, core.SystemActor, do)
		})
		d.wire()
		b := d.upload(t, "b.png", png("a"))
		require.Equal(t, d.needed(b), d.names(t))
		require.Equal(t, 2, done)
	}
}

// TestKeepAmongSweeps forgets what an upload reserved, and lets another upload of the same bytes reserve
// it again and fail before it has stored them.
func TestKeepAmongSweeps(t *testing.T) {
	t.Parallel()
	d := setup(t)
	lib, store, done := *d, d.tx, 0
	d.tx = txFunc(func(ctx context.Context, do func(context.Context, ports.Stores) error) error {
		if done++; done == 2 {
			names := d.names(t)
			report, err := lib.sweep(t)
			require.NoError(t, err)
			require.Equal(t, media.SweepReport{Released: 4}, report)
			require.NoError(t, store.Do(ctx, core.SystemActor, func(ctx context.Context, s ports.Stores) error {
				_, err := s.Blobs.Reserve(ctx, d.project.ID, names, 7)
				return err
			}))
		}
		return store.Do(ctx, core.SystemActor, do)
	})
	d.wire()
	item := d.upload(t, "a.png", png("a"))
	require.Equal(t, d.needed(item), d.names(t))
}

// TestUploadsWithoutMemory uploads a picture that is too large for the memory of uploads, and one while
// others hold it.
func TestUploadsWithoutMemory(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.project.UploadLimit = 100 << 20
	temporary := func() (names []string) {
		for _, name := range d.names(t) {
			if strings.HasPrefix(name, "tmp/") {
				names = append(names, name)
			}
		}
		return names
	}
	receive := func(content string) *media.Received {
		received, err := d.Receive(t.Context(), d.project, "a.png", strings.NewReader(content))
		require.NoError(t, err)
		return received
	}
	large := receive(png(strings.Repeat("x", 17<<20)))
	require.NotEmpty(t, temporary())
	item, err := d.Keep(t.Context(), core.Actor{System: true}, d.project, large, media.Change{})
	require.NoError(t, err)
	require.Equal(t, d.needed(item), d.names(t))
	var waiting []*media.Received
	for len(temporary()) == 0 {
		waiting = append(waiting, receive(png(strings.Repeat("y", 3<<20))))
	}
	small := receive(png("b"))
	item, err = d.Keep(t.Context(), core.Actor{System: true}, d.project, small, media.Change{})
	require.NoError(t, err)
	for _, received := range waiting {
		received.Discard(t.Context())
	}
	require.Empty(t, temporary())
	require.Subset(t, d.names(t), d.needed(item))
	again := receive(png(strings.Repeat("y", 3<<20)))
	require.Empty(t, temporary(), "the memory is free again")
	again.Discard(t.Context())
}

// TestKeepFails checks that a failed Keep leaves no item, and no blobs after the next sweep.
func TestKeepFails(t *testing.T) {
	t.Parallel()
	d := setup(t)
	away, store, done := errors.New("the database became unavailable"), d.tx, 0
	d.tx = txFunc(func(ctx context.Context, do func(context.Context, ports.Stores) error) error {
		if done++; done == 1 {
			return store.Do(ctx, core.SystemActor, do) // which reserves the names
		}
		return errors.Join(store.Do(ctx, core.SystemActor, func(ctx context.Context, s ports.Stores) error { return errors.Join(do(ctx, s), away) }), away)
	})
	d.wire()
	_, err := d.tryUpload(t.Context(), "a.png", png("a"))
	require.ErrorIs(t, err, away)
	page, err := d.List(t.Context(), d.project, media.Query{})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	d.tx = store
	d.wire()
	report, err := d.sweep(t)
	require.NoError(t, err)
	require.Equal(t, media.SweepReport{Released: 4}, report)
	require.Empty(t, d.names(t))
}

// txFunc implements ports.Tx.
type txFunc func(ctx context.Context, do func(context.Context, ports.Stores) error) error

func (f txFunc) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return f(ctx, do)
}

func (f txFunc) DoAlone(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return f.Do(ctx, actor, do)
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for sent, want := range map[string]string{
		"plain.txt": "plain.txt", "": "file.txt", "..": "file.txt", "...": "file.txt", " . ": "file.txt", "/": "file.txt", "../../etc/passwd": "passwd.txt",
		`..\..\boot.ini`: "boot.ini", `C:\x\y.txt`: "y.txt", "a\x00b\r\n.txt": "ab.txt", ".htaccess": "htaccess.txt", "%252e%252e": "%252e%252e.txt",
		"photo\u202Egpj.exe": "photogpj.txt", "u\u0308ber.txt": "über.txt", "\xff.txt": "\uFFFD.txt", "日本語 🗾.txt": "日本語 🗾.txt", "a:b?.txt": "a:b?.txt",
		"evil.html": "evil.txt", "a.txt.html": "a.txt.txt", "a.html.": "a.html..txt", "b.TXT": "b.TXT", "c.log": "c.log", "d.jpg": "d.txt", "v1.2": "v1.2.txt",
		strings.Repeat("x", 5000) + ".jpeg":     strings.Repeat("x", 195) + ".txt",
		strings.Repeat("ü", 300):                strings.Repeat("ü", 196) + ".txt",
		"a." + strings.Repeat("x", 5000):        "a." + strings.Repeat("x", 194) + ".txt",
		"/x/" + strings.Repeat("y", 199) + ".t": strings.Repeat("y", 196) + ".txt",
	} {
		item := d.upload(t, sent, "text")
		require.Equal(t, want, item.FileName, "%.40q", sent)
		address := fileurl.URL("", item.Full, item.FileName)
		require.Equal(t, url.PathEscape(want), address[strings.LastIndex(address, "/")+1:])
	}
}
