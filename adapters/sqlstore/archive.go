package sqlstore

import (
	"maps"
	"slices"
	"strings"

	"imprimatur/adapters/sqlstore/sqldb"
)

// archived is a table of archives.
type archived struct {
	sqldb.Table
	key string // the columns by which its rows are ordered
	ids idKind
	// seeded is set if a migration adds its only row.
	seeded bool
	// before has the columns that came after the first migration, with the value that they have in rows of archives from
	// before. A column without one is null there.
	before map[string]any
}

// idKind is how a table gives ids.
type idKind int

const (
	noIDs      idKind = iota // its rows have no ids of their own
	plainIDs                 // they continue after the last one
	distantIDs               // after a restore they leave room for those that were given after the backup
	timedIDs                 // after a restore they continue at the milliseconds since 1970
)

// distance is the room that distantIDs leave.
const distance = 1_000_000

// archivedTables are the tables of archives with all their columns and the types of these in Postgres, in
// an order in which rows refer only to rows before them. Those that change often stand beside the rows of their tables.
// [leftOut] has the others.
var archivedTables = []archived{
	{Table: tenants.Table, key: "id", ids: plainIDs},
	{Table: departments.Table, key: "id", ids: plainIDs},
	archivedProjects,
	{Table: users.Table, key: "id", ids: distantIDs},
	newArchived("tenant_members", "scope_id, user_id", noIDs, "scope_id bigint", "user_id bigint", "role text"),
	newArchived("department_members", "scope_id, user_id", noIDs, "scope_id bigint", "user_id bigint", "role text"),
	newArchived("project_members", "scope_id, user_id", noIDs, "scope_id bigint", "user_id bigint", "role text"),
	{Table: customRoles.Table, key: "id", ids: plainIDs},
	newArchived("custom_role_holders", "role_id, user_id", noIDs, "role_id bigint", "user_id bigint"),
	{Table: totps.Table, key: "user_id"},
	{Table: recoveryCodes, key: "user_id, hash"},
	{Table: passkeys.Table, key: "id", ids: plainIDs},
	{Table: invitations.Table, key: "id", ids: plainIDs},
	{Table: identityProviders.Table, key: "id", ids: plainIDs},
	{Table: domainClaims.Table, key: "domain"},
	{Table: userIdentities.Table, key: "provider_id, subject"},
	{Table: tokens.Table, key: "id", ids: plainIDs},
	newArchived("token_usage", "project_id, token_id, day", noIDs, "project_id bigint", "token_id bigint", "day bigint", "reads bigint",
		"writes bigint"),
	archivedCollections,
	{Table: components.Table, key: "project_id, id", ids: plainIDs},
	{Table: mediaItems.Table, key: "project_id, id", ids: distantIDs},
	newArchived("entries", "project_id, id", distantIDs, "project_id bigint", "id bigint", "collection_id bigint", "group_id bigint",
		"version bigint", "created_at bigint", "updated_at bigint",
		"created_by bigint", "updated_by bigint", "published_at bigint", "released_at bigint", "trashed_at bigint", "locale text",
		"published text", "published_media text",
		"published_hash text", "revision text", "draft text"),
	newArchived("revisions", "project_id, entry_id, number", noIDs, "project_id bigint", "entry_id bigint", "number bigint",
		"collection_id bigint", "kept boolean", "record text"),
	{Table: origins.Table, key: "project_id, reference"},
	newArchived("deletions", "project_id, collection_id", noIDs, "project_id bigint", "collection_id bigint", "slug text", "began_at bigint"),
	newArchived("past_groups", "project_id, group_id", noIDs, "project_id bigint", "group_id bigint", "collection text"),
	newArchived("approval_requests", "project_id, id", distantIDs, "project_id bigint", "id bigint", "tenant_id bigint",
		"release_year integer", "release_count bigint", "status text", "version bigint",
		"steps text", "allow_self_approval boolean", "current_step integer", "scheduled_at bigint", "unpublish_at bigint",
		"submitter_kind text", "submitter_id bigint",
		"submitter_name text", "submitter_maker bigint", "submitted_at bigint", "published_at bigint", "approvals text", "chain_hash text",
		"record_format integer",
		"contributors text", "step_tier smallint", "step_role bigint", "step_more text", "open_since bigint", "due_at bigint", "escalate_at bigint", "late_at bigint",
		"lent_tier smallint", "lent_roles text", "barred text", "step_roles text", "release_id bigint", "release_name text",
		"release_hash text"),
	newArchived("request_items", "project_id, request_id, entry_id", noIDs, "project_id bigint", "request_id bigint", "entry_id bigint",
		"collection_id bigint", "collection text", "locale text", "action text",
		"status text", "content_hash text", "base_number bigint", "base_hash text", "title text", "title_field integer", "snapshot text",
		"withheld text", "changed text"),
	{Table: requestActions.Table, key: "project_id, request_id, id", ids: plainIDs},
	{Table: delegations.Table, key: "id", ids: plainIDs},
	{Table: assistants.Table, key: "id", ids: plainIDs},
	{Table: comments.Table, key: "project_id, id", ids: distantIDs},
	newArchived("approval_waits", "project_id, request_id, step_id", noIDs, "project_id bigint", "request_id bigint",
		"step_id integer", "step_order integer", "label text", "since bigint", "passed_at bigint", "remind_at bigint",
		"escalate_at bigint", "escalate_tier smallint", "escalate_role bigint", "escalate_lent boolean", "escalate_told boolean"),
	{Table: releases.Table, key: "project_id, id", ids: distantIDs},
	newArchived("release_members", "project_id, release_id, entry_id", noIDs, "project_id bigint", "release_id bigint", "entry_id bigint",
		"collection_id bigint", "collection text", "locale text", "action text", "from_number bigint", "content_hash text",
		"base_number bigint", "base_hash text", "title text", "title_field integer", "changed text", "snapshot text", "withheld text"),
	newArchived("release_marks", "project_id, release_id, user_id, entry_id", noIDs, "project_id bigint", "release_id bigint",
		"user_id bigint", "entry_id bigint", "content_hash text"),
	newArchived("release_counts", "project_id", noIDs, "project_id bigint", "published bigint"),
	newArchived("approval_release_counters", "tenant_id, year", noIDs, "tenant_id bigint", "year integer", "released bigint"),
	{Table: schedules.Table, key: "project_id, entry_id, release_id, action"},
	newArchived("publications", "project_id, entry_id, number", noIDs, "project_id bigint", "entry_id bigint", "number bigint",
		"collection_id bigint", "group_id bigint", "content_hash text",
		"published_at bigint", "unpublished_at bigint", "since bigint", "created_at bigint", "by_kind text", "by_id bigint", "by_name text",
		"by_maker bigint", "request_id bigint", "content bytea", "ended_on_time boolean", "ended_release bigint", "ended_request bigint"),
	newArchived("publication_media", "project_id, entry_id, number, media_id", noIDs, "project_id bigint", "entry_id bigint",
		"number bigint", "media_id bigint"),
	newArchived("former_slugs", "project_id, entry_id, slug", noIDs, "project_id bigint", "entry_id bigint", "slug text", "collection_id bigint",
		"locale text", "field_id bigint", "ended_at bigint"),
	{Table: signingKeys.Table, key: "id", ids: plainIDs},
	seededTable("secret_check", "value bytea"),
	{Table: events.Table, key: "id", ids: timedIDs},
	seededTable("event_log", "kept_since bigint"),
	{Table: webhooks.Table, key: "id", ids: plainIDs},
	{Table: deliveries.Table, key: "project_id, id", ids: timedIDs},
	{Table: deliveryAttempts.Table, key: "project_id, delivery_id, number"},
	{Table: notices.Table, key: "id", ids: plainIDs},
	{Table: mails.Table, key: "id", ids: plainIDs},
}

