package e2e

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestHostileMedia attacks the media library. Both engines respond alike, and no bytes of
// refused files are kept.
func TestHostileMedia(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			for name, attack := range map[string]func(*testing.T, *site){
				"files": attackFiles, "names": attackFileNames, "forms": attackForms, "sizes": attackSizes,
				"owners": attackMediaOwners, "permissions": attackMediaPermissions,
			} {
				t.Run(name, func(t *testing.T) { attack(t, s) })
			}
			if log := s.process.Output(); strings.Contains(log, `"level":"error"`) || strings.Contains(log, "panic") {
				t.Error("the log contains errors")
			}
		})
	}
}

const (
	page   = "<!DOCTYPE html><html><body><script>alert(1)</script></body></html>"
	svg    = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`
	script = "#!/bin/sh\nrm -rf /\n"
	tail   = "/*\x00*/=1;alert(1)"
)

// attackFiles uploads disguised, broken and oversized files.
func attackFiles(t *testing.T, s *site) {
	before := blobs(t, s.process)
	var items []mediaItem
	for name, c := range map[string]struct {
		file    []byte
		status  int
		kind    string // as served: content type and disposition
		problem string // in the detail or the errors
	}{
		"HTML":                        {[]byte(page), 415, "", "files of this type"},
		"HTML after space":            {[]byte("\n \t" + page), 415, "", "files of this type"},
		"HTML after a mark":           {[]byte("\ufeff" + page), 415, "", "files of this type"},
		"HTML after a comment":        {[]byte("<!-- x -->" + page), 415, "", "files of this type"},
		"HTML in UTF-16":              {[]byte("\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00"), 201, "text/plain; charset=utf-16 attachment", ""},
		"XHTML":                       {[]byte(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>`), 415, "", "files of this type"},
		"XML":                         {[]byte(`<?xml version="1.0"?><a/>`), 415, "", "files of this type"},
		"SVG":                         {[]byte(svg), 201, "image/svg+xml attachment", ""},
		"SVG after a declaration":     {[]byte(`<?xml version="1.0"?>` + svg), 201, "image/svg+xml attachment", ""},
		"script":                      {[]byte(script), 415, "", "files of this type"},
		"JavaScript":                  {[]byte("#!/usr/bin/env node\nalert(1)"), 415, "", "files of this type"},
		"PHP":                         {[]byte("<?php system($_GET['x']); ?>"), 415, "", "files of this type"},
		"program of Linux":            {[]byte("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 100)), 415, "", "files of this type"},
		"program of Windows":          {[]byte("MZ" + strings.Repeat("\x00", 100)), 415, "", "files of this type"},
		"unknown":                     {[]byte("\x00\x01\x02\x03\x04"), 415, "", "files of this type"},
		"text":                        {[]byte("alert(1)"), 201, "text/plain; charset=utf-8 attachment", ""},
		"PNG magic before HTML":       {[]byte("\x89PNG\r\n\x1a\n" + page), 422, "", "invalid or truncated"},
		"PNG with HTML behind":        {append(pngOf(4, 4), page...), 201, "image/png inline", ""},
		"JPEG magic before HTML":      {[]byte("\xff\xd8\xff\xe0" + page), 422, "", "invalid or truncated"},
		"GIF magic before JavaScript": {[]byte("GIF89a/*" + strings.Repeat("x", 20) + "*/=1;alert(1)"), 422, "", "invalid or truncated"},
		"GIF with JavaScript in it":   {append(gifOf(1), tail...), 201, "image/gif inline", ""},
		"PNG cut off":                 {pngOf(400, 400)[:300], 201, "image/png inline", ""},
		"JPEG cut off":                {jpegOf(400, 400)[:700], 201, "image/jpeg inline", ""},
		"GIF cut off":                 {gifOf(5)[:60], 201, "image/gif inline", ""},
		"900 megapixels":              {pngBomb(30000, 30000), 422, "", "100 megapixels"},
		"a JPEG of 4,000 megapixels":  {enlarged(jpegOf(8, 8)), 422, "", "100 megapixels"},
		"20,000 frames":               {gifOf(20_000), 422, "", "10,000 frames"},
		"2,000 frames":                {gifOf(2_000), 201, "image/gif inline", ""},
		"ZIP":                         {[]byte("PK\x05\x06" + strings.Repeat("\x00", 18)), 201, "application/zip attachment", ""},
		"PDF":                         {[]byte("%PDF-1.4\n%%EOF\n"), 201, "application/pdf inline", ""},
	} {
		want := c.file
		if strings.HasPrefix(c.kind, "image/") { // what follows a picture is not stored
			want = bytes.TrimSuffix(bytes.TrimSuffix(want, []byte(page)), []byte(tail))
		}
		t.Run(name, func(t *testing.T) {
			// The declared name and type do not change the result.
			for i, head := range []string{
				`name="file"; filename="a.png"` + "\r\nContent-Type: image/png",
				`name="file"; filename="a.html"` + "\r\nContent-Type: text/html",
				`name="file"; filename="a"` + "\r\nContent-Type: application/x-nonsense; x=\"",
			} {
				a := post(t, s.base+s.fill("{P}/media/upload"), newForm().part(head, c.file).end(), "Authorization: Bearer "+s.tokens["full"])
				if c.status != 201 {
					if p := wantProblem(t, a, c.status); !strings.Contains(string(a.body), c.problem) || c.status == 422 && (len(p.Errors) != 1 || p.Errors[0].Location != "file") {
						t.Errorf("%d: %s", i, a.body)
					}
					continue
				}
				if a.status != 201 {
					t.Fatalf("%d: answered %d: %s", i, a.status, a.body)
				}
				item := decode[mediaItem](t, a)
				items = append(items, item)
				served := call(t, "GET", item.FullURL, "")
				how, _ := disposition(t, served)
				if kind := served.header.Get("Content-Type") + " " + how; kind != c.kind || !bytes.Equal(served.body, want) {
					t.Errorf("%d: served as %s, want %s", i, kind, c.kind)
				}
				policy := served.header.Get("Content-Security-Policy")
				if !strings.Contains(policy, "sandbox") || !strings.Contains(policy, "default-src 'none'") || served.header.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%d: served with %v", i, served.header)
				}
			}
		})
	}
	for _, item := range items {
		if a := call(t, "DELETE", fmt.Sprintf("%s/%d", s.base+s.fill("{P}/media"), item.ID), "", "Authorization: Bearer "+s.tokens["full"]); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if left := blobs(t, s.process); !slices.Equal(left, before) {
		t.Errorf("blobs left: %v", left)
	}
}

