package core

// RoleIn returns the highest role that a has in a place, or "" for none. The place is a
// Tenant, a Department (with its tenantID) or a Project (with all ids); ids that do not apply
// are 0. Roles apply downwards: a tenant admin is admin in every Department and Project of
// the Tenant. A token has no role.
func (a Actor) RoleIn(tenantID, departmentID, projectID int64) Role {
	if a.System || a.User != nil && a.User.SuperAdmin {
		return RoleSuperAdmin
	}
	var highest Role
	for _, g := range a.Grants {
		if g.reaches(tenantID, departmentID, projectID) && !highest.Includes(g.Role) {
			highest = g.Role
		}
	}
	return highest
}

// RoleInProject returns the highest role that a has in p, or "" for none.
func (a Actor) RoleInProject(p *Project) Role { return a.RoleIn(p.TenantID, p.DepartmentID, p.ID) }

// reaches reports whether the place is in the scope of the grant.
func (g Grant) reaches(tenantID, departmentID, projectID int64) bool {
	switch g.Role {
	case RoleTenantAdmin:
		return tenantID != 0 && g.TenantID == tenantID
	case RoleDepartmentAdmin:
		return departmentID != 0 && g.DepartmentID == departmentID
	default:
		return projectID != 0 && g.ProjectID == projectID
	}
}
