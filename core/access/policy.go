package access

import (
	"slices"

	"imprimatur/core"
	"imprimatur/core/account"
)

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

	// Assistants says whether an assistant may perform the action for a user who may.
	Assistants AssistantUse

	// Previews says whether the actor may be a Preview, for a user who may read drafts.
	Previews bool

	// Exempt also allows users that may do little else yet.
	Exempt account.Exempt

	// orPlatform means that a Target without a tenant is the platform itself.
	orPlatform bool
	// unattached, unless it is empty, replaces Role in a Project without Department.
	unattached core.Role
	// orApprovers also allows holders of a custom role of the Project's Department. The use case
	// decides what they may see in the Project.
	orApprovers bool
	// schema requires that a token has AllowSchema, too.
	schema bool
	// callers, unless it is empty, is the result of AllowedCallers.
	callers string
}

// AssistantUse says whether assistants may perform an action.
type AssistantUse uint8

// The uses.
const (
	NoAssistants    AssistantUse = iota
	AssistantsRead               // all assistants
	AssistantsDraft              // those with core.Assistant.Drafts
)

// actions has all actions in the order of their declaration.
var actions []Action

// declare adds the action to Actions.
func declare(a Action) Action {
	actions = append(actions, a)
	return a
}

// Actions returns all actions.
func Actions() []Action { return slices.Clone(actions) }

// The actions of tokens on the content API. Role is what the user of an assistant needs.
var (
	ReadPublic = declare(Action{Name: "public.read", In: ScopeProject, Role: core.RoleViewer, Ability: core.AbilityRead, Assistants: AssistantsRead, Previews: true})
	// ReadPublicOnly is ReadPublic for what previews do not show: changes and the library.
	ReadPublicOnly = declare(Action{Name: "public.read_only", In: ScopeProject, Role: core.RoleViewer, Ability: core.AbilityRead, Assistants: AssistantsRead})
	CreatePublic   = declare(Action{Name: "public.create", In: ScopeProject, Ability: core.AbilityCreate})
	UpdatePublic   = declare(Action{Name: "public.update", In: ScopeProject, Ability: core.AbilityUpdate})
	DeletePublic   = declare(Action{Name: "public.delete", In: ScopeProject, Ability: core.AbilityDelete})
	SchemaPublic   = declare(Action{
		Name: "public.schema", In: ScopeProject, Ability: core.AbilityRead, schema: true, callers: "a token of the project with allowSchema and the ability read",
	})
)