// pngBomb returns a small PNG of many equal one-bit pixels.
func pngBomb(width, height int) []byte {
	var pixels bytes.Buffer
	z, _ := zlib.NewWriterLevel(&pixels, zlib.BestCompression)
	row := make([]byte, 1+(width+7)/8)
	for range height {
		_, _ = z.Write(row)
	}
	_ = z.Close() // writes to a buffer cannot fail
	header := binary.BigEndian.AppendUint32(nil, uint32(width))
	header = binary.BigEndian.AppendUint32(header, uint32(height))
	file := []byte("\x89PNG\r\n\x1a\n")
	for _, chunk := range []struct {
		name string
		data []byte
	}{{"IHDR", append(header, 1, 0, 0, 0, 0)}, {"IDAT", pixels.Bytes()}, {"IEND", nil}} {
		body := append([]byte(chunk.name), chunk.data...)
		file = binary.BigEndian.AppendUint32(file, uint32(len(chunk.data)))
		file = binary.BigEndian.AppendUint32(append(file, body...), crc32.ChecksumIEEE(body))
	}
	return file
}

// enlarged returns a JPEG whose header declares the largest possible size.
func enlarged(file []byte) []byte {
	i := bytes.Index(file, []byte("\xff\xc0"))
	return slices.Concat(file[:i+5], []byte("\xff\xff\xff\xff"), file[i+9:])
}

