package contract

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/installation"
	"imprimatur/core/notice"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// added is a row that a store accepts, and the call that adds it.
type added struct {
	row    any // pointer to a struct, with an ID if the store sets one
	insert func(ctx context.Context) error
	// refuses names the changes of one member with which every adapter refuses the row, see changesOf.
	refuses []string
}

// rowsOfTables makes a row of each table that a port adds rows to one by one.
var rowsOfTables = map[string]func(t *testing.T, w *fixture) added{
	"tenants": func(_ *testing.T, w *fixture) added {
		r := &core.Tenant{Name: "Other", CreatedAt: at(1), UpdatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Tenants.Insert(ctx, r) }, []string{"no CreatedAt", "no UpdatedAt"}}
	},
	"departments": func(_ *testing.T, w *fixture) added {
		r := &core.Department{TenantID: w.tenant.ID, Name: "Sports", CreatedAt: at(1), UpdatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Departments.Insert(ctx, r) }, []string{
			"no CreatedAt", "no TenantID", "no UpdatedAt", "unknown TenantID",
		}}
	},
	"projects": func(_ *testing.T, w *fixture) added {
		r := new(*w.project)
		r.ID, r.UUID = 0, uuid.NewString()
		return added{r, func(ctx context.Context) error { return w.Projects.Insert(ctx, r) }, []string{
			"no CreatedAt", "no TenantID", "no UpdatedAt", "the same UUID", "unknown DepartmentID", "unknown TenantID",
		}}
	},
	"users": func(_ *testing.T, w *fixture) added {
		r := &core.User{Email: uuid.NewString() + "@example.org", Name: "Ada", TenantID: w.tenant.ID, Active: true, CreatedAt: at(1), UpdatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Users.Insert(ctx, r) }, []string{
			"no CreatedAt", "no UpdatedAt", "the same Email", "unknown TenantID",
		}}
	},
	"custom_roles": func(_ *testing.T, w *fixture) added {
		r := &core.CustomRole{TenantID: w.tenant.ID, DepartmentID: w.department.ID, Name: uuid.NewString(), CreatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.CustomRoles.Insert(ctx, r) }, []string{
			"no CreatedAt", "no DepartmentID", "no TenantID", "the same Name", "unknown DepartmentID", "unknown TenantID",
		}}
	},
	"sessions": func(t *testing.T, w *fixture) added {
		r := &account.Session{Hash: newHash(), UserID: w.newUser(t).ID, CreatedAt: at(1), ExpiresAt: at(2)}
		return added{r, func(ctx context.Context) error { return w.Sessions.Insert(ctx, *r) }, []string{
			"no CreatedAt", "no ExpiresAt", "no UserID", "the same Hash", "unknown UserID",
		}}
	},
	"links": func(t *testing.T, w *fixture) added {
		r := &account.MailLink{Hash: newHash(), Kind: "password", Email: "a@example.org", UserID: w.newUser(t).ID, CreatedAt: at(1), ExpiresAt: at(2)}
		return added{r, func(ctx context.Context) error { return w.Links.Insert(ctx, *r) }, []string{
			"no CreatedAt", "no ExpiresAt", "the same Hash", "unknown UserID",
		}}
	},
	"previews": func(_ *testing.T, w *fixture) added {
		r := &core.Preview{Hash: newHash(), Session: newHash(), ProjectID: w.project.ID, CreatedAt: at(1), ExpiresAt: at(2)}
		return added{r, func(ctx context.Context) error { return w.Previews.Insert(ctx, *r) }, []string{
			"no CreatedAt", "no ExpiresAt", "the same Hash",
		}}
	},
	"totp": func(t *testing.T, w *fixture) added {
		r := &account.TOTP{UserID: w.newUser(t).ID, Secret: []byte("secret"), CreatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.TOTP.Set(ctx, *r) }, []string{
			"no CreatedAt", "no Secret", "no UserID", "unknown UserID",
		}}
	},
	"passkeys": func(t *testing.T, w *fixture) added {
		id := newHash()
		r := &account.Passkey{UserID: w.newUser(t).ID, CredentialID: id[:], PublicKey: []byte("key"), Transports: []string{"usb"}, CreatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Passkeys.Insert(ctx, r) }, []string{
			"no CreatedAt", "no CredentialID", "no PublicKey", "no UserID", "the same CredentialID", "unknown UserID",
		}}
	},
	"invitations": func(t *testing.T, w *fixture) added {
		r := &account.Invitation{Hash: newHash(), Email: "a@example.org", TenantID: w.tenant.ID, InvitedBy: w.newUser(t).ID, CreatedAt: at(1), ExpiresAt: at(2)}
		return added{r, func(ctx context.Context) error { return w.Invitations.Insert(ctx, r) }, []string{
			"no CreatedAt", "no ExpiresAt", "no InvitedBy", "no TenantID", "the same Hash", "unknown InvitedBy", "unknown TenantID",
		}}
	},
	"assistants": func(t *testing.T, w *fixture) added {
		r := &core.Assistant{UserID: w.newUser(t).ID, Hash: newHash(), ProjectIDs: []int64{w.project.ID}, CreatedAt: at(1), ExpiresAt: at(2)}
		return added{r, func(ctx context.Context) error { return w.Assistants.Insert(ctx, r) }, []string{
			"no CreatedAt", "no ExpiresAt", "no UserID", "the same Hash", "unknown UserID",
		}}
	},
	"delegations": func(t *testing.T, w *fixture) added {
		from, to := w.newUser(t), w.newUser(t)
		r := &core.Delegation{
			From: core.ActorRef{ID: from.ID}, To: core.ActorRef{ID: to.ID}, SetBy: core.ActorRef{ID: from.ID}, Since: at(1), Until: at(2), CreatedAt: at(1),
		}
		return added{r, func(ctx context.Context) error { return w.Delegations.Insert(ctx, r) }, []string{
			"no CreatedAt", "no From", "no Since", "no To", "no Until", "unknown From", "unknown To",
		}}
	},
	"identity_providers": func(_ *testing.T, w *fixture) added {
		r := &account.IdentityProvider{TenantID: w.tenant.ID, Name: "Corporate", Secret: []byte("secret"), CreatedAt: at(1), UpdatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Providers.Insert(ctx, r) }, []string{
			"no CreatedAt", "no Secret", "no TenantID", "no UpdatedAt", "unknown TenantID",
		}}
	},
	"domain_claims": func(t *testing.T, w *fixture) added {
		r := &account.DomainClaim{
			Domain: uuid.NewString() + ".example", TenantID: w.tenant.ID, ProviderID: w.provider(t), Means: account.ClaimByRecord, ClaimedAt: at(1),
		}
		return added{r, func(ctx context.Context) error { return w.Domains.Insert(ctx, *r) }, []string{
			"no ClaimedAt", "no ProviderID", "no TenantID", "the same Domain", "unknown ProviderID", "unknown TenantID",
		}}
	},
	"user_identities": func(t *testing.T, w *fixture) added {
		r := &account.UserIdentity{ProviderID: w.provider(t), Subject: uuid.NewString(), TenantID: w.tenant.ID, UserID: w.newUser(t).ID, LinkedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Identities.Insert(ctx, *r) }, []string{
			"no LinkedAt", "no ProviderID", "no TenantID", "no UserID", "unknown ProviderID", "unknown TenantID", "unknown UserID",
		}}
	},
	"tokens": func(_ *testing.T, w *fixture) added {
		r := &core.Token{ProjectID: w.project.ID, Name: "Site", Hash: newHash(), CreatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Tokens.Insert(ctx, r) }, []string{
			"no CreatedAt", "no ProjectID", "the same Hash", "unknown ProjectID",
		}}
	},
	"collections": func(_ *testing.T, w *fixture) added {
		r := &core.Collection{ProjectID: w.project.ID, Slug: "sports-" + uuid.NewString(), Name: "Sports", Version: 1, CreatedAt: at(1), UpdatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Collections.Insert(ctx, r) }, []string{
			"no CreatedAt", "no ProjectID", "no UpdatedAt", "the same Slug", "unknown ProjectID",
		}}
	},
	"components": func(_ *testing.T, w *fixture) added {
		r := &core.Component{ProjectID: w.project.ID, Slug: "quote-" + uuid.NewString(), Name: "Quote", Version: 1, CreatedAt: at(1), UpdatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Components.Insert(ctx, r) }, []string{
			"no CreatedAt", "no ProjectID", "no UpdatedAt", "the same Slug", "unknown ProjectID",
		}}
	},
	"media": func(_ *testing.T, w *fixture) added {
		r := &core.MediaItem{ProjectID: w.project.ID, FileName: "a.png", Kind: core.MediaImage, CreatedAt: at(1), UpdatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Media.Insert(ctx, r) }, []string{
			"no CreatedAt", "no ProjectID", "no UpdatedAt", "unknown ProjectID",
		}}
	},
	"media_renditions": func(_ *testing.T, w *fixture) added {
		r := &ports.StoredRendition{ProjectID: w.project.ID, Name: "b", Original: "a", Used: at(1)}
		return added{r, func(ctx context.Context) error { return w.Renditions.Put(ctx, *r) }, []string{
			"no Used",
		}}
	},
	"releases": func(_ *testing.T, w *fixture) added {
		r := &release.Release{ProjectID: w.project.ID, Name: "Spring", State: release.Open, Version: 1, CreatedAt: at(1), UpdatedAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Releases.Insert(ctx, r) }, []string{
			"no CreatedAt", "no ProjectID", "no UpdatedAt", "unknown ProjectID",
		}}
	},
	"schedules": func(_ *testing.T, w *fixture) added {
		r := &schedule.Schedule{ProjectID: w.project.ID, EntryID: 1, CollectionID: 1, Action: schedule.Publish, DueAt: at(1)}
		return added{r, func(ctx context.Context) error { return w.Schedules.Schedule(ctx, *r) }, []string{
			"no DueAt", "no ProjectID", "unknown ProjectID",
		}}
	},
	"signing_keys": func(_ *testing.T, w *fixture) added {
		r := &installation.SigningKey{Fingerprint: uuid.NewString(), Installation: "i", Public: []byte("public"), Private: []byte("private"), From: at(1)}
		return added{r, func(ctx context.Context) error { return w.SigningKeys.Insert(ctx, r) }, []string{
			"no From", "no Public", "the same Fingerprint",
		}}
	},
	"webhooks": func(_ *testing.T, w *fixture) added {
		r := newWebhookRow(w)
		return added{r, func(ctx context.Context) error { return w.Webhooks.Insert(ctx, r) }, []string{
			"no CreatedAt", "no ProjectID", "no Secrets", "no UpdatedAt", "unknown ProjectID",
		}}
	},
	"deliveries": func(t *testing.T, w *fixture) added {
		hook := newWebhookRow(w)
		requireNoError(t, w.Webhooks.Insert(t.Context(), hook))
		r := &webhook.Delivery{ProjectID: w.project.ID, WebhookID: hook.ID, Type: webhook.DeliveryTest, Status: webhook.DeliveryWaiting}
		return added{r, func(ctx context.Context) error { return w.Deliveries.Insert(ctx, 0, r) }, []string{
			"no WebhookID", "unknown WebhookID",
		}}
	},
	"notices": func(t *testing.T, w *fixture) added {
		r := &notice.Notice{UserID: w.newUser(t).ID, Key: uuid.NewString(), ProjectID: w.project.ID}
		return added{r, func(ctx context.Context) error { return w.Notices.Insert(ctx, r) }, []string{
			"no UserID", "unknown ProjectID", "unknown UserID",
		}}
	},
}

