package access

import (
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Organisation manages tenants, departments, custom roles and Projects. Its callers
// have been authorized for the place they name.
type Organisation struct {
	tenants     ports.TenantStore
	departments ports.DepartmentStore
	customRoles ports.CustomRoleStore
	projects    ports.ProjectStore
	tx          ports.Tx
	gate        ports.PublishGate
	clock       ports.Clock
}

// NewOrganisation returns an Organisation.
func NewOrganisation(stores ports.Stores, tx ports.Tx, gate ports.PublishGate, clock ports.Clock) *Organisation {
	return &Organisation{
		tenants: stores.Tenants, departments: stores.Departments, customRoles: stores.CustomRoles, projects: stores.Projects, tx: tx, gate: gate, clock: clock,
	}
}

// tenantsOf returns the ids of the tenants that actor's roles are in, in order.
func tenantsOf(actor core.Actor) []int64 {
	var ids []int64
	for _, g := range actor.Grants {
		ids = append(ids, g.TenantID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// rename sets name to a new one, if there is one.
func rename(name, to *string) error {
	if to == nil {
		return nil
	}
	*name = *to
	return checkName(*to)
}