// attackFileNames uploads files with dangerous names.
func attackFileNames(t *testing.T, s *site) {
	for name, want := range map[string]string{
		`../../etc/passwd.txt`:              "passwd.txt",
		`..\..\boot.txt`:                    "boot.txt",
		`C:\Windows\win.txt`:                "win.txt",
		`/etc/passwd`:                       "passwd.txt",
		`..`:                                "file.txt",
		`.`:                                 "file.txt",
		``:                                  "file.txt",
		`a/`:                                "file.txt",
		`.htaccess`:                         "htaccess.txt",
		"a\u202etxt.exe":                    "atxt.txt",
		`%252e%252e%252fa.txt`:              "%252e%252e%252fa.txt", // names are not percent-decoded
		`a%00b.txt`:                         "a%00b.txt",
		`<img src=x onerror=alert(1)>.txt`:  "<img src=x onerror=alert(1)>.txt",
		`a%22; filename=%22evil.html`:       `a"; filename="evil.txt`,
		`山 𝒳.txt`:                           "山 𝒳.txt",
		"e\u0301.txt":                       "é.txt",
		strings.Repeat("ü", 5000) + ".txt":  strings.Repeat("ü", 196) + ".txt",
		strings.Repeat(".", 5000) + "a.txt": "a.txt",
	} {
		a := post(t, s.base+s.fill("{P}/media/upload"), newForm().file(name, []byte("a text")).end(), "Authorization: Bearer "+s.tokens["full"])
		if a.status != 201 {
			t.Errorf("%.50q answered %d: %s", name, a.status, a.body)
			continue
		}
		item := decode[mediaItem](t, a)
		if item.FileName != want {
			t.Errorf("%.50q is called %q, want %q", name, item.FileName, want)
		}
		served := call(t, "GET", item.FullURL, "")
		how, saved := disposition(t, served)
		if served.status != 200 || how != "attachment" || saved != want || strings.ContainsAny(saved, `/\`) {
			t.Errorf("%s answered %d, %s as %q", item.FullURL, served.status, how, saved)
		}
	}
	for name, head := range map[string]string{
		"a NUL in the head":    "name=\"file\"; filename=\"a\x00b.txt\"",
		"a line in the name":   "name=\"file\"; filename=\"a\r\nX-Evil: yes\r\n.txt\"",
		"a name that is open":  `name="file"; filename="a`,
		"two names":            `name="file"; filename="a.txt"; filename="b.txt"`,
		"a name of many parts": `name="file"; filename*0="a"; filename*1="/../b.txt"`,
	} {
		a := post(t, s.base+s.fill("{P}/media/upload"), newForm().part(head, []byte("a text")).end(), "Authorization: Bearer "+s.tokens["full"])
		switch {
		case a.status == 201:
			if item := decode[mediaItem](t, a); strings.ContainsAny(item.FileName, "/\\\x00\r\n") {
				t.Errorf("%s: %q", name, item.FileName)
			}
		case a.status != 400 && a.status != 422:
			t.Errorf("%s answered %d: %s", name, a.status, a.body)
		}
	}
}

// attackForms sends malformed multipart forms.
func attackForms(t *testing.T, s *site) {
	before := blobs(t, s.process)
	whole := newForm().file("a.txt", []byte(strings.Repeat("a text ", 1000))).end()
	request := func(headers string, body []byte) []byte {
		return slices.Concat([]byte("POST "+s.fill("{P}/media/upload")+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.tokens["full"]+
			"\r\nContent-Type: multipart/form-data; boundary="+boundary+"\r\n"+headers+"\r\n\r\n"), body)
	}
	for name, c := range map[string]struct {
		request []byte
		status  int
	}{
		"length too large":          {request(fmt.Sprint("Content-Length: ", len(whole)+1000), whole), 400},
		"length too small":          {request(fmt.Sprint("Content-Length: ", len(whole)/2), whole), 400},
		"length of nothing":         {request("Content-Length: 0", whole), 400},
		"length that is none":       {request("Content-Length: many", whole), 400},
		"two lengths":               {request(fmt.Sprintf("Content-Length: %d\r\nContent-Length: 5", len(whole)), whole), 400},
		"chunks that break off":     {request("Transfer-Encoding: chunked", slices.Concat([]byte("800\r\n"), whole[:500])), 400},
		"chunks that are none":      {request("Transfer-Encoding: chunked", whole), 400},
		"chunks that end too early": {request("Transfer-Encoding: chunked", slices.Concat([]byte("1f4\r\n"), whole[:500], []byte("\r\n0\r\n\r\n"))), 400},
		"compressed":                {request(fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d", len(whole)), whole), 415},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.Write(c.request); err != nil {
				t.Fatal(err)
			}
			_ = conn.(*net.TCPConn).CloseWrite() // the program may have closed it already
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != c.status {
				text, _ := io.ReadAll(resp.Body)
				t.Errorf("answered %d, want %d: %s", resp.StatusCode, c.status, text)
			}
		})
	}
	many := newForm().file("a.txt", []byte("a"))
	for range 1000 {
		many.text("x", "x")
	}
	for name, c := range map[string]struct {
		form   []byte
		status int
	}{
		"1,001 parts": {many.end(), 400},
		"two files":   {newForm().file("a.txt", []byte("a")).file("b.txt", []byte("b")).end(), 422},
		"no file":     {newForm().text("caption", "a").end(), 422},
		"no parts":    {newForm().end(), 422},
		"empty":       {nil, 400},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblem(t, post(t, s.base+s.fill("{P}/media/upload"), c.form, "Authorization: Bearer "+s.tokens["full"]), c.status)
		})
	}
	for _, contentType := range []string{"multipart/form-data", "multipart/form-data; boundary=", `multipart/form-data; boundary="` + strings.Repeat("x", 100) + `"`} {
		wantProblem(t, post(t, s.base+s.fill("{P}/media/upload"), whole, "Authorization: Bearer "+s.tokens["full"], "Content-Type: "+contentType), 400)
	}
	if left := blobs(t, s.process); !slices.Equal(left, before) {
		t.Errorf("blobs left: %v", left)
	}
}

