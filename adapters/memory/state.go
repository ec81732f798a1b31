package memory

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/assistant"
	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/installation"
	"imprimatur/core/notice"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// state is all data of a store. A copy is cheap: tables share their rows until one of the
// copies changes them.
type state struct {
	tenants     table[int64, core.Tenant]
	departments table[int64, core.Department]
	customRoles table[int64, core.CustomRole]
	holdings    table[holding, struct{}]
	projects    table[int64, *core.Project]
	users       table[int64, core.User]
	grants      table[membership, core.Role]
	sessions    table[[32]byte, account.Session]
	signIns     table[string, account.FailedSignIns]
	invitations table[int64, account.Invitation]
	links       table[[32]byte, account.MailLink]
	providers   table[int64, account.IdentityProvider]
	domains     table[string, account.DomainClaim]
	identities  table[personKey, account.UserIdentity]
	spent       table[[32]byte, spentTicket]
	previews    table[[32]byte, core.Preview]
	byteHolds   table[string, time.Time]   // when they end
	totp        table[int64, account.TOTP] // by user
	recovery    table[recoveryCode, struct{}]
	passkeys    table[int64, account.Passkey]
	tokens      table[int64, core.Token]
	tokenUsage  table[tokenDay, core.TokenUsage]
	collections table[int64, *core.Collection]
	components  table[int64, *core.Component]
	entries     table[int64, core.Entry]
	origins     table[originKey, core.Origin]
	pastGroups  table[pastGroup, string] // slug of the collection
	media       table[int64, core.MediaItem]
	kept        table[int64, core.MediaItem] // media that left the library
	blobs       table[ports.HeldBlob, heldBlob]
	renditions  table[ports.HeldBlob, ports.StoredRendition]

	workflows     table[scope, review.Workflow]
	requests      table[int64, review.Request]
	actions       table[int64, review.Action]
	numbers       table[releaseYear, int64] // last release number assigned
	releases      table[int64, release.Release]
	members       table[int64, []release.Member]     // by release, by entry id
	sealed        table[int64, []review.RequestItem] // of releases, by entry id
	marks         table[releaseMark, release.Mark]
	releaseCounts table[int64, int64] // of published releases, by Project
	comments      table[int64, discussion.Comment]
	delegations   table[int64, core.Delegation]
	assistants    table[int64, core.Assistant]
	schedules     table[scheduleKey, schedule.Schedule]
	revisions     table[revisionKey, core.Revision]
	publications  table[entryKey, []core.Publication]
	former        table[entryKey, []formerSlug] // the latest last
	claims        table[core.IdempotencyKey, claim]
	signingKeys   table[int64, installation.SigningKey]
	secretCheck   []byte // replaced, never changed
	webhooks      table[int64, webhook.Webhook]
	deliveries    table[int64, webhook.Delivery]
	attempts      table[attemptKey, webhook.DeliveryAttempt]
	notices       table[int64, notice.Notice]
	reminders     table[stayAt, reminder]
	mails         table[int64, notice.Mail]

	now     func() time.Time // the clock of the store
	locks   map[lock]bool    // those of a transaction; nil: a change of its own, which needs none
	refused error            // why the transaction cannot commit
	tables  []*data

	installation installation.Installation

	// events are ordered by id. Copies of the state share them: a transaction only
	// appends.
	events    []event.Event
	lastEvent int64
	keptSince time.Time // the latest time before which events were deleted
	outgoing  []int64   // ids of events in the outbox, ascending
}

// personKey is a person at an identity provider.
type personKey struct {
	providerID int64
	subject    string
}

// spentTicket is the ticket of a sign-in that was used.
type spentTicket struct{ ExpiresAt time.Time }

// holding is a custom role of a user.
type holding struct{ roleID, userID int64 }

// pastGroup is a translation group of which an entry was deleted.
type pastGroup struct{ projectID, group int64 }

// newState returns an empty state.
func newState(now func() time.Time) *state {
	st := *empty()
	st.now = now
	st.begin()
	return &st
}

// empty returns a state without rows, which has the rules of the tables.
var empty = sync.OnceValue(func() *state {
	st := &state{installation: installation.Installation{Epoch: installation.FirstEpoch}}
	st.ruleOrganisation()
	st.ruleAccounts()
	st.ruleContent()
	st.ruleApproval()
	st.ruleDeliveries()
	st.ruleEvents()
	return st
})