// leftOut are the tables that archives do not have, and why. A restore empties them before it begins.
var leftOut = map[string]string{
	"entry_index":    "derived from entries",
	"entry_values":   "derived from entries",
	"entry_texts":    "derived from entries",
	"entry_words":    "derived from entries",
	"entry_claims":   "derived from entries",
	"entry_counters": "derived from entries",
	"entry_buckets":  "derived from entries",
	"media_blobs":    "derived from media",

	"media_renditions": "made again on demand",
	"sessions":         "end with a restore",
	"links":            "end with a restore",
	"spent":            "of challenges that end with a restore",
	"previews":         "of sessions, which end with a restore",
	"failed_sign_ins":  "count minutes",
	"idempotency_keys": "have responses of the time after the backup",
	"holds":            "of running backups",
	"locale_fills":     "positions of back-fills, which begin again",
}

// leftOutColumns are columns of archived tables that archives do not have.
var leftOutColumns = map[string]string{
	"events.xact": "restored events belong to the transaction that restores them",
}

func newArchived(name, key string, ids idKind, columns ...string) archived {
	return archived{Table: sqldb.NewTable(name, columns...), key: key, ids: ids}
}

// added returns t with the value of a column in rows of archives from before its migration.
func (t archived) added(column string, value any) archived {
	before := map[string]any{column: value}
	maps.Copy(before, t.before)
	t.before = before
	return t
}

func seededTable(name, column string) archived {
	t := newArchived(name, strings.Fields(column)[0], noIDs, column)
	t.seeded = true
	return t
}

// ArchiveTables returns the names of archivedTables.
func ArchiveTables() []string {
	return sqldb.Mapped(archivedTables, func(t archived) string { return t.Name })
}

// ArchiveTables implements ports.ArchiveTables.
func (db *DB) ArchiveTables() []string { return ArchiveTables() }

// archivedTable returns the table with a name.
func archivedTable(name string) archived {
	return archivedTables[slices.IndexFunc(archivedTables, func(t archived) bool { return t.Name == name })]
}

// idsOf returns the name of what gives the ids of a table.
func (t archived) idsOf() string {
	if t.Name == "entries" {
		return "entry_ids"
	}
	return t.Name
}
