package migrate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

const (
	suffix     = ".sql"
	concurrent = "-- concurrent\n"
)

// script is the file of a migration.
type script struct {
	name, text string
	checksum   string // SHA-256 of text in hexadecimal
	index      string // the index of a concurrent script; empty for others
}

var indexName = regexp.MustCompile(`(?is)^\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(\w+)\s+ON\s[^;]*;?\s*$`)

// script reads the file of the named migration.
func (m *Migrator) script(name string) (script, error) {
	text, err := fs.ReadFile(m.Files, name+suffix)
	if err != nil {
		return script{}, err
	}
	sum := sha256.Sum256(text)
	s := script{name: name, text: string(text), checksum: hex.EncodeToString(sum[:])}
	if body, marked := strings.CutPrefix(s.text, concurrent); marked {
		match := indexName.FindStringSubmatch(body)
		if match == nil {
			return script{}, fmt.Errorf("%s%s: a concurrent migration has one CREATE INDEX CONCURRENTLY <name> ON …", name, suffix)
		}
		s.index = match[1]
	}
	return s, nil
}

// scripts reads all files, in the order of their names.
func (m *Migrator) scripts() ([]script, error) {
	files, err := fs.Glob(m.Files, "*"+suffix) // sorted by name
	if err != nil {
		return nil, err
	}
	all := make([]script, len(files))
	for i, file := range files {
		if all[i], err = m.script(strings.TrimSuffix(file, suffix)); err != nil {
			return nil, err
		}
	}
	return all, nil
}
