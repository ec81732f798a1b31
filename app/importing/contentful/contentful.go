// Package contentful reads exports of Contentful (contentful space export) as a source of an import: content types,
// entries in all locales, assets with their files, tags.
//
// Open reads the file as a stream and keeps the content types, the assets and what entries are called (survey.go).
// Entries reads it again and makes an entry of each in each locale (entries.go), with its rich text (richtext.go).
//
// An export has one version of each entry, the newest. Of an entry that was changed after it was published, this is the
// draft, so that the entry becomes one. Webhooks, roles and keys are not content here, and are not read.
package contentful

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"imprimatur/app/importing"
	"imprimatur/core/canonical"
)

// Source is an export of Contentful. It implements importing.Source.
type Source struct {
	file  string
	media *os.Root // the folder with files
	only  bool     // files are only those of the folder

	space   string
	types   map[string]*contentType
	order   []string // of types
	locales []locale
	tags    map[string]string // names by ids
	assets  map[string]*asset
	ordered []string // ids of assets
	again   []string // ids of assets that another one had before
	entries map[string]*known
	help    map[string]map[string]control // by content type and field
	tagged  map[string]bool               // content types with entries that have tags
}

var _ importing.Source = (*Source)(nil)

// system is the member sys of everything in an export.
type system struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Link  string `json:"linkType"`
	Space struct {
		Sys struct {
			ID string `json:"id"`
		} `json:"sys"`
	} `json:"space"`
	ContentType struct {
		Sys struct {
			ID string `json:"id"`
		} `json:"sys"`
	} `json:"contentType"`
	Version          int    `json:"version"`
	PublishedVersion *int   `json:"publishedVersion"`
	PublishedAt      string `json:"publishedAt"`
	FirstPublishedAt string `json:"firstPublishedAt"`
	CreatedAt        string `json:"createdAt"`
	ArchivedAt       string `json:"archivedAt"`
	ArchivedVersion  *int   `json:"archivedVersion"`
}

type contentType struct {
	Sys          system  `json:"sys"`
	Name         string  `json:"name"`
	Description  string  `json:"description"`
	DisplayField string  `json:"displayField"`
	Fields       []field `json:"fields"`
}

type field struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Type        string       `json:"type"`
	LinkType    string       `json:"linkType"`
	Items       *items       `json:"items"`
	Localized   bool         `json:"localized"`
	Required    bool         `json:"required"`
	Validations []validation `json:"validations"`
}

type items struct {
	Type        string       `json:"type"`
	LinkType    string       `json:"linkType"`
	Validations []validation `json:"validations"`
}

type validation struct {
	LinkContentType json.RawMessage   `json:"linkContentType"` // a list, or in old exports a text
	In              []json.RawMessage `json:"in"`
	Unique          bool              `json:"unique"`
	Size            *bounds           `json:"size"`
	Range           *bounds           `json:"range"`
}

type bounds struct {
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

type locale struct {
	Code         string `json:"code"`
	Default      bool   `json:"default"`
	FallbackCode string `json:"fallbackCode"`
}

// control is how editors see a field.
type control struct {
	FieldID  string `json:"fieldId"`
	WidgetID string `json:"widgetId"`
	Settings struct {
		HelpText string `json:"helpText"`
		Format   string `json:"format"`
	} `json:"settings"`
}

type asset struct {
	Sys    system `json:"sys"`
	Fields struct {
		Title       map[string]string    `json:"title"`
		Description map[string]string    `json:"description"`
		File        map[string]assetFile `json:"file"`
	} `json:"fields"`
}

type assetFile struct {
	URL         string `json:"url"`
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
}

type entry struct {
	Sys      system                                `json:"sys"`
	Fields   map[string]map[string]json.RawMessage `json:"fields"`
	Metadata struct {
		Tags []struct {
			Sys system `json:"sys"`
		} `json:"tags"`
	} `json:"metadata"`
}

// known is what other entries need to know of an entry.
type known struct{ kind, title string }

// Open surveys an export: a file, or a folder with one file *.json and perhaps its assets. With media, files are those of
// this folder; otherwise they are those beside the export, and the others are fetched. The caller closes the Source.
func Open(ctx context.Context, name, media string) (*Source, error) {
	file, err := exported(name)
	if err != nil {
		return nil, err
	}
	s := &Source{
		file: file, only: media != "", types: map[string]*contentType{}, tags: map[string]string{}, assets: map[string]*asset{},
		entries: map[string]*known{}, help: map[string]map[string]control{}, tagged: map[string]bool{},
	}
	if s.media, err = os.OpenRoot(cmp.Or(media, filepath.Dir(file))); err != nil {
		return nil, err
	}
	if err := s.survey(ctx); err != nil {
		_ = s.media.Close() // nothing was written
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// exported returns the file of an export that is perhaps in a folder.
func exported(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return name, err
	}
	files, err := filepath.Glob(filepath.Join(name, "*.json"))
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("%s has %d files *.json: name the one of the export", name, len(files))
	}
	if err != nil {
		return "", err
	}
	return files[0], nil
}

// Close closes the folder of files.
func (s *Source) Close() error { return s.media.Close() }

// System implements importing.Source.
func (s *Source) System() string { return "contentful" }

// Site implements importing.Source.
func (s *Source) Site() string { return cmp.Or(s.space, "space") }

// read calls visit with each element of the lists that visit has, by their names.
func (s *Source) read(ctx context.Context, visit map[string]func(raw json.RawMessage) error) error {
	file, err := os.Open(s.file)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it is read only
	meter := importing.NewMeter(bufio.NewReaderSize(file, 1<<20))
	d := &decoder{json.NewDecoder(meter), meter}
	if err := s.members(ctx, d, visit); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the file ends in the middle: make the export again")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("it has more than one JSON object")
	}
	return nil
}

