package library

import "imprimatur/core"

// Query selects items of one Project's library, newest first.
type Query struct {
	ProjectID int64
	Search    string         // contained in the caption, the file name or a tag, case-insensitively; empty: all
	Kind      core.MediaKind // empty: all
	Folder    *string        // exactly this one, without the folders in it; "": in no folder; nil: all
	Offset    int64
	Limit     int64
}

// Folder is a folder of a library. Folders exist as long as items are in them. They restrict
// nothing, and readers do not see them.
type Folder struct {
	Path  string // as in core.MediaItem.Folder
	Items int64  // number of the items in it, without those of the folders in it
}

// MaxFolders is the maximum number of folders that are listed.
const MaxFolders = 2000

// Use is an entry that refers to something in a version that readers see or may see later: to a
// media item, or to the entries of a translation group.
type Use struct {
	EntryID      int64
	CollectionID int64
	Locale       string
	Draft        bool // whether its draft refers to it
	Published    bool // whether its published version refers to it
	Requested    bool // whether the snapshot of its open approval request refers to it
	Trashed      bool // whether the entry is in the trash, from which it can be restored
	// Required means that its published version, or else its draft, lacks a required value without the
	// target. Stores leave it false.
	Required bool
	// Sealed means that a media item cannot be deleted because of this use: the published version is
	// sealed with it, or the request shows it. Stores leave it false.
	Sealed bool
	// Title is the title of the draft, as core.Collection.Title returns it. Stores leave it empty.
	Title string
}

// MaxUses is the maximum number of uses that are listed.
const MaxUses = 1000
