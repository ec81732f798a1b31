package media

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/words"
)

// Limits of the description of an item. Lengths are in code points.
const (
	maxCaption  = 2000
	maxAlt      = 500
	maxTags     = 50
	maxTag      = 100
	maxFileName = 200
)

// describe sets the members of change, or returns core.ErrInvalid with all faults. It trims tags and
// removes duplicates. It converts texts to NFC, like file names and searches, because some keyboards
// and systems write é as two characters.
func describe(item *core.MediaItem, change Change) error {
	var faults core.Faults
	check := func(location, text string, most int, control func(rune) bool) {
		switch {
		case !utf8.ValidString(text) || strings.ContainsFunc(text, control):
			faults.Add(location, nil, "must be text without control characters")
		case utf8.RuneCountInString(text) > most:
			faults.Addf(location, nil, "must have at most %d characters", most)
		}
	}
	if change.Caption != nil {
		check("caption", *change.Caption, maxCaption, unplain)
		item.Caption = norm.NFC.String(*change.Caption)
	}
	if change.Alt != nil {
		check("alt", *change.Alt, maxAlt, unplain)
		item.Alt = norm.NFC.String(*change.Alt)
	}
	if change.FocalPoint.Given {
		item.FocalPoint = change.FocalPoint.Value.check(&faults)
	}
	if change.Folder != nil {
		item.Folder = norm.NFC.String(*change.Folder)
		if fault := folderFault(item.Folder); fault != "" {
			faults.Add("folder", nil, fault)
		}
	}
	if change.Tags != nil {
		item.Tags = nil
		tooMany := len(*change.Tags) > maxTags
		if tooMany {
			faults.Addf("tags", nil, "must have at most %d elements", maxTags)
		}
		for i, tag := range *change.Tags {
			tag, location := norm.NFC.String(strings.TrimSpace(tag)), fmt.Sprintf("tags[%d]", i)
			if check(location, tag, maxTag, words.Control); tag == "" {
				faults.Add(location, nil, "must not be empty")
			}
			if !tooMany && !slices.Contains(item.Tags, tag) {
				item.Tags = append(item.Tags, tag)
			}
		}
	}
	if change.Imported {
		item.Imported = item.Words()
	}
	return faults.Err()
}

// Point is a focal point as a client names it.
type Point struct{ X, Y *float64 } // both are required

// check returns the point, and adds its faults. nil is the centre.
func (p *Point) check(faults *core.Faults) *core.FocalPoint {
	if p == nil {
		return nil
	}
	coordinate := func(name string, value *float64) float64 {
		switch {
		case value == nil:
			faults.Add("focalPoint."+name, nil, "is required")
			return 0
		case !(*value >= 0 && *value <= 1): // also NaN
			faults.Add("focalPoint."+name, nil, "must be a number from 0 to 1")
		}
		return *value + 0 // -0 is stored as 0
	}
	return &core.FocalPoint{X: coordinate("x", p.X), Y: coordinate("y", p.Y)}
}

// unplain reports whether r is a control character except line breaks and tabs.
func unplain(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// storedName returns the name of an item for a client's file name: its baseName with an extension of
// the type of the file. So the name, the address and the name under which browsers save the file
// are the same.
func storedName(fileName, extension string) string {
	return baseName(fileurl.Name(baseName(fileName), extension))
}

// baseName returns a client's file name in a form that can be shown and saved: without folders,
// control characters and characters that change the direction of writing, in NFC, and at most 200
// characters long. It keeps an extension of up to 20 characters.
func baseName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	name = strings.TrimLeft(strings.TrimSpace(norm.NFC.String(name)), ".")
	if runes := []rune(name); len(runes) > maxFileName {
		extension := []rune(path.Ext(name))
		if len(extension) > 20 {
			extension = nil
		}
		name = string(runes[:maxFileName-len(extension)]) + string(extension)
	}
	if strings.Trim(name, ". ") == "" {
		return "file"
	}
	return name
}