func newWebhookRow(w *fixture) *webhook.Webhook {
	return &webhook.Webhook{ProjectID: w.project.ID, Name: "Site", URL: "https://site.example", Secrets: []byte("secret"), CreatedAt: at(1), UpdatedAt: at(1)}
}

func (w *fixture) provider(t *testing.T) int64 {
	t.Helper()
	p := account.IdentityProvider{TenantID: w.tenant.ID, Name: "Corporate", Secret: []byte("secret"), CreatedAt: at(1), UpdatedAt: at(1)}
	requireNoError(t, w.Providers.Insert(t.Context(), &p))
	return p.ID
}

// Constraints tests what the tables of the migrations refuse, on every adapter. It adds a row of each table, and
// then rows that differ in one member: without it, with the id of a row that does not exist, or with the same
// value as another row. The adapter must refuse exactly the changes that the table of cases says.
func Constraints(t *testing.T, open Factory) {
	all := cases{}
	for table, newRow := range rowsOfTables {
		all["a row of "+table] = func(t *testing.T, w *fixture) {
			requireNoError(t, newRow(t, w).insert(t.Context()))
			var refused []string
			for _, change := range changesOf(newRow(t, w).row) {
				row, other := newRow(t, w), newRow(t, w)
				if change.same {
					requireNoError(t, other.insert(t.Context()))
				}
				change.apply(reflect.ValueOf(row.row).Elem(), reflect.ValueOf(other.row).Elem())
				if row.insert(t.Context()) != nil {
					refused = append(refused, change.name)
				}
			}
			slices.Sort(refused)
			assertEqual(t, refused, newRow(t, w).refuses)
		}
	}
	run(t, open, all)
}

