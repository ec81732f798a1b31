package archive

import (
	"fmt"
	"regexp"
	"strings"

	"imprimatur/core"
)

// Format is the version of the format that this program writes and reads. Programs refuse archives of
// a later format.
const Format = 1

// manifestName is the name of the last member.
const manifestName = "manifest.json"

// Manifest says what an archive has.
type Manifest struct {
	Format  int    `json:"format"`
	Version string `json:"version"` // of the program that made it
	Schema  string `json:"schema"`  // its last migration
	Time    string `json:"time"`    // the moment of the rows
	Epoch   string `json:"epoch"`   // installation.Installation.Epoch
	// Counts are the numbers of rows by table.
	Counts map[string]int64 `json:"counts"`
	Blobs  Blobs            `json:"blobs"`
	// LastIDs is ports.ArchiveState.LastIDs.
	LastIDs map[string]int64 `json:"lastIds"`
	Parts   []Part           `json:"parts"` // all members but bytes of blobs, whose names are their hashes
}

// Part is a member with lines.
type Part struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Lines  int64  `json:"lines"`
	SHA256 string `json:"sha256"`
}

// Blobs counts blobs.
type Blobs struct {
	// Selection is what the archive was made with: "all", "none" or "since".
	Selection Selection `json:"selection"`
	Named     int64     `json:"named"`   // in the lists
	Stored    int64     `json:"stored"`  // members
	Bytes     int64     `json:"bytes"`   // of the members
	Missing   int64     `json:"missing"` // that the blob store did not have, or not with their bytes
}

// Selection is which bytes of blobs an archive has.
type Selection string

// The selections.
const (
	AllBlobs   Selection = "all"
	NoBlobs    Selection = "none"
	SinceBlobs Selection = "since" // that another archive does not name
)

const (
	// partSize is the size in bytes from which a part is complete.
	partSize = 4 << 20
	// maxPart is the largest size of a part, of the manifest too: a line can be longer than partSize.
	maxPart = 64 << 20
	// listSize is the number of blobs in a list.
	listSize = 500
)

var (
	tablePart = regexp.MustCompile(`^tables/([a-z_]+)/\d{6}\.jsonl$`)
	blobList  = regexp.MustCompile(`^blobs/\d{6}\.jsonl$`)
	blobBytes = regexp.MustCompile(`^blobs/([0-9a-f]{64})$`)
	// blobName is the form of names in the blob store: the UUID of a Project, the hash and an extension.
	blobName = regexp.MustCompile(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/([0-9a-f]{64})(?:\.[A-Za-z0-9]{1,16})?$`)
)

// hashOf returns the hash in the name of a blob.
func hashOf(name string) (string, bool) {
	found := blobName.FindStringSubmatch(name)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// refused is an archive that is not read further.
func refused(code, format string, args ...any) error {
	return &core.Error{Kind: core.KindInvalid, Code: code, Message: fmt.Sprintf(format, args...)}
}

func foreign(reason string) error {
	return refused("foreign_archive", "the file is no archive of imprimatur: %s", reason)
}

func damaged(format string, args ...any) error {
	return refused("damaged_archive", "the archive is damaged: %s", fmt.Sprintf(format, args...))
}

// check returns an error unless this program, whose last migration is schema, reads archives with the
// manifest.
func (m *Manifest) check(schema string) error {
	switch {
	case m.Format > Format:
		return refused("newer_archive", "the archive has the format %d, which this version does not read: a newer version (%s) made it; restore it with that version or a later one", m.Format, m.Version)
	case m.Format < 1:
		return foreign(fmt.Sprintf("its format is %d", m.Format))
	case m.Schema > schema:
		return refused("newer_archive", "the archive has the tables of the migration %s, which this version does not know: a newer version (%s) made it; restore it with that version or a later one", m.Schema, m.Version)
	case m.Schema != schema && !strings.HasPrefix(m.Schema, "0"):
		return foreign("it names no migration")
	}
	return nil
}
