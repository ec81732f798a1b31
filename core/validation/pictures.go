package validation

import (
	"slices"

	"imprimatur/core"
)

// maxForeign is the maximum number of faults that ForeignPictures adds.
const maxForeign = 20

// ForeignPictures adds a fault to found for each picture in the rich text of a document of c that
// browsers load from another site. Its content can change after a review. own are the base URLs of
// the files of this installation. Fields that no reader sees are left out.
func ForeignPictures(c *core.Collection, doc core.Document, own []core.FileBase, found *core.Faults) {
	n := 0
	c.EachPicture(doc, func(location, source string) {
		if n == maxForeign || !foreign(source, own) {
			return
		}
		n++
		found.Add(location, core.Clip(source), "is loaded from another site and can change after review: copy it into the library")
	})
}

func foreign(source string, own []core.FileBase) bool {
	return !slices.ContainsFunc(own, func(b core.FileBase) bool { return b.Hosts(source) }) && core.HasHost(source)
}