// change makes a row differ in one member from one that stores accept.
type change struct {
	name  string
	same  bool // another row has been added
	apply func(row, other reflect.Value)
}

// changesOf returns the changes of a row: of each member without its value, of each id of another row with one that
// does not exist, and of each value that identifies a row with that of another row.
func changesOf(row any) (changes []change) {
	v := reflect.ValueOf(row).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		member := v.FieldByIndex(f.Index)
		if !f.IsExported() || member.IsZero() || f.Name == "ID" {
			continue
		}
		at := func(v reflect.Value) reflect.Value { return v.FieldByIndex(f.Index) }
		changes = append(changes, change{"no " + f.Name, false, func(row, _ reflect.Value) { at(row).SetZero() }})
		if strings.HasSuffix(f.Name, "ID") && member.Kind() == reflect.Int64 || f.Name == "InvitedBy" {
			changes = append(changes, change{"unknown " + f.Name, false, func(row, _ reflect.Value) { at(row).SetInt(1 << 40) }})
		}
		if ref, ok := member.Interface().(core.ActorRef); ok && ref.ID != 0 {
			changes = append(changes, change{"unknown " + f.Name, false, func(row, _ reflect.Value) { at(row).FieldByName("ID").SetInt(1 << 40) }})
		}
		if _, ok := member.Interface().(time.Time); !ok && member.Kind() != reflect.Bool {
			changes = append(changes, change{"the same " + f.Name, true, func(row, other reflect.Value) { at(row).Set(at(other)) }})
		}
	}
	return changes
}