// decoder reads an export as a stream of elements.
type decoder struct {
	*json.Decoder
	meter *importing.Meter
}

// Token is json.Decoder.Token for an element of its own.
func (d *decoder) Token() (json.Token, error) {
	d.meter.Next()
	return d.Decoder.Token()
}

// Decode is json.Decoder.Decode for an element of its own.
func (d *decoder) Decode(into any) error {
	d.meter.Next()
	return d.Decoder.Decode(into)
}

func (s *Source) members(ctx context.Context, d *decoder, visit map[string]func(raw json.RawMessage) error) error {
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return cmp.Or(err, errors.New("it is no export of Contentful: it is no JSON object"))
	}
	found := false
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		do := visit[fmt.Sprint(name)]
		if do == nil {
			if err := skip(d); err != nil {
				return err
			}
			continue
		}
		found = true
		if token, err := d.Token(); err != nil || token != json.Delim('[') {
			return cmp.Or(err, fmt.Errorf("%v is no list", name))
		}
		for d.More() {
			if err := ctx.Err(); err != nil {
				return err
			}
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				return err
			}
			if err := do(raw); err != nil {
				return fmt.Errorf("%v: %w", name, err)
			}
		}
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	if !found {
		return errors.New("it is no export of Contentful: it has no list of entries or content types")
	}
	_, err := d.Token()
	return err
}

// skip reads a value token by token, because it may be large.
func skip(d *decoder) error {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// decoded returns a function that decodes an element and calls do with it.
func decoded[T any](do func(*T)) func(raw json.RawMessage) error {
	return func(raw json.RawMessage) error {
		var one T
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("an element has another form: %w", err)
		}
		do(&one)
		return nil
	}
}

func (s *Source) survey(ctx context.Context) error {
	err := s.read(ctx, map[string]func(json.RawMessage) error{
		"contentTypes": decoded(func(t *contentType) {
			if s.space = cmp.Or(s.space, t.Sys.Space.Sys.ID); s.types[t.Sys.ID] == nil {
				s.types[t.Sys.ID] = t
				s.order = append(s.order, t.Sys.ID)
			}
		}),
		"locales": decoded(func(l *locale) { s.locales = append(s.locales, *l) }),
		"tags": decoded(func(t *struct {
			Sys  system `json:"sys"`
			Name string `json:"name"`
		}) {
			s.tags[t.Sys.ID] = t.Name
		}),
		"editorInterfaces": decoded(func(e *struct {
			Sys      system    `json:"sys"`
			Controls []control `json:"controls"`
		}) {
			of := map[string]control{}
			for _, c := range e.Controls {
				of[c.FieldID] = c
			}
			s.help[e.Sys.ContentType.Sys.ID] = of
		}),
		"assets": decoded(func(a *asset) {
			if s.assets[a.Sys.ID] != nil {
				s.again = append(s.again, a.Sys.ID)
				return
			}
			s.assets[a.Sys.ID] = a
			s.ordered = append(s.ordered, a.Sys.ID)
		}),
		"entries": decoded(func(*entry) {}), // the content types may come later
	})
	if err != nil {
		return err
	}
	if len(s.locales) == 0 {
		s.locales = []locale{{Code: "en-US", Default: true}}
	}
	slices.SortStableFunc(s.locales, func(a, b locale) int {
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a.Default], map[bool]int{true: 0, false: 1}[b.Default])
	})
	return s.read(ctx, map[string]func(json.RawMessage) error{"entries": decoded(s.see), "contentTypes": func(json.RawMessage) error { return nil }})
}

