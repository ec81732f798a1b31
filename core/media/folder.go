package media

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Limits of the path of a folder.
const (
	maxFolderLevels = 5
	maxFolderName   = 60 // code points
)

// folderFault returns what is wrong with the path of a folder in NFC, or "". The empty path is no
// folder.
func folderFault(path string) string {
	if path == "" {
		return ""
	}
	names := strings.Split(path, "/")
	if !utf8.ValidString(path) || strings.ContainsFunc(path, invisible) {
		return "must be text without control characters"
	}
	if len(names) > maxFolderLevels {
		return fmt.Sprintf("must have at most %d names", maxFolderLevels)
	}
	for _, name := range names {
		switch {
		case name == "":
			return "must be names joined by single slashes, like Press/2026"
		case name == "." || name == "..":
			return `must not have the name "." or ".."`
		case strings.TrimSpace(name) != name:
			return "must not have names that begin or end with a space"
		case utf8.RuneCountInString(name) > maxFolderName:
			return fmt.Sprintf("must have names of at most %d characters", maxFolderName)
		}
	}
	return ""
}

// invisible reports whether r controls how a text is shown.
func invisible(r rune) bool { return words.Control(r) || unicode.Is(unicode.Bidi_Control, r) }

// Folders returns the first library.MaxFolders folders of a library that have items, ordered by
// their path.
func (l *Library) Folders(ctx context.Context, project *core.Project) ([]library.Folder, error) {
	return l.stores.Media.Folders(ctx, project.ID, library.MaxFolders)
}

// MaxMoved is the maximum number of items that Move moves.
const MaxMoved = 1000

// Move moves the items with those ids to a folder, all or none, and returns how many were in another
// folder. It returns core.ErrInvalid if the folder is invalid, or if there are no ids, too many, or one
// that no item of the Project has.
func (l *Library) Move(ctx context.Context, actor core.Actor, project *core.Project, ids []int64, folder string) (moved int, err error) {
	var faults core.Faults
	folder = norm.NFC.String(folder)
	if fault := folderFault(folder); fault != "" {
		faults.Add("folder", nil, fault)
	}
	switch {
	case len(ids) == 0:
		faults.Add("ids", nil, "must not be empty")
	case len(ids) > MaxMoved:
		faults.Addf("ids", nil, "must have at most %d elements", MaxMoved)
	}
	if err := faults.Err(); err != nil {
		return 0, err
	}
	err = l.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		changed, err := stores.Media.Move(ctx, project.ID, ids, folder, l.clock.Now())
		if err != nil {
			return err
		}
		moved = len(changed)
		items, err := ports.MediaOf(ctx, stores.Media, project.ID, ids)
		if err != nil {
			return err
		}
		return unknownItems(ids, items)
	})
	if err != nil {
		return 0, err
	}
	return moved, nil
}

// unknownItems returns core.ErrInvalid with the ids that no item has.
func unknownItems(ids []int64, items []core.MediaItem) error {
	var faults core.Faults
	for i, id := range ids {
		if !slices.ContainsFunc(items, func(m core.MediaItem) bool { return m.ID == id }) {
			faults.Add(fmt.Sprintf("ids[%d]", i), id, "no such media item")
		}
	}
	return faults.Err()
}