// endless is a reader without end.
type endless struct{ sent int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.sent += int64(len(p))
	return len(p), nil
}

// attackSizes uploads more than the project allows. The program refuses it early, and
// clients that keep sending still receive the response.
func attackSizes(t *testing.T, s *site) {
	before := blobs(t, s.process)
	const limit, size = 20_000_000, 2 << 30
	head := newForm().part(`name="file"; filename="a.txt"`, nil).Bytes()
	for name, length := range map[string]int64{"with Content-Length": size, "chunked": -1} {
		t.Run(name, func(t *testing.T) {
			stream := &endless{}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+s.fill("{P}/media/upload"),
				io.LimitReader(io.MultiReader(bytes.NewReader(head), stream), size))
			if err != nil {
				t.Fatal(err)
			}
			request.ContentLength = length
			request.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
			request.Header.Set("Authorization", "Bearer "+s.tokens["full"])
			wantProblem(t, do(t, request), 413)
		})
	}
	if left := blobs(t, s.process); !slices.Equal(left, before) {
		t.Errorf("blobs left: %v", left)
	}
	// Admins set the limit; files up to it are accepted.
	if a := call(t, "PATCH", s.base+s.fill("{project}"), `{"uploadLimit":1000}`, s.session...); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	token := "Authorization: Bearer " + s.tokens["full"]
	for size, want := range map[int]int{1000: 201, 1001: 413} {
		if a := post(t, s.base+s.fill("{P}/media/upload"), newForm().file("a.txt", bytes.Repeat([]byte("x"), size)).end(), token); a.status != want {
			t.Errorf("%d bytes were answered %d: %s", size, a.status, a.body)
		}
	}
	if a := call(t, "PATCH", s.base+s.fill("{project}"), fmt.Sprintf(`{"uploadLimit":%d}`, limit), s.session...); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
}

