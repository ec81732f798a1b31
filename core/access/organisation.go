package access

import "imprimatur/ports"

// Organisation manages tenants, departments, custom roles and Projects. Its callers
// have been authorized for the place they name.
type Organisation struct {
	stores  ports.Stores
	tx      ports.Tx
	clock   ports.Clock
	changes ports.Changes
}

// NewOrganisation returns an Organisation.
func NewOrganisation(stores ports.Stores, tx ports.Tx, clock ports.Clock, changes ports.Changes) *Organisation {
	return &Organisation{stores: stores, tx: tx, clock: clock, changes: changes}
}