// see keeps what other entries need to know of e.
func (s *Source) see(e *entry) {
	s.space = cmp.Or(s.space, e.Sys.Space.Sys.ID)
	t := s.types[e.Sys.ContentType.Sys.ID]
	if t == nil || s.entries[e.Sys.ID] != nil || skipped(&e.Sys) != "" {
		return
	}
	k := &known{kind: t.Sys.ID}
	_ = json.Unmarshal(e.Fields[t.DisplayField][s.locales[0].Code], &k.title) // without it the id is shown
	s.entries[e.Sys.ID] = k
	s.tagged[k.kind] = s.tagged[k.kind] || len(e.Metadata.Tags) > 0
}

func skipped(s *system) string {
	if s.ArchivedAt != "" || s.ArchivedVersion != nil {
		return "is archived"
	}
	return ""
}

// fileID returns the id of the file of an asset for a locale: the asset has one for all, or one for each.
func (s *Source) fileID(a *asset, code string) string {
	for at, n := code, 0; at != "" && n <= len(s.locales); at, n = s.fallback(at), n+1 {
		if f, there := a.Fields.File[at]; there && f.URL != "" {
			if at == s.locales[0].Code || f.URL == a.Fields.File[s.locales[0].Code].URL {
				return a.Sys.ID
			}
			return a.Sys.ID + "@" + at
		}
	}
	return a.Sys.ID
}

// fallback returns the locale that is read where another one has no value, "" without one.
func (s *Source) fallback(code string) string {
	at := slices.IndexFunc(s.locales, func(l locale) bool { return l.Code == code })
	if at < 0 || s.locales[at].FallbackCode == code {
		return ""
	}
	return s.locales[at].FallbackCode
}

// Files implements importing.Source.
func (s *Source) Files(ctx context.Context, each func(importing.File) error) error {
	for _, id := range s.ordered {
		a := s.assets[id]
		done := map[string]bool{}
		for i, l := range s.locales {
			file, there := a.Fields.File[l.Code]
			if !there && i > 0 {
				continue
			}
			id := s.fileID(a, l.Code)
			if done[id] || !there && len(a.Fields.File) > 0 {
				continue
			}
			done[id] = true
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := each(s.assetFile(a, id, l.Code, file)); err != nil {
				return err
			}
		}
	}
	for n, id := range s.again {
		f := importing.File{
			ID: fmt.Sprintf("%s again %d", id, n), Origin: importing.Origin{Kind: "asset", ID: id}, Open: importing.Missing("another asset of the export has the same id"),
		}
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// assetFile returns the file of an asset. One that was never processed has no address.
func (s *Source) assetFile(a *asset, id, code string, file assetFile) importing.File {
	f := importing.File{ID: id, Origin: importing.Origin{Kind: "asset", ID: id}, Name: file.FileName, Caption: a.Fields.Title[code], Alt: a.Fields.Description[code]}
	if f.Alt == "" {
		f.Alt = f.Caption
	}
	for _, texts := range []map[string]string{a.Fields.Title, a.Fields.Description} {
		for other, text := range texts {
			if other != code && text != "" && s.fileID(a, other) == id && text != f.Alt && text != f.Caption {
				f.Lost = append(f.Lost, importing.Lost{
					Origin: importing.Origin{Kind: "asset", ID: id, Locale: other}, What: importing.LostPart, Reason: "a file has words in one language", Value: canonical.Quote(text),
				})
			}
		}
	}
	inside := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(file.URL, "https:"), "http:"), "//")
	if file.URL == "" || skipped(&a.Sys) != "" {
		f.Open = missing(a)
		return f
	}
	f.URL = "https://" + inside
	place := path.Clean(inside)
	if _, err := s.media.Stat(place); err == nil || s.only {
		f.Open = func() (io.ReadCloser, error) { return s.open(place) }
	}
	return f
}

func (s *Source) open(place string) (io.ReadCloser, error) {
	file, err := s.media.Open(place)
	if errors.Is(err, fs.ErrNotExist) {
		return s.media.Open(path.Base(place))
	}
	return file, err
}

func missing(a *asset) func() (io.ReadCloser, error) {
	if skipped(&a.Sys) != "" {
		return importing.Missing("it is archived")
	}
	return importing.Missing("it has no file")
}
