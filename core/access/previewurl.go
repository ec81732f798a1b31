package access

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/ports"
)

// maxPreviewURL is the maximum length of Project.PreviewURL in code points.
const maxPreviewURL = 2000

// placeholder matches a placeholder of Project.PreviewURL. The group is its name.
var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// systemPlaceholders have a value for every entry.
var systemPlaceholders = []string{"id", "collection", "locale", "version"}

// previewURL checks the form of Project.PreviewURL. It refuses placeholders in the host, because a
// value of an entry would then select the server that a reviewer's browser opens.
func (f *faults) previewURL(text string) {
	if text == "" {
		return
	}
	scheme, rest, _ := strings.Cut(text, "://")
	end := strings.IndexAny(rest+"/", "/?#")
	origin, path := scheme+"://"+rest[:end], rest[end:]
	filled := placeholder.ReplaceAllString(path, "x") // x is no hexadecimal digit, so an incomplete escape stays invalid
	_, err := url.Parse(origin + filled)
	switch {
	case utf8.RuneCountInString(text) > maxPreviewURL:
		f.Addf("previewUrl", nil, "must have at most %d characters", maxPreviewURL)
	case scheme != "https" && scheme != "http" || !isOrigin(origin):
		f.Add("previewUrl", nil, "must begin with an http or https origin as browsers write it, like https://www.example.com/, with placeholders only after it")
	case strings.ContainsAny(filled, "{}"):
		f.Add("previewUrl", nil, "braces must enclose the name of a placeholder, like {id}")
	case err != nil || !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return r == ' ' || r == '\\' || !unicode.IsPrint(r) }):
		f.Add("previewUrl", nil, "must be a URL, without spaces, backslashes and control characters")
	}
}

// placeholders checks that each placeholder of Project.PreviewURL can have a value: it is one of
// systemPlaceholders, or a field of at least one collection.
func (f *faults) placeholders(ctx context.Context, stored ports.CollectionStore, p *core.Project) error {
	collections, err := stored.Collections(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, match := range placeholder.FindAllStringSubmatch(p.PreviewURL, -1) {
		name := match[1]
		if !slices.Contains(systemPlaceholders, name) && !slices.ContainsFunc(collections, func(c *core.Collection) bool { return fillsURL(c, name) }) {
			f.Addf("previewUrl", nil, "unknown placeholder {%s}: must be {%s} or a text or slug field of a collection",
				core.Clip(name), strings.Join(systemPlaceholders, "}, {"))
		}
	}
	return nil
}

// fillsURL reports whether the collection has a field of that name whose values fit into a URL.
func fillsURL(c *core.Collection, name string) bool {
	f := c.Field(name)
	return f != nil && (f.Type == core.TypeText || f.Type == core.TypeSlug) && !f.Multiple && !f.Hidden
}
