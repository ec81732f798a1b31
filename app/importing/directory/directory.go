// Package directory reads a directory of our own files as the content of an import:
//
//	schema.yaml        definitions, as imprimatur schema pull writes them; not required
//	<collection>.jsonl the entries of a collection, as imprimatur export writes them
//	media.jsonl        what the library says about files; not required
//	media/             files
//
// Lines and their collections may be in any order, and point to each other in cycles. A file of a media field or of
// links is {"hash": …} of the library or of a file in media/, {"file": …} with its path in media/, or {"url": …}.
//
// The member published of a line says that the entry was public; Options.Publish says whether it becomes so.
package directory

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/app/importing"
	"imprimatur/core/canonical"
	"imprimatur/core/definition/schema"
)

const (
	schemaFile = "schema.yaml"
	mediaFile  = "media.jsonl"
	mediaDir   = "media"
	extension  = ".jsonl"
	// maxLine is the longest line in bytes.
	maxLine = 64 << 20
)

// Directory is a directory of our own files. It implements importing.Content.
type Directory struct {
	root     *os.Root
	schema   schema.File
	names    []string              // of the files with lines, in alphabetical order
	unique   map[string]string     // the field with keys, by collection
	external map[string]fileOfLine // files that lines name by their address
}

var _ importing.Content = (*Directory)(nil)