// ruleOrganisation sets the rules of organisations and their members.
func (s *state) ruleOrganisation() {
	rulesOf(&s.tenants, "tenant").notNull("CreatedAt", "UpdatedAt")
	rulesOf(&s.departments, "department").refersTo("TenantID", "tenant").notNull("CreatedAt", "UpdatedAt")
	rulesOf(&s.projects, "project").refersTo("TenantID", "tenant").mayReferTo("DepartmentID", "department").
		uniqueBy("UUID").notNull("CreatedAt", "UpdatedAt").underLock()
	rulesOf(&s.users, "user").mayReferTo("TenantID", "tenant").uniqueBy("Email").notNull("CreatedAt", "UpdatedAt").underLock()
	rulesOf(&s.grants, "member").belongsTo("userID", "user").
		mayBelongTo("tenantID", "tenant").mayBelongTo("departmentID", "department").mayBelongTo("projectID", "project")
	rulesOf(&s.customRoles, "custom role").belongsTo("DepartmentID", "department").refersTo("TenantID", "tenant").
		uniqueBy("DepartmentID", "Name").notNull("CreatedAt").underLock()
	rulesOf(&s.holdings, "holder").belongsTo("roleID", "custom role").belongsTo("userID", "user")
	rulesOf(&s.delegations, "delegation").belongsTo("From.ID", "user").belongsTo("To.ID", "user").notNull("Since", "Until", "CreatedAt").underLock()
	rulesOf(&s.invitations, "invitation").belongsTo("TenantID", "tenant").belongsTo("InvitedBy", "user").
		uniqueBy("Hash").notNull("CreatedAt", "ExpiresAt").underLock().ages("ExpiresAt")
	rulesOf(&s.providers, "identity provider").belongsTo("TenantID", "tenant").notNull("Secret", "CreatedAt", "UpdatedAt").underLock()
	rulesOf(&s.domains, "claim of the domain").belongsTo("TenantID", "tenant").belongsTo("ProviderID", "identity provider").
		notNull("ClaimedAt").ordered("Domain")
	rulesOf(&s.identities, "link to an identity provider").belongsTo("ProviderID", "identity provider").belongsTo("TenantID", "tenant").
		belongsTo("UserID", "user").uniqueBy("ProviderID", "UserID").notNull("LinkedAt").ordered("UserID", "ProviderID")
}

// ruleAccounts sets the rules of credentials.
func (s *state) ruleAccounts() {
	rulesOf(&s.assistants, "assistant").belongsTo("UserID", "user").uniqueBy("Hash").notNull("CreatedAt", "ExpiresAt").underLock()
	rulesOf(&s.sessions, "session").belongsTo("UserID", "user").notNull("CreatedAt", "ExpiresAt").ordered("ID").ages("ExpiresAt")
	rulesOf(&s.totp, "authenticator app").belongsTo("", "user").notNull("Secret", "CreatedAt")
	rulesOf(&s.recovery, "recovery code").belongsTo("userID", "user")
	rulesOf(&s.passkeys, "passkey").belongsTo("UserID", "user").uniqueBy("CredentialID").notNull("CredentialID", "PublicKey", "CreatedAt")
	rulesOf(&s.signIns, "failed sign-in").notNull("EndsAt").ages("EndsAt")
	rulesOf(&s.spent, "spent ticket").ages("ExpiresAt")
	rulesOf(&s.previews, "preview").notNull("CreatedAt", "ExpiresAt").ages("ExpiresAt")
	rulesOf(&s.byteHolds, "hold")
	rulesOf(&s.links, "link").mayBelongTo("UserID", "user").notNull("CreatedAt", "ExpiresAt").ages("ExpiresAt")
	rulesOf(&s.tokens, "token").belongsTo("ProjectID", "project").uniqueBy("Hash").notNull("CreatedAt").underLock()
	rulesOf(&s.tokenUsage, "usage of a token").belongsTo("projectID", "project").notNull("Day").ordered("Day").ages("Day")
	rulesOf(&s.claims, "idempotency key").ages("At")
	rulesOf(&s.signingKeys, "signing key").uniqueBy("Fingerprint").notNull("Public", "From").ordered("From").underLock()
}

