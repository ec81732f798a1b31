package releasing_test

import (
	"strconv"

	"imprimatur/core"
	"imprimatur/core/reading"
	"imprimatur/core/writing"
)

// publication is an immediate one without an end.
var publication writing.Publication

func id(m *reading.Managed) string { return strconv.FormatInt(m.ID, 10) }

// incomplete accepts a draft without its required values.
func incomplete(w *core.EntryWrite) { w.AllowIncomplete = true }
