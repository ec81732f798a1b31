package reading

import (
	"math/bits"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fileurl"
)

// linkEditor returns the editor of the links of the holders of l, whose targets are in l.
func (p *encoder) linkEditor(l *level) linkEditor {
	return func(holder *rowLayout, link *core.Link) {
		switch link.Target {
		case core.ToMedia:
			showMedia(link, p.files, p.shownItem(holder, link.ID))
		case core.ToGroup:
			i, ok := l.members[member{link.ID, holder.locale}]
			if !ok {
				showCollection(link, p.collections[link.ID])
				return
			}
			showEntry(link, p.schema, &l.rows[i])
		}
	}
}

// showMedia adds the address of item to a link: the src, width, height and alt of a picture, or the
// href of a link, before a fragment that the author wrote. It adds no width or height to one that the
// author wrote, and no alt to a picture that has one, because an empty alt marks a decoration. nil:
// the item does not exist any more.
func showMedia(link *core.Link, files fileurl.Base, item *core.MediaItem) {
	switch {
	case item == nil:
	case !link.IsPicture():
		fragment := link.Attribute("href")
		if !strings.HasPrefix(fragment, "#") {
			fragment = ""
		}
		link.Add("href", fileurl.URL(files, item.Full, item.FileName)+fragment)
	default:
		blob := item.FullWebP
		if blob == "" {
			blob = item.Full
		}
		link.Add("src", fileurl.URL(files, blob, item.FileName))
		if link.Attribute("width") == "" && link.Attribute("height") == "" && item.Width > 0 {
			link.Add("width", strconv.Itoa(item.Width))
			link.Add("height", strconv.Itoa(item.Height))
		}
		if item.Alt != "" && !link.Has("alt") {
			link.Add("alt", item.Alt)
		}
	}
}

// showEntry makes a link name the entry of row, and adds its collection and, when it is public, the
// value of its first slug field.
func showEntry(link *core.Link, schema core.Schema, row *core.Row) {
	link.PointTo(core.ToGroup, row.ID)
	c := schema.ByID(row.CollectionID)
	if c == nil {
		return
	}
	showCollection(link, c.Slug)
	if row.PublishedAt.IsZero() {
		return
	}
	if f := c.SlugField(); f != nil {
		if slug, ok := canonical.Text(row.Document.Value(f.Name)); ok {
			link.Add("data-slug", slug)
		}
	}
}

// showCollection adds the collection of the target to a link; empty: there has never been such a target.
func showCollection(link *core.Link, slug string) {
	if slug != "" {
		link.Add("data-collection", slug)
	}
}

// unserved returns the groups of links in refs that lack a row for some of the locales.
func (r *related) unserved(refs *references) (groups []int64) {
	for _, group := range refs.links {
		for locales := refs.locales; locales != 0; locales &= locales - 1 {
			if _, ok := r.members[member{group, bits.TrailingZeros64(locales)}]; !ok {
				groups = append(groups, group)
				break
			}
		}
	}
	return groups
}