// Open reads the definitions and the names of the files. known are the definitions of the Project. The caller closes the
// Directory.
func Open(name string, known schema.File) (*Directory, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	d := &Directory{root: root, unique: map[string]string{}, external: map[string]fileOfLine{}}
	if err := d.read(known); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

// Close closes the directory.
func (d *Directory) Close() error { return d.root.Close() }

func (d *Directory) read(known schema.File) error {
	text, err := fs.ReadFile(d.root.FS(), schemaFile)
	switch {
	case err == nil:
		if d.schema, err = schema.Parse(text); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return err
	}
	all := known.With(d.schema)
	for _, c := range all.Collections {
		for _, f := range c.Fields {
			if f.Unique && !f.Hidden && d.unique[c.Slug] == "" {
				d.unique[c.Slug] = f.Name
			}
		}
	}
	for _, e := range entries {
		slug, lines := strings.CutSuffix(e.Name(), extension)
		if !lines || e.Name() == mediaFile {
			continue
		}
		if !slices.ContainsFunc(all.Collections, func(c importing.Definition) bool { return c.Slug == slug }) {
			return fmt.Errorf("%s: neither %s nor the project has a collection %s", e.Name(), schemaFile, slug)
		}
		d.names = append(d.names, e.Name())
	}
	if len(d.names) == 0 && len(d.schema.Collections)+len(d.schema.Components) == 0 {
		return fmt.Errorf("%s has neither %s nor lines of a collection", d.root.Name(), schemaFile)
	}
	return nil
}

// Definitions implements importing.Content.
func (d *Directory) Definitions() schema.File { return d.schema }

// described is a line of media.jsonl.
type described struct {
	File    string   `json:"file"`
	URL     string   `json:"url"`
	Name    string   `json:"name"`
	Alt     string   `json:"alt"`
	Caption string   `json:"caption"`
	Folder  string   `json:"folder"`
	Tags    []string `json:"tags"`
}

// fileOfLine is where a line names an address.
type fileOfLine struct {
	from importing.Origin
	name string
}

// Files implements importing.Content: it calls each with the files in media/, those of media.jsonl and those that lines
// name.
func (d *Directory) Files(ctx context.Context, each func(importing.File) error) error {
	about, urls, err := d.described()
	if err != nil {
		return err
	}
	err = fs.WalkDir(d.root.FS(), mediaDir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || e.IsDir():
			return err
		case !e.Type().IsRegular():
			return fmt.Errorf("%s is not a file", name)
		}
		inside := strings.TrimPrefix(name, mediaDir+"/")
		text := about[inside]
		delete(about, inside)
		return each(d.file(inside, text))
	})
	if err != nil {
		return err
	}
	for name, text := range about { // that are missing
		if err := each(d.file(name, text)); err != nil {
			return err
		}
	}
	if err := d.addresses(ctx); err != nil {
		return err
	}
	for address, text := range urls {
		delete(d.external, address)
		if err := each(remote(address, text)); err != nil {
			return err
		}
	}
	for address, at := range d.external {
		f := remote(address, described{Name: at.name})
		f.Origin = at.from
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

func (d *Directory) file(inside string, text described) importing.File {
	f := details(text)
	f.ID = "file " + inside
	f.Origin = importing.Origin{Kind: mediaDir, ID: inside}
	if f.Name == "" {
		f.Name = path.Base(inside)
	}
	f.Open = func() (io.ReadCloser, error) { return d.root.Open(path.Join(mediaDir, inside)) }
	return f
}

func remote(address string, text described) importing.File {
	f := details(text)
	f.ID, f.URL, f.Origin = "url "+address, address, importing.Origin{Kind: mediaDir, ID: address}
	return f
}

func details(text described) importing.File {
	return importing.File{Name: text.Name, Alt: text.Alt, Caption: text.Caption, Folder: text.Folder, Tags: text.Tags}
}

// described reads media.jsonl: by paths and by addresses.
func (d *Directory) described() (paths, urls map[string]described, err error) {
	paths, urls = map[string]described{}, map[string]described{}
	err = d.each(mediaFile, func(number int, text []byte) error {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		var about described
		if err := decoder.Decode(&about); err != nil || (about.File == "") == (about.URL == "") {
			return fmt.Errorf(`%s: line %d must be {"file" or "url", and perhaps "name", "alt", "caption", "folder", "tags"}`, mediaFile, number)
		}
		if about.File != "" {
			paths[path.Clean(about.File)] = about
		} else {
			urls[about.URL] = about
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return paths, urls, err
}

// addresses collects the addresses that lines name.
func (d *Directory) addresses(ctx context.Context) error {
	return d.Lines(ctx, func(l *importing.Line) error {
		see := func(ref importing.FileRef) {
			if address, ok := strings.CutPrefix(ref.File, "url "); ok {
				d.external[address] = fileOfLine{l.From, ref.FileName}
			}
		}
		for _, v := range []*importing.Version{&l.Draft, l.Public} {
			if v == nil {
				continue
			}
			for _, refs := range v.Media {
				for _, ref := range refs {
					see(ref)
				}
			}
			for _, ref := range v.Links.Media {
				see(ref)
			}
		}
		return nil
	})
}

// each calls do with the lines of a file that are not empty.
func (d *Directory) each(name string, do func(number int, text []byte) error) error {
	file, err := d.root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it is read only
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	number := 0
	for lines.Scan() {
		number++
		text := bytes.TrimSpace(lines.Bytes())
		if number == 1 {
			text = bytes.TrimPrefix(text, []byte("\uFEFF"))
		}
		if len(text) == 0 {
			continue
		}
		if err := do(number, text); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: line %d: %w", name, number+1, err)
	}
	return nil
}

// Lines implements importing.Content.
func (d *Directory) Lines(ctx context.Context, each func(*importing.Line) error) error {
	for _, name := range d.names {
		slug := strings.TrimSuffix(name, extension)
		err := d.each(name, func(number int, text []byte) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return each(d.line(slug, number, text))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// version is a version of a line as it is in a file.
type version struct {
	Fields    map[string]json.RawMessage `json:"fields"`
	Relations map[string]json.RawMessage `json:"relations"`
	Media     map[string]json.RawMessage `json:"media"`
	Links     struct {
		Media   map[string]json.RawMessage `json:"media"`
		Entries map[string]json.RawMessage `json:"entries"`
	} `json:"links"`
}

// written is a line as it is in a file.
type written struct {
	version

	Group            string                                `json:"group"`
	Key              json.RawMessage                       `json:"key"`
	Locale           string                                `json:"locale"`
	Published        *bool                                 `json:"published"`
	PublishAt        *time.Time                            `json:"publishAt"`
	UnpublishAt      *time.Time                            `json:"unpublishAt"`
	PublishedAt      *time.Time                            `json:"publishedAt"`
	CreatedAt        *time.Time                            `json:"createdAt"`
	PublishedVersion *version                              `json:"publishedVersion"`
	Inherit          *bool                                 `json:"inherit"`
	Translations     map[string]map[string]json.RawMessage `json:"translations"`
	Paths            []string                              `json:"paths"`
}

// line reads a line. One that cannot be read is Skipped.
func (d *Directory) line(slug string, number int, text []byte) *importing.Line {
	l := &importing.Line{From: importing.Origin{Kind: slug, ID: "line " + strconv.Itoa(number)}, Collection: slug, ByKey: true}
	object, err := canonical.Arrange(text)
	if err != nil {
		l.Skipped = "is not a JSON object: " + err.Error()
		return l
	}
	var in written
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		l.Skipped = "is not a line of an import: " + err.Error()
		return l
	}
	l.Locale, l.Key = in.Locale, in.Key
	if string(l.Key) == "null" {
		l.Key = nil
	}
	l.Published = in.Published != nil && *in.Published
	l.PublishAt, l.UnpublishAt, l.PublishedAt, l.CreatedAt = in.PublishAt, in.UnpublishAt, in.PublishedAt, in.CreatedAt
	l.Inherit, l.Translations, l.Paths = in.Inherit, in.Translations, in.Paths
	if l.Key == nil {
		l.Key = in.Fields[d.unique[slug]]
	}
	switch {
	case in.Group != "":
		l.Group = in.Group
	case l.Key != nil:
		l.Group = group(slug, l.Key)
	case d.single(slug):
		l.Group = "directory:" + slug
	default:
		l.Skipped = "has neither a group nor a key: importing it again would create it again"
		return l
	}
	l.From.ID = l.Group
	l.From.Locale = l.Locale
	l.Draft = versionOf(l, &in.version)
	if in.PublishedVersion != nil {
		public := versionOf(l, in.PublishedVersion)
		l.Public = &public
	}
	return l
}

// group returns the group of a line that has only a key.
func group(slug string, key json.RawMessage) string {
	return importing.Group("directory", slug, string(key))
}

func (d *Directory) single(slug string) bool {
	return slices.ContainsFunc(d.schema.Collections, func(c importing.Definition) bool { return c.Slug == slug && c.Singleton })
}

func versionOf(l *importing.Line, in *version) importing.Version {
	v := importing.Version{Fields: in.Fields, Relations: map[string][]importing.Target{}, Media: map[string][]importing.FileRef{}}
	lose := func(name string, raw json.RawMessage, reason string) {
		l.Lost = append(l.Lost, importing.Lost{Origin: l.From, Field: name, What: importing.LostValue, Reason: reason, Value: raw})
	}
	for name, raw := range in.Relations {
		var targets []importing.Target
		ok := true
		for _, element := range listed(raw) {
			t, read := target(element)
			targets, ok = append(targets, t), ok && read
		}
		if v.Relations[name] = targets; !ok {
			delete(v.Relations, name)
			lose(name, raw, `must be keys or {"group": …, "key": …} of entries`)
		}
	}
	for name, raw := range in.Media {
		var refs []importing.FileRef
		ok := true
		for _, element := range listed(raw) {
			ref, read := fileRef(element)
			refs, ok = append(refs, ref), ok && read
		}
		if v.Media[name] = refs; !ok {
			delete(v.Media, name)
			lose(name, raw, `must be {"hash": …}, {"file": …} or {"url": …}`)
		}
	}
	v.Links = importing.Links{Media: map[string]importing.FileRef{}, Entries: map[string]importing.Target{}}
	for id, raw := range in.Links.Media {
		if ref, ok := fileRef(raw); ok {
			v.Links.Media[id] = ref
		}
	}
	for id, raw := range in.Links.Entries {
		if t, ok := target(raw); ok {
			v.Links.Entries[id] = t
		}
	}
	return v
}

// listed returns the elements of a list, or a value as one; none for null.
func listed(raw json.RawMessage) (list []json.RawMessage) {
	if string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, &list) != nil {
		return []json.RawMessage{raw}
	}
	return list
}

// target reads a target: a key, or an object.
func target(raw json.RawMessage) (t importing.Target, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return t, false
	}
	if raw[0] != '{' {
		return importing.Target{Key: raw}, true
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return t, decoder.Decode(&t) == nil && (t.Group != "" || len(t.Key) > 0)
}

// fileRef reads a file of a media field or of links.
func fileRef(raw json.RawMessage) (ref importing.FileRef, ok bool) {
	var in struct {
		Hash     string `json:"hash"`
		FileName string `json:"fileName"`
		File     string `json:"file"`
		URL      string `json:"url"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&in); err != nil {
		return ref, false
	}
	ref = importing.FileRef{Hash: in.Hash, FileName: in.FileName}
	switch {
	case in.File != "":
		ref.File = "file " + path.Clean(in.File)
	case in.URL != "":
		ref.File = "url " + in.URL
	}
	return ref, ref.Hash != "" || ref.File != ""
}
