package access

import "imprimatur/core"

// Scope is the kind of place that an action happens in.
type Scope uint8

// The scopes.
const (
	ScopePlatform Scope = iota
	ScopeTenant
	ScopeDepartment
	ScopeProject
)

// String returns the name of a place of the scope, for errors and descriptions.
func (s Scope) String() string {
	return [...]string{"platform", "tenant", "department", "project"}[s]
}

// Action is an operation that needs authorization. Every route of every transport names one
// Action. Only Authorizer makes the decision.
type Action struct {
	Name string // "content.update": for logs, the OpenAPI document and tests
	In   Scope
	// Role is the lowest role that may perform the action. Empty allows every user that may see
	// the place (Sees); in ScopePlatform every signed-in user.
	Role core.Role
	// Ability is the ability that a token of the Project needs; empty: no token may.
	Ability core.Ability

	// orPlatform means that a Target without a tenant is the platform itself.
	orPlatform bool
	// unattached, unless it is empty, replaces Role in a Project without Department.
	unattached core.Role
	// orApprovers also allows holders of a custom role of the Project's Department. The use case
	// decides what they may see in the Project.
	orApprovers bool
	// callers, unless it is empty, is the result of AllowedCallers.
	callers string
}

// The actions of tokens on the content API.
var (
	ReadPublic   = Action{Name: "public.read", In: ScopeProject, Ability: core.AbilityRead}
	CreatePublic = Action{Name: "public.create", In: ScopeProject, Ability: core.AbilityCreate}
	UpdatePublic = Action{Name: "public.update", In: ScopeProject, Ability: core.AbilityUpdate}
	DeletePublic = Action{Name: "public.delete", In: ScopeProject, Ability: core.AbilityDelete}
)

// The actions of signed-in users. UpdateProject and ManageCollections include the permission to
// acknowledge a change that readers of a governed Project see (ports.PublishGate.Redefine).
var (
	SignedIn = Action{Name: "session", In: ScopePlatform}

	CreateTenant = Action{Name: "tenant.create", In: ScopePlatform, Role: core.RoleSuperAdmin}
	DeleteTenant = Action{Name: "tenant.delete", In: ScopeTenant, Role: core.RoleSuperAdmin}
	ViewTenant   = Action{Name: "tenant.view", In: ScopeTenant}
	UpdateTenant = Action{Name: "tenant.update", In: ScopeTenant, Role: core.RoleTenantAdmin}

	ViewTenantMembers   = Action{Name: "tenant.members.view", In: ScopeTenant, Role: core.RoleTenantAdmin}
	ManageTenantMembers = Action{Name: "tenant.members.manage", In: ScopeTenant, Role: core.RoleTenantAdmin}
	ViewTenantEvents    = Action{Name: "tenant.events.view", In: ScopeTenant, Role: core.RoleTenantAdmin}

	CreateDepartment        = Action{Name: "department.create", In: ScopeTenant, Role: core.RoleTenantAdmin}
	ViewDepartment          = Action{Name: "department.view", In: ScopeDepartment}
	UpdateDepartment        = Action{Name: "department.update", In: ScopeDepartment, Role: core.RoleTenantAdmin}
	DeleteDepartment        = Action{Name: "department.delete", In: ScopeDepartment, Role: core.RoleTenantAdmin}
	ViewDepartmentMembers   = Action{Name: "department.members.view", In: ScopeDepartment, Role: core.RoleDepartmentAdmin}
	ManageDepartmentMembers = Action{Name: "department.members.manage", In: ScopeDepartment, Role: core.RoleDepartmentAdmin}
	ViewCustomRoles         = Action{Name: "custom_role.view", In: ScopeDepartment}
	ManageCustomRoles       = Action{Name: "custom_role.manage", In: ScopeDepartment, Role: core.RoleDepartmentAdmin}

	CreateProject        = Action{Name: "project.create", In: ScopeTenant, Role: core.RoleTenantAdmin}
	ViewProject          = Action{Name: "project.view", In: ScopeProject, Role: core.RoleViewer}
	UpdateProject        = Action{Name: "project.update", In: ScopeProject, Role: core.RoleAdmin}
	DeleteProject        = Action{Name: "project.delete", In: ScopeProject, Role: core.RoleTenantAdmin}
	ViewProjectMembers   = Action{Name: "project.members.view", In: ScopeProject, Role: core.RoleViewer}
	ManageProjectMembers = Action{Name: "project.members.manage", In: ScopeProject, Role: core.RoleAdmin}
	ManageTokens         = Action{Name: "token.manage", In: ScopeProject, Role: core.RoleAdmin}
	ViewProjectEvents    = Action{Name: "project.events.view", In: ScopeProject, Role: core.RoleAdmin}

	ViewCollections   = Action{Name: "collection.view", In: ScopeProject, Role: core.RoleViewer}
	ManageCollections = Action{Name: "collection.manage", In: ScopeProject, Role: core.RoleAdmin}

	ReadContent    = Action{Name: "content.read", In: ScopeProject, Role: core.RoleViewer}
	WriteContent   = Action{Name: "content.write", In: ScopeProject, Role: core.RoleEditor}
	DestroyContent = Action{Name: "content.destroy", In: ScopeProject, Role: core.RoleAdmin}

	ViewMedia   = Action{Name: "media.view", In: ScopeProject, Role: core.RoleViewer}
	WriteMedia  = Action{Name: "media.write", In: ScopeProject, Role: core.RoleEditor}
	DeleteMedia = Action{Name: "media.delete", In: ScopeProject, Role: core.RoleEditor}

	ViewDepartmentWorkflow = Action{Name: "department.workflow.view", In: ScopeDepartment, Role: core.RoleDepartmentAdmin}
	SetDepartmentWorkflow  = Action{Name: "department.workflow.set", In: ScopeDepartment, Role: core.RoleTenantAdmin}
	ViewProjectWorkflow    = Action{Name: "project.workflow.view", In: ScopeProject, Role: core.RoleViewer, unattached: core.RoleSuperAdmin}
	SetProjectWorkflow     = Action{Name: "project.workflow.set", In: ScopeProject, Role: core.RoleTenantAdmin, unattached: core.RoleSuperAdmin}

	// ViewApproval and DecideApproval give access to approval.Reviews of a Project. Reviews
	// decides which requests a user may see and which steps the user may decide, because
	// that depends on the request.
	ViewApproval = Action{
		Name: "approval.view", In: ScopeProject, Role: core.RoleViewer, orApprovers: true,
		callers: "a viewer of the project, or a role above it; or a holder of a custom role of its department that the request names",
	}
	DecideApproval = Action{
		Name: "approval.decide", In: ScopeProject, Role: core.RoleViewer, orApprovers: true,
		callers: "a reviewer of the current step of the request, which names a role in the project or above it, or a custom role of the department",
	}

	// ListUsers and CreateUser are for tenant admins in their own Tenant. Without a tenant
	// they apply to the platform and are for super admins.
	ListUsers  = Action{Name: "user.list", In: ScopeTenant, Role: core.RoleTenantAdmin, orPlatform: true}
	CreateUser = Action{Name: "user.create", In: ScopeTenant, Role: core.RoleTenantAdmin, orPlatform: true}
)