// tablesWithoutRows are the tables of the migrations to which no port adds rows one by one, and why.
var tablesWithoutRows = map[string]string{
	"deletions": "a part of the removal of Projects and collections", "locale_fills": "a position of a back-fill",
	"tenant_members": "Grants sets them", "department_members": "Grants sets them", "project_members": "Grants sets them",
	"custom_role_holders": "CustomRoles assigns them", "recovery_codes": "Recovery replaces all of a user",
	"failed_sign_ins": "a count", "spent": "a set of hashes", "token_usage": "a count", "holds": "a set of names with a time of the database",
	"media_blobs": "a count", "idempotency_keys": "a claim with a time of the database", "secret_check": "one value", "installation": "one row",
	"events": "recorded by changes", "event_log": "one time", "mails": "made from notices, with times of the database",
	"delivery_attempts": "recorded by the worker, with its delivery", "approval_requests": "tested by Requests", "request_items": "tested by Requests",
	"approval_actions": "tested by Requests", "approval_waits": "a part of a request", "approval_release_counters": "a count",
	"comments": "tested by Comments", "release_members": "tested by Releases", "release_marks": "tested by Releases", "release_counts": "a count",
	"entry_ids": "one number", "entries": "tested by Entries", "revisions": "tested by Revisions", "translation_origins": "tested by Origins",
	"past_groups": "a part of the removal of entries", "publications": "a part of entries", "publication_media": "a part of entries",
	"former_slugs": "a part of entries", "entry_index": "an index", "entry_values": "an index", "entry_texts": "an index", "entry_words": "an index",
	"entry_claims": "an index", "entry_counters": "an index", "entry_buckets": "an index",
}

// TablesOfConstraints reports the tables that Constraints does not know.
func TablesOfConstraints(t *testing.T, tables []string) {
	t.Helper()
	for _, table := range tables {
		_, tested := rowsOfTables[table]
		why, known := tablesWithoutRows[table]
		if tested == (known && why != "") {
			t.Errorf("add a row of the table %s to rowsOfTables, or say in tablesWithoutRows why no port adds one", table)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rowsOfTables)) {
		if !slices.Contains(tables, name) {
			t.Errorf("the migrations have no table %s", name)
		}
	}
}