// attackMediaOwners uses media of another project: every route responds as if they did not
// exist.
func attackMediaOwners(t *testing.T, s *site) {
	theirs := upload(t, s.base+s.fill("{O}/media/upload"), newForm().file("theirs.png", pngOf(9, 9)).text("caption", "canary").end(), "Authorization: Bearer "+s.tokens["other"])
	s.create(t, fmt.Sprintf("/projects/%d/collections", s.project), `{"slug":"holders","name":"Holders","fields":[{"name":"one","type":"media"},{"name":"many","type":"media","multiple":true}]}`)
	for _, id := range []int{theirs.ID, 999_999} {
		for _, method := range []string{"GET", "HEAD", "PATCH", "DELETE"} {
			body := map[string]string{"PATCH": `{"caption":"mine"}`}[method]
			for credential, a := range map[string]response{
				"token":   s.send(t, "full", method, fmt.Sprintf("{P}/media/%d", id), body),
				"session": s.send(t, "", method, fmt.Sprintf("{project}/media/%d", id), body, s.session...),
			} {
				if a.status != 404 || strings.Contains(string(a.body), "canary") {
					t.Errorf("%s of %d by %s answered %d: %s", method, id, credential, a.status, a.body)
				}
			}
		}
		wantProblem(t, s.send(t, "", "GET", fmt.Sprintf("{project}/media/%d/usage", id), "", s.session...), 404)
		if r := s.query(t, "full", fmt.Sprintf("{ media(id: %d) { id caption } }", id), nil); r.code() != "" || r.Data["media"] != nil {
			t.Errorf("GraphQL responses %s", r.body)
		}
		for _, field := range []string{fmt.Sprintf(`"one":%d`, id), fmt.Sprintf(`"many":[%d]`, id)} {
			wantProblem(t, s.send(t, "full", "POST", "{P}/collections/holders/entries", `{"fields":{`+field+`}}`), 422)
		}
	}
	for _, path := range []string{"{O}/media", fmt.Sprintf("{O}/media/%d", theirs.ID)} {
		wantProblem(t, s.send(t, "full", "GET", path, ""), 404)
	}
	wantProblem(t, post(t, s.base+s.fill("{O}/media/upload"), newForm().file("a.txt", []byte("a")).end(), "Authorization: Bearer "+s.tokens["full"]), 404)
	if a := call(t, "GET", theirs.FullURL, ""); a.status != 200 {
		t.Errorf("their file answered %d", a.status)
	}
	// Equal bytes in two projects are two files: deleting one leaves the other.
	ours := upload(t, s.base+s.fill("{P}/media/upload"), newForm().file("theirs.png", pngOf(9, 9)).end(), "Authorization: Bearer "+s.tokens["full"])
	if ours.Hash != theirs.Hash || ours.FullURL == theirs.FullURL {
		t.Errorf("%+v %+v", ours, theirs)
	}
	if a := s.send(t, "full", "DELETE", fmt.Sprintf("{P}/media/%d", ours.ID), ""); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	wantProblem(t, call(t, "GET", ours.FullURL, ""), 404)
	if a := call(t, "GET", theirs.FullURL, ""); a.status != 200 {
		t.Errorf("their file answered %d", a.status)
	}
}

// attackMediaPermissions uses each route with insufficient credentials.
func attackMediaPermissions(t *testing.T, s *site) {
	item := upload(t, s.base+s.fill("{P}/media/upload"), newForm().file("a.txt", []byte("a text of our own")).end(), "Authorization: Bearer "+s.tokens["create"])
	form := newForm().file("b.txt", []byte("another text")).end()
	one := fmt.Sprintf("{P}/media/%d", item.ID)
	kept := blobs(t, s.process)
	for name, c := range map[string]struct {
		header []string
		status int
	}{
		"no token":            {nil, 401},
		"a read-only token":   {[]string{"Authorization: Bearer " + s.tokens["read"]}, 403},
		"another's token":     {[]string{"Authorization: Bearer " + s.tokens["other"]}, 404},
		"a session":           {s.session, 401},
		"another credential":  {[]string{"Authorization: Basic eDp5"}, 401},
		"a token of no shape": {[]string{"Authorization: Bearer imp_nonsense"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			wantProblem(t, post(t, s.base+s.fill("{P}/media/upload"), form, c.header...), c.status)
			wantProblem(t, call(t, "PATCH", s.base+s.fill(one), `{"caption":"x"}`, c.header...), c.status)
			wantProblem(t, call(t, "DELETE", s.base+s.fill(one), "", c.header...), c.status)
		})
	}
	wantProblem(t, post(t, s.base+s.fill("{P}/media/upload?token="+s.tokens["full"]), form), 401)
	wantProblem(t, post(t, s.base+s.fill("{project}/media/upload"), form, "Authorization: Bearer "+s.tokens["full"]), 401)
	wantProblem(t, post(t, s.base+s.fill("{project}/media/upload"), form, s.session[0], "Origin: https://evil.example"), 403)
	wantProblem(t, post(t, s.base+s.fill("{project}/media/upload"), form, s.session[0]), 403)
	wantProblem(t, call(t, "GET", s.base+s.fill("{P}/media"), "", "Authorization: Bearer "+s.tokens["create"]), 403)
	if left := blobs(t, s.process); !slices.Equal(left, kept) {
		t.Errorf("blobs are %v, want %v", left, kept)
	}
	// Files need no credentials, and wrong ones do not matter.
	for _, header := range [][]string{nil, {"Authorization: Bearer nonsense"}, {"Cookie: imprimatur_session=nonsense"}} {
		if a := call(t, "GET", item.FullURL, "", header...); a.status != 200 || a.header.Get("RateLimit") != "" {
			t.Errorf("answered %d with %v", a.status, a.header)
		}
	}
}