// The actions of signed-in users. UpdateProject and ManageCollections include the permission to
// acknowledge a change that readers of a governed Project see (publishing.Redefine).
var (
	SignedIn    = declare(Action{Name: "session", In: ScopePlatform})
	SignOut     = declare(Action{Name: "session.end", In: ScopePlatform, Exempt: account.Exempt{PasswordChange: true, SecondFactor: true}})
	SetPassword = declare(Action{Name: "password.set", In: ScopePlatform, Exempt: account.Exempt{PasswordChange: true, SecondFactor: true}})
	SetFactors  = declare(Action{Name: "factors.set", In: ScopePlatform, Exempt: account.Exempt{SecondFactor: true}})

	CreateTenant = declare(Action{Name: "tenant.create", In: ScopePlatform, Role: core.RoleSuperAdmin})
	DeleteTenant = declare(Action{Name: "tenant.delete", In: ScopeTenant, Role: core.RoleSuperAdmin})
	ViewTenant   = declare(Action{Name: "tenant.view", In: ScopeTenant})
	UpdateTenant = declare(Action{Name: "tenant.update", In: ScopeTenant, Role: core.RoleTenantAdmin})

	ViewTenantMembers   = declare(Action{Name: "tenant.members.view", In: ScopeTenant, Role: core.RoleTenantAdmin})
	ManageTenantMembers = declare(Action{Name: "tenant.members.manage", In: ScopeTenant, Role: core.RoleTenantAdmin})
	ManageProviders     = declare(Action{Name: "tenant.providers.manage", In: ScopeTenant, Role: core.RoleTenantAdmin})
	ViewTenantEvents    = declare(Action{Name: "tenant.events.view", In: ScopeTenant, Role: core.RoleTenantAdmin})

	CreateDepartment        = declare(Action{Name: "department.create", In: ScopeTenant, Role: core.RoleTenantAdmin})
	ViewDepartment          = declare(Action{Name: "department.view", In: ScopeDepartment})
	UpdateDepartment        = declare(Action{Name: "department.update", In: ScopeDepartment, Role: core.RoleTenantAdmin})
	DeleteDepartment        = declare(Action{Name: "department.delete", In: ScopeDepartment, Role: core.RoleTenantAdmin})
	ViewDepartmentMembers   = declare(Action{Name: "department.members.view", In: ScopeDepartment, Role: core.RoleDepartmentAdmin})
	ManageDepartmentMembers = declare(Action{Name: "department.members.manage", In: ScopeDepartment, Role: core.RoleDepartmentAdmin})
	ViewCustomRoles         = declare(Action{Name: "custom_role.view", In: ScopeDepartment})
	ManageCustomRoles       = declare(Action{Name: "custom_role.manage", In: ScopeDepartment, Role: core.RoleDepartmentAdmin})

	CreateProject        = declare(Action{Name: "project.create", In: ScopeTenant, Role: core.RoleTenantAdmin})
	ViewProject          = declare(Action{Name: "project.view", In: ScopeProject, Role: core.RoleViewer})
	UpdateProject        = declare(Action{Name: "project.update", In: ScopeProject, Role: core.RoleAdmin})
	DeleteProject        = declare(Action{Name: "project.delete", In: ScopeProject, Role: core.RoleTenantAdmin})
	ViewProjectMembers   = declare(Action{Name: "project.members.view", In: ScopeProject, Role: core.RoleViewer})
	ManageProjectMembers = declare(Action{Name: "project.members.manage", In: ScopeProject, Role: core.RoleAdmin})
	ManageTokens         = declare(Action{Name: "token.manage", In: ScopeProject, Role: core.RoleAdmin})
	ManageWebhooks       = declare(Action{Name: "webhook.manage", In: ScopeProject, Role: core.RoleAdmin})
	ViewProjectEvents    = declare(Action{Name: "project.events.view", In: ScopeProject, Role: core.RoleAdmin})

	ViewCollections   = declare(Action{Name: "collection.view", In: ScopeProject, Role: core.RoleViewer})
	ManageCollections = declare(Action{Name: "collection.manage", In: ScopeProject, Role: core.RoleAdmin})

	ReadContent    = declare(Action{Name: "content.read", In: ScopeProject, Role: core.RoleViewer})
	ReadDrafts     = declare(Action{Name: "content.drafts.read", In: ScopeProject, Role: core.RoleViewer, Assistants: AssistantsDraft})
	DraftContent   = declare(Action{Name: "content.draft", In: ScopeProject, Role: core.RoleEditor, Assistants: AssistantsDraft})
	WriteContent   = declare(Action{Name: "content.write", In: ScopeProject, Role: core.RoleEditor})
	DestroyContent = declare(Action{Name: "content.destroy", In: ScopeProject, Role: core.RoleAdmin})

	// ViewReleases also lets holders of a custom role see the releases whose latest request names it.
	ViewReleases = declare(Action{
		Name: "release.view", In: ScopeProject, Role: core.RoleViewer, orApprovers: true,
		callers: "a viewer of the project, or a role above it; or a holder of a custom role of its department that the latest request of the release names",
	})
	// ProposeReleases is what assistants may do with releases of their own: open them, fill them and submit them for review.
	ProposeReleases = declare(Action{Name: "release.propose", In: ScopeProject, Role: core.RoleEditor, Assistants: AssistantsDraft})
	WriteReleases   = declare(Action{Name: "release.write", In: ScopeProject, Role: core.RoleEditor})

	ViewMedia   = declare(Action{Name: "media.view", In: ScopeProject, Role: core.RoleViewer})
	WriteMedia  = declare(Action{Name: "media.write", In: ScopeProject, Role: core.RoleEditor})
	DeleteMedia = declare(Action{Name: "media.delete", In: ScopeProject, Role: core.RoleEditor})

	ViewDepartmentWorkflow = declare(Action{Name: "department.workflow.view", In: ScopeDepartment, Role: core.RoleDepartmentAdmin})
	SetDepartmentWorkflow  = declare(Action{Name: "department.workflow.set", In: ScopeDepartment, Role: core.RoleSetsWorkflow})
	ViewProjectWorkflow    = declare(Action{Name: "project.workflow.view", In: ScopeProject, Role: core.RoleViewer, unattached: core.RoleSuperAdmin})
	SetProjectWorkflow     = declare(Action{Name: "project.workflow.set", In: ScopeProject, Role: core.RoleSetsWorkflow, unattached: core.RoleSetsUnattached})

	// ViewApproval, CommentApproval and DecideApproval give access to approval.Reviews of a Project. Reviews
	// decides which requests a user may see and which steps the user may decide, because
	// that depends on the request.
	ViewApproval = declare(Action{
		Name: "approval.view", In: ScopeProject, Role: core.RoleViewer, orApprovers: true,
		callers: "a viewer of the project, or a role above it; or a holder of a custom role of its department that the request names",
	})
	CommentApproval = declare(Action{
		Name: "approval.comment", In: ScopeProject, Role: core.RoleViewer, orApprovers: true, Assistants: AssistantsDraft,
		callers: "a viewer of the project, or a role above it; or a holder of a custom role of its department that the request names",
	})
	DecideApproval = declare(Action{
		Name: "approval.decide", In: ScopeProject, Role: core.RoleViewer, orApprovers: true,
		callers: "a reviewer of the current step of the request, which names a role in the project or above it, or a custom role of the department",
	})

	// ListUsers and CreateUser are for tenant admins in their own Tenant. Without a tenant
	// they apply to the platform and are for super admins.
	ListUsers  = declare(Action{Name: "user.list", In: ScopeTenant, Role: core.RoleTenantAdmin, orPlatform: true})
	CreateUser = declare(Action{Name: "user.create", In: ScopeTenant, Role: core.RoleTenantAdmin, orPlatform: true})
)

// SeesHidden reports whether the actor sees the values of hidden fields in drafts of the Project: a
// user that may write its content.
func SeesHidden(actor core.Actor, p *core.Project) bool {
	return actor.Assistant == nil && WriteContent.accepts(actor) && WriteContent.allows(actor, PlaceOf(p))
}
