package access_test

import (
	"fmt"

	"imprimatur/core"
	"imprimatur/core/access"
)

// The actions are the policy. Documentation and the dashboard read the same list.
func ExampleAction_AllowedCallers() {
	fmt.Println(access.WriteContent.AllowedCallers())
	fmt.Println(access.UpdatePublic.AllowedCallers())
	// Output:
	// an editor of the project, or a role above it
	// a token of the project with the ability update
}

// A role in a tenant holds in all its Projects, and in no other tenant.
func ExampleRoleIn() {
	admin := core.Actor{User: &core.User{ID: 3}, Grants: []core.Grant{{UserID: 3, Role: core.RoleTenantAdmin, TenantID: 1}}}
	fmt.Printf("%q\n", access.RoleIn(admin, access.PlaceOf(&core.Project{ID: 10, TenantID: 1})))
	fmt.Printf("%q\n", access.RoleIn(admin, access.PlaceOf(&core.Project{ID: 20, TenantID: 2})))
	// Output:
	// "tenant_admin"
	// ""
}