// ruleContent sets the rules of definitions, media and entries. Those that the SQL adapters delete in
// the background have no constraints there.
func (s *state) ruleContent() {
	rulesOf(&s.collections, "collection").belongsTo("ProjectID", "project").notNull("CreatedAt", "UpdatedAt").
		uniqueBy("ProjectID", "Slug").ordered("Slug")
	rulesOf(&s.components, "component").belongsTo("ProjectID", "project").notNull("CreatedAt", "UpdatedAt").
		uniqueBy("ProjectID", "Slug").ordered("Slug")
	rulesOf(&s.media, "media item").belongsTo("ProjectID", "project").notNull("CreatedAt", "UpdatedAt")
	rulesOf(&s.kept, "kept media item").belongsTo("ProjectID", "project")
	rulesOf(&s.blobs, "blob")
	rulesOf(&s.renditions, "rendition").notNull("Used")
	rulesOf(&s.origins, "origin").goesWith("ProjectID", "project").goesWith("CollectionID", "collection").ordered("Group", "Reference")
	rulesOf(&s.pastGroups, "group").goesWith("projectID", "project")
	rulesOf(&s.revisions, "revision").goesWith("ProjectID", "project").goesWith("CollectionID", "collection").goesWith("EntryID", "entry").
		ordered("Number")
	rulesOf(&s.publications, "publication").goesWith("projectID", "project")
	rulesOf(&s.former, "former slug").goesWith("projectID", "project").goesWith("entryID", "entry")
	rulesOf(&s.entries, "entry").goesWith("ProjectID", "project").goesWith("CollectionID", "collection").notNull("CreatedAt", "UpdatedAt", "Draft").underLock()
}

// ruleApproval sets the rules of workflows, requests, releases and schedules.
func (s *state) ruleApproval() {
	rulesOf(&s.workflows, "workflow").mayBelongTo("departmentID", "department").mayBelongTo("projectID", "project").
		ordered("ProjectID", "DepartmentID")
	rulesOf(&s.reminders, "reminder").belongsTo("ProjectID", "project").belongsTo("RequestID", "request").ordered("Due")
	rulesOf(&s.actions, "action").belongsTo("RequestID", "request").goesWith("ProjectID", "project").notNull("CreatedAt")
	rulesOf(&s.comments, "comment").goesWith("ProjectID", "project").belongsTo("RequestID", "request").notNull("At")
	rulesOf(&s.requests, "request").belongsTo("ProjectID", "project").notNull("SubmittedAt")
	rulesOf(&s.numbers, "release number").belongsTo("tenantID", "tenant")
	rulesOf(&s.members, "member of a release").belongsTo("", "release")
	rulesOf(&s.sealed, "sealed member").belongsTo("", "release")
	rulesOf(&s.marks, "mark").belongsTo("releaseID", "release").ordered("EntryID")
	rulesOf(&s.releases, "release").belongsTo("ProjectID", "project").notNull("CreatedAt", "UpdatedAt").underLock()
	rulesOf(&s.releaseCounts, "count of releases").belongsTo("", "project")
	rulesOf(&s.schedules, "schedule").belongsTo("ProjectID", "project").goesWith("CollectionID", "collection").goesWith("EntryID", "entry").
		notNull("DueAt").ordered("RetryAt", "ProjectID", "EntryID", "ReleaseID", "Action")
}

// ruleDeliveries sets the rules of webhooks, notices and mails.
func (s *state) ruleDeliveries() {
	rulesOf(&s.attempts, "attempt").belongsTo("DeliveryID", "delivery").notNull("At").ordered("DeliveryID", "Number")
	rulesOf(&s.deliveries, "delivery").belongsTo("WebhookID", "webhook").goesWith("ProjectID", "project").ages("EndedAt")
	rulesOf(&s.webhooks, "webhook").belongsTo("ProjectID", "project").notNull("Secrets", "CreatedAt", "UpdatedAt").underLock()
	rulesOf(&s.mails, "mail").mayBelongTo("NoticeID", "notice").uniqueBy("NoticeID").ages("EndedAt")
	rulesOf(&s.notices, "notice").belongsTo("UserID", "user").mayBelongTo("ProjectID", "project").uniqueBy("UserID", "Key").ages("At")
}

