package content

import "imprimatur/core"

func check(schema core.Schema, drafts bool, q core.Query) (core.Selection, error) {
	return core.Selection{}, nil
}
