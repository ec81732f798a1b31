package validation

import (
	"slices"

	"imprimatur/core"
	"imprimatur/core/fileurl"
)

// maxForeign is the maximum number of faults that ForeignPictures adds.
const maxForeign = 20

// ForeignPictures adds a fault to found for each picture in the rich text of a document of c that
// browsers load from another site, or from another library of this one. Its content can change after a
// review. own are the base URLs of the files of this installation: a picture of the Project's library
// is a reference and has none of them. Fields that no reader sees are left out.
func ForeignPictures(c *core.Collection, doc core.Document, own []fileurl.Base, found *core.Faults) {
	n := 0
	c.EachPicture(doc, func(location, source string) {
		fault := ""
		switch {
		case fileurl.Base("").Serves(source) || slices.ContainsFunc(own, func(b fileurl.Base) bool { return b.Serves(source) }):
			fault = "is no file of this project's library and can change after review: upload it"
		case fileurl.HasHost(source) && !slices.ContainsFunc(own, func(b fileurl.Base) bool { return b.Hosts(source) }):
			fault = "is loaded from another site and can change after review: copy it into the library"
		}
		if fault != "" && n < maxForeign {
			n++
			found.Add(location, core.Clip(source), fault)
		}
	})
}