// ruleEvents says which events the rows of tables have.
func (s *state) ruleEvents() {
	tells(&s.tenants, event.TenantCreated, event.TenantDeleted, func(kind event.Type, t core.Tenant) event.Event {
		return event.Event{Type: kind, TenantID: t.ID}
	})
	tells(&s.departments, event.DepartmentCreated, event.DepartmentDeleted, func(kind event.Type, d core.Department) event.Event {
		return event.Event{Type: kind, TenantID: d.TenantID, SubjectID: d.ID}
	})
	tells(&s.customRoles, event.RoleCreated, event.RoleDeleted, func(kind event.Type, r core.CustomRole) event.Event {
		return event.Event{Type: kind, TenantID: r.TenantID, SubjectID: r.ID}
	})
	tells(&s.projects, event.ProjectCreated, "", func(kind event.Type, p *core.Project) event.Event {
		return event.Event{Type: kind, ProjectID: p.ID}
	})
	tells(&s.users, event.UserCreated, "", userEvent)
	tells(&s.invitations, event.InvitationCreated, "", func(kind event.Type, i account.Invitation) event.Event {
		return event.Event{Type: kind, TenantID: i.TenantID, SubjectID: i.ID}
	})
	tells(&s.providers, event.IdentityProviderCreated, event.IdentityProviderDeleted, func(kind event.Type, p account.IdentityProvider) event.Event {
		return account.IdentityProviderEvent(kind, p.TenantID, p.ID)
	})
	tells(&s.delegations, event.DelegationCreated, "", func(kind event.Type, d core.Delegation) event.Event { return review.DelegationEvent(kind, &d) })
	tells(&s.assistants, event.AssistantCreated, "", func(kind event.Type, a core.Assistant) event.Event { return assistant.Changed(kind, &a) })
	tells(&s.tokens, event.TokenCreated, "", func(kind event.Type, t core.Token) event.Event {
		return event.Event{Type: kind, ProjectID: t.ProjectID, SubjectID: t.ID}
	})
	tells(&s.signingKeys, event.KeyCreated, "", func(kind event.Type, k installation.SigningKey) event.Event {
		return event.Event{Type: kind, SubjectID: k.ID}
	})
	tells(&s.collections, event.CollectionCreated, event.CollectionDeleted, collectionEvent)
	tells(&s.components, event.ComponentCreated, event.ComponentDeleted, componentEvent)
	tells(&s.media, event.MediaCreated, event.MediaDeleted, mediaEvent)
	tells(&s.releases, event.ReleaseCreated, event.ReleaseDeleted, func(kind event.Type, r release.Release) event.Event { return release.OfRelease(kind, &r) })
	tells(&s.webhooks, event.WebhookCreated, event.WebhookDeleted, func(kind event.Type, w webhook.Webhook) event.Event {
		return event.Event{Type: kind, ProjectID: w.ProjectID, SubjectID: w.ID}
	})
}

// begin makes s, a copy of another state, the state of a transaction.
func (s *state) begin() {
	// Tables with rows that belong to others come before these others.
	s.tables = []*data{
		&s.grants.data, &s.holdings.data, &s.delegations.data, &s.assistants.data, &s.sessions.data, &s.totp.data, &s.recovery.data, &s.passkeys.data, &s.signIns.data,
		&s.spent.data, &s.previews.data, &s.byteHolds.data, &s.invitations.data, &s.links.data, &s.identities.data, &s.domains.data, &s.providers.data,
		&s.tokenUsage.data, &s.tokens.data, &s.claims.data, &s.signingKeys.data, &s.kept.data, &s.media.data, &s.blobs.data, &s.renditions.data, &s.origins.data,
		&s.pastGroups.data, &s.revisions.data, &s.publications.data, &s.former.data, &s.reminders.data, &s.actions.data, &s.comments.data, &s.requests.data,
		&s.numbers.data, &s.members.data, &s.sealed.data, &s.marks.data, &s.releases.data, &s.releaseCounts.data, &s.schedules.data, &s.entries.data, &s.collections.data,
		&s.components.data, &s.attempts.data, &s.deliveries.data, &s.webhooks.data, &s.mails.data, &s.notices.data, &s.workflows.data, &s.customRoles.data,
		&s.projects.data, &s.departments.data, &s.users.data, &s.tenants.data,
	}
	for _, t := range s.tables {
		t.st = s
	}
}

// freeze ends the transaction of s: other copies of it will share its rows.
func (s *state) freeze() {
	s.locks = nil
	for _, t := range s.tables {
		t.owned = false
	}
}

// tableOf returns the table of a thing.
func (s *state) tableOf(thing string) *data {
	for _, t := range s.tables {
		if t.thing == thing {
			return t
		}
	}
	panic("memory: no table has a " + thing)
}

// refuse makes the transaction fail, as a database does after a statement that breaks a constraint.
func (s *state) refuse(err error) { s.refused = cmp.Or(s.refused, err) }

// lock is the lock of a row.
type lock struct {
	thing string
	id    int64
}

// lock locks rows until the transaction ends. It never waits: transactions run one after another.
func (s *state) lock(thing string, ids ...int64) {
	for _, id := range ids {
		if s.locks != nil {
			s.locks[lock{thing, id}] = true
		}
	}
}

// needLock makes the transaction fail unless it has the lock. A change outside of a transaction needs none: it follows no read.
func (s *state) needLock(thing string, id int64) {
	if s.locks != nil && !s.locks[lock{thing, id}] {
		s.refuse(fmt.Errorf("memory: the transaction changes the %s %d without its lock", thing, id))
	}
}
