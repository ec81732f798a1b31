package importing

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/media"
)

// described is a file of the content with what it says about the bytes.
type described struct {
	number int64 // of the file in the content
	origin Origin
	name   string
	words  media.Change
}

// describe gives the items of the library the words of their files. Of files with the same bytes, which are one item,
// the first describes it. What a person has changed here since stays, and is listed.
func (l *loader) describe(ctx context.Context) error {
	hashes := make([]string, 0, len(l.copies))
	for hash, files := range l.copies {
		slices.SortFunc(files, func(a, b described) int { return cmp.Compare(a.number, b.number) })
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b string) int { return cmp.Compare(l.copies[a][0].number, l.copies[b][0].number) })
	for part := range slices.Chunk(hashes, batch) {
		items, err := l.library.MediaByHash(ctx, l.project.ID, part)
		if err != nil {
			return err
		}
		for _, hash := range part {
			if err := l.describeOne(ctx, items, hash, l.copies[hash]); err != nil {
				return err
			}
		}
	}
	return nil
}

// describeOne gives the item of a hash the words of the first of files.
func (l *loader) describeOne(ctx context.Context, items []core.MediaItem, hash string, files []described) error {
	first, at := files[0], -1
	for i := range items {
		if slices.Contains(items[i].Hashes(), hash) && (at < 0 || items[i].FileName == first.name && items[at].FileName != first.name) {
			at = i
		}
	}
	if at < 0 { // deleted by a person meanwhile
		return nil
	}
	item := items[at]
	wanted, err := media.Described(item, first.words)
	if err != nil {
		return l.lost(first, "its words are not valid: "+fault(err))
	}
	switch now := item.Words(); {
	case wanted.Words() == now:
	case now == item.Imported || l.rewrite:
		if _, err := l.media.Change(ctx, l.actor, l.project, item.ID, first.words); err != nil && core.KindOf(err) != core.KindNotFound {
			return err
		}
	default:
		if err := l.lost(first, "its words were changed here since, and are left as they are"); err != nil {
			return err
		}
	}
	for _, f := range files[1:] {
		other, err := media.Described(item, f.words)
		if err == nil && other.Words() == wanted.Words() {
			continue
		}
		if err := l.lost(f, "has the same bytes as "+first.origin.Kind+" "+first.origin.ID+", whose words it has here"); err != nil {
			return err
		}
	}
	return nil
}

// lost lists the words of a file that the library does not have, if there are any.
func (l *loader) lost(f described, reason string) error {
	words := f.words
	value := map[string]any{}
	for name, text := range map[string]string{"caption": *words.Caption, "alt": *words.Alt, "folder": *words.Folder} {
		if text != "" {
			value[name] = text
		}
	}
	if len(*words.Tags) > 0 {
		value["tags"] = *words.Tags
	}
	if len(value) == 0 {
		return nil
	}
	return l.report.lose(Lost{Origin: f.origin, What: LostPart, Reason: reason, Value: canonical.Of(value)})
}
