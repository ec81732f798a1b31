package demo

import (
	"context"
	"crypto/rand"
	"fmt"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/assistant"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/core/identity"
	"imprimatur/core/media"
	"imprimatur/core/reading"
	"imprimatur/core/releasing"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
)

// Parts are the use cases of the service that create the organisation, so that the example obeys
// all rules.
type Parts struct {
	Organisation *access.Organisation
	Members      *access.Members
	Users        *access.Users
	Sessions     *identity.Sessions
	Tokens       *access.Tokens
	Planner      *schema.Planner
	Collections  *definition.Collections
	Writer       *writing.Writer
	Importer     *transfer.Importer
	Reader       *reading.Reader
	Workflows    *approval.Workflows
	Reviews      *approval.Reviews
	Library      *media.Library
	Releases     *releasing.Releases
	Assistants   *access.Assistants
}

// Seed creates the organisation in an empty database and returns its Facts without
// addresses.
func Seed(ctx context.Context, parts Parts) (Facts, error) {
	s := &seed{Parts: parts, schemas: map[*core.Project]*defined{}, written: map[string]int64{}}
	for _, step := range []func(context.Context) error{
		s.organisation, s.people, s.signIn, s.tokens, s.countries, s.library, s.articles, s.posts, s.notices, s.pages, s.workflows, s.requests, s.releases, s.assistant,
	} {
		if err := step(ctx); err != nil {
			return Facts{}, err
		}
	}
	return s.facts, nil
}

// seed is the state while the organisation is created.
type seed struct {
	Parts
	facts Facts

	tenant    core.Tenant
	newsroom  core.Department
	worldDesk *core.Project
	blog      *core.Project
	investors *core.Project
	schemas   map[*core.Project]*defined
	actors    map[string]core.Actor // of users, by their keys
	written   map[string]int64      // ids of articles, posts and pages by title
	media     map[string]int64      // ids by file name
	revised   []revisedPage
}

func (s *seed) organisation(ctx context.Context) (err error) {
	if s.tenant, err = s.Organisation.CreateTenant(ctx, core.SystemActor, "Meridian Media"); err != nil {
		return err
	}
	s.facts.TenantID = s.tenant.ID
	if s.newsroom, err = s.Organisation.CreateDepartment(ctx, core.SystemActor, s.tenant.ID, "Newsroom"); err != nil {
		return err
	}
	marketing, err := s.Organisation.CreateDepartment(ctx, core.SystemActor, s.tenant.ID, "Marketing")
	if err != nil {
		return err
	}
	legal, err := s.Organisation.CreateCustomRole(ctx, core.SystemActor, s.newsroom, "Legal")
	if err != nil {
		return err
	}
	s.facts.Departments.Newsroom, s.facts.Departments.Marketing = s.newsroom.ID, marketing.ID
	s.facts.CustomRoles.Legal = legal.ID

	project := func(name, file string, department *int64, ref *ProjectRef, locales ...string) *core.Project {
		if err != nil {
			return nil
		}
		var p *core.Project
		p, err = s.Organisation.CreateProject(ctx, core.SystemActor, s.tenant.ID, access.ProjectInput{
			Name: name, DepartmentID: department, DefaultLocale: "en", Locales: locales,
		})
		if err == nil {
			*ref = ProjectRef{ID: p.ID, UUID: p.UUID}
			s.schemas[p], err = newDefined(file)
		}
		return p
	}
	s.worldDesk = project("World Desk", "world-desk", &s.newsroom.ID, &s.facts.Projects.WorldDesk, "en", "de", "fr", "ja", "pt")
	s.blog = project("Blog", "blog", &marketing.ID, &s.facts.Projects.Blog, "en")
	s.investors = project("Investor Relations", "investor-relations", &s.newsroom.ID, &s.facts.Projects.InvestorRelations, "en")
	project("Archive", "archive", nil, &s.facts.Projects.Archive, "en")
	return err
}

// assistant creates an assistant of the editor, in World Desk. It is the last step, so that it changes no id of others.
func (s *seed) assistant(ctx context.Context) error {
	if _, err := s.Organisation.UpdateTenant(ctx, core.SystemActor, s.tenant.ID, access.TenantChange{Assistants: new(true)}); err != nil {
		return err
	}
	_, secret, err := s.Assistants.Create(ctx, s.actors["editor"], access.AssistantInput{
		Name: "Claude", ProjectIDs: []int64{s.worldDesk.ID}, ExpiresIn: assistant.MaxDays, Drafts: true,
	})
	s.facts.Assistant = secret
	return err
}

