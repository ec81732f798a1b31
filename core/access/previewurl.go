package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/previewurl"
	"imprimatur/ports"
)

// systemPlaceholders have a value for every entry.
var systemPlaceholders = []string{"id", "collection", "locale", "version"}

// previewURL checks the form of Project.PreviewURL.
func (f *faults) previewURL(text string) {
	if text == "" {
		return
	}
	if fault := previewurl.Fault(text); fault != "" {
		f.Add("previewUrl", nil, fault)
	}
}

// placeholders checks that each placeholder of Project.PreviewURL can have a value: it is one of
// systemPlaceholders, or a field of at least one collection.
func (f *faults) placeholders(ctx context.Context, stored ports.CollectionStore, p *core.Project) error {
	collections, err := stored.Collections(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, name := range previewurl.Placeholders(p.PreviewURL) {
		if !slices.Contains(systemPlaceholders, name) && !slices.ContainsFunc(collections, func(c *core.Collection) bool { return fillsURL(c, name) }) {
			f.Addf("previewUrl", nil, "unknown placeholder {%s}: must be {%s} or a text or slug field of a collection",
				core.Clip(name), strings.Join(systemPlaceholders, "}, {"))
		}
	}
	return nil
}

// fillsURL reports whether the collection has a field of that name whose values fit into Project.PreviewURL.
func fillsURL(c *core.Collection, name string) bool {
	f := c.Field(name)
	return f != nil && (f.Type == core.TypeText || f.Type == core.TypeSlug) && !f.Multiple && !f.Hidden
}

// previewOrigins checks the form of Project.PreviewOrigins.
func (f *faults) previewOrigins(origins []string) {
	if len(origins) > MaxPreviewOrigins {
		f.Addf("previewOrigins", nil, "must have at most %d elements", MaxPreviewOrigins)
		return
	}
	for i, origin := range origins {
		location := fmt.Sprintf("previewOrigins[%d]", i)
		switch {
		case !previewurl.IsFramed(origin):
			f.Add(location, nil, "must be an https origin as browsers write it, like https://www.example.com, or an http one of the same machine, like http://localhost:3000")
		case slices.Contains(origins[:i], origin):
			f.Add(location, origin, "is named twice")
		}
	}
}

// framedOrigins checks that Project.PreviewOrigins has the origins of Collection.PreviewURL of all collections. The
// caller has locked the Project.
func (f *faults) framedOrigins(ctx context.Context, stored ports.CollectionStore, p *core.Project) error {
	collections, err := stored.Collections(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, c := range collections {
		if origin := previewurl.Origin(c.PreviewURL); c.PreviewURL != "" && !slices.Contains(p.PreviewOrigins, origin) {
			f.Addf("previewOrigins", nil, "must have %s while the previewUrl of the collection %s begins with it", origin, c.Slug)
		}
	}
	return nil
}