// people creates a user for each kind of role in World Desk, its Department and its
// Tenant, and an outsider without a role.
func (s *seed) people(ctx context.Context) error {
	s.facts.Users = map[string]Account{}
	tenant := access.Place{Tenant: s.tenant}
	department := access.Place{Tenant: s.tenant, Department: s.newsroom}
	project := access.Place{Tenant: s.tenant, Department: s.newsroom, Project: s.worldDesk}
	for _, person := range []struct {
		key, email, name string
		super            bool
		scope            access.Scope
		place            access.Place
		role             core.Role
	}{
		{key: "superAdmin", email: "ada@meridian.example", name: "Ada Okafor", super: true},
		{"tenantAdmin", "tomas@meridian.example", "Tomás Rivera", false, access.ScopeTenant, tenant, core.RoleTenantAdmin},
		{"departmentAdmin", "dina@meridian.example", "Dina Haddad", false, access.ScopeDepartment, department, core.RoleDepartmentAdmin},
		{"projectAdmin", "paul@meridian.example", "Paul Lindqvist", false, access.ScopeProject, project, core.RoleAdmin},
		{"legal", "leila@meridian.example", "Leila Tanaka", false, access.ScopeProject, project, core.RoleViewer},
		{"editor", "emil@meridian.example", "Emil Santos", false, access.ScopeProject, project, core.RoleEditor},
		{"viewer", "vera@meridian.example", "Vera Nyström", false, access.ScopeProject, project, core.RoleViewer},
		{key: "outsider", email: "oskar@elsewhere.example", name: "Oskar Vance"},
	} {
		password := rand.Text()
		home := s.tenant.ID
		if person.super || person.role == "" {
			home = 0
		}
		user, err := s.Parts.Users.Create(ctx, core.SystemActor, home, access.UserInput{
			Email: person.email, Name: person.name, Password: password, SuperAdmin: person.super,
		})
		if err != nil {
			return fmt.Errorf("user %s: %w", person.key, err)
		}
		if person.role != "" {
			if _, err := s.Members.Set(ctx, core.SystemActor, person.scope, person.place, user.ID, person.role); err != nil {
				return fmt.Errorf("role of %s: %w", person.key, err)
			}
		}
		if person.key == "legal" {
			if err := s.Organisation.GiveRole(ctx, core.SystemActor, s.newsroom, s.facts.CustomRoles.Legal, user.ID); err != nil {
				return err
			}
		}
		s.facts.Users[person.key] = Account{Email: person.email, Password: password}
	}
	return nil
}

// tokens creates the API tokens. Those of World Desk have no rate limit, for
// measurements; those of Blog have the default.
func (s *seed) tokens(ctx context.Context) error {
	all := []core.Ability{core.AbilityRead, core.AbilityCreate, core.AbilityUpdate, core.AbilityDelete}
	unlimited := 0
	for _, token := range []struct {
		project   *core.Project
		name      string
		abilities []core.Ability
		drafts    bool
		rate      *int
		secret    *string
	}{
		{s.worldDesk, "full", all, true, &unlimited, &s.facts.Tokens.WorldDesk.Full},
		{s.worldDesk, "read only", all[:1], false, &unlimited, &s.facts.Tokens.WorldDesk.ReadOnly},
		{s.worldDesk, "drafts", all[:1], true, &unlimited, &s.facts.Tokens.WorldDesk.Drafts},
		{s.worldDesk, "no read", all[1:], false, &unlimited, &s.facts.Tokens.WorldDesk.NoRead},
		{s.blog, "full", all, true, nil, &s.facts.Tokens.Blog.Full},
		{s.blog, "read only", all[:1], false, nil, &s.facts.Tokens.Blog.ReadOnly},
	} {
		_, secret, err := s.Parts.Tokens.Create(ctx, core.SystemActor, token.project, access.TokenInput{
			Name: token.name, Abilities: token.abilities, AllowDrafts: token.drafts, RateLimit: token.rate,
		})
		if err != nil {
			return fmt.Errorf("token %s: %w", token.name, err)
		}
		*token.secret = secret
	}
	return nil
}
