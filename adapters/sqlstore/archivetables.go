package sqlstore

import (
	"maps"
	"slices"

	"imprimatur/adapters/sqlstore/archive"
	"imprimatur/adapters/sqlstore/identity"
	"imprimatur/adapters/sqlstore/sqldb"
)

// archivedTables are the tables of archives with all their columns and the types of these in Postgres, in
// an order in which rows refer only to rows before them. Those that change often stand beside the rows of their tables.
// [leftOut] has the others.
var archivedTables = archive.Tables{
	{Table: identity.Tenants.Table, Key: "id", IDs: archive.PlainIDs},
	{Table: identity.Departments.Table, Key: "id", IDs: archive.PlainIDs},
	archivedProjects,
	{Table: identity.Users.Table, Key: "id", IDs: archive.DistantIDs},
	archive.NewTable("tenant_members", "scope_id, user_id", archive.NoIDs, "scope_id bigint", "user_id bigint", "role text"),
	archive.NewTable("department_members", "scope_id, user_id", archive.NoIDs, "scope_id bigint", "user_id bigint", "role text"),
	archive.NewTable("project_members", "scope_id, user_id", archive.NoIDs, "scope_id bigint", "user_id bigint", "role text"),
	{Table: identity.CustomRoles.Table, Key: "id", IDs: archive.PlainIDs},
	archive.NewTable("custom_role_holders", "role_id, user_id", archive.NoIDs, "role_id bigint", "user_id bigint"),
	{Table: identity.TOTPs.Table, Key: "user_id"},
	{Table: identity.RecoveryCodes, Key: "user_id, hash"},
	{Table: identity.Passkeys.Table, Key: "id", IDs: archive.PlainIDs},
	{Table: identity.Invitations.Table, Key: "id", IDs: archive.PlainIDs},
	{Table: identity.IdentityProviders.Table, Key: "id", IDs: archive.PlainIDs},
	{Table: identity.DomainClaims.Table, Key: "domain"},
	{Table: identity.UserIdentities.Table, Key: "provider_id, subject"},
	{Table: identity.Tokens.Table, Key: "id", IDs: archive.PlainIDs},
	archive.NewTable("token_usage", "project_id, token_id, day", archive.NoIDs, "project_id bigint", "token_id bigint", "day bigint", "reads bigint",
		"writes bigint"),
	archivedCollections,
	{Table: components.Table, Key: "project_id, id", IDs: archive.PlainIDs},
	{Table: mediaItems.Table, Key: "project_id, id", IDs: archive.DistantIDs},
	archive.NewTable("entries", "project_id, id", archive.DistantIDs, "project_id bigint", "id bigint", "collection_id bigint", "group_id bigint",
		"version bigint", "created_at bigint", "updated_at bigint",
		"created_by bigint", "updated_by bigint", "published_at bigint", "released_at bigint", "trashed_at bigint", "locale text",
		"published text", "published_media text",
		"published_hash text", "revision text", "draft text"),
	archive.NewTable("revisions", "project_id, entry_id, number", archive.NoIDs, "project_id bigint", "entry_id bigint", "number bigint",
		"collection_id bigint", "kept boolean", "record text"),
	{Table: origins.Table, Key: "project_id, reference"},
	archive.NewTable("deletions", "project_id, collection_id", archive.NoIDs, "project_id bigint", "collection_id bigint", "slug text", "began_at bigint"),
	archive.NewTable("past_groups", "project_id, group_id", archive.NoIDs, "project_id bigint", "group_id bigint", "collection text"),
	archive.NewTable("approval_requests", "project_id, id", archive.DistantIDs, "project_id bigint", "id bigint", "tenant_id bigint",
		"release_year integer", "release_count bigint", "status text", "version bigint",
		"steps text", "allow_self_approval boolean", "current_step integer", "scheduled_at bigint", "unpublish_at bigint",
		"submitter_kind text", "submitter_id bigint",
		"submitter_name text", "submitter_maker bigint", "submitted_at bigint", "published_at bigint", "approvals text", "chain_hash text",
		"record_format integer",
		"contributors text", "step_tier smallint", "step_role bigint", "step_more text", "open_since bigint", "due_at bigint", "escalate_at bigint", "late_at bigint",
		"lent_tier smallint", "lent_roles text", "barred text", "step_roles text", "release_id bigint", "release_name text",
		"release_hash text"),
	archive.NewTable("request_items", "project_id, request_id, entry_id", archive.NoIDs, "project_id bigint", "request_id bigint", "entry_id bigint",
		"collection_id bigint", "collection text", "locale text", "action text",
		"status text", "content_hash text", "base_number bigint", "base_hash text", "title text", "title_field integer", "snapshot text",
		"withheld text", "changed text"),
	{Table: requestActions.Table, Key: "project_id, request_id, id", IDs: archive.PlainIDs},
	{Table: delegations.Table, Key: "id", IDs: archive.PlainIDs},
	{Table: assistants.Table, Key: "id", IDs: archive.PlainIDs},
	{Table: comments.Table, Key: "project_id, id", IDs: archive.DistantIDs},
	archive.NewTable("approval_waits", "project_id, request_id, step_id", archive.NoIDs, "project_id bigint", "request_id bigint",
		"step_id integer", "step_order integer", "label text", "since bigint", "passed_at bigint", "remind_at bigint",
		"escalate_at bigint", "escalate_tier smallint", "escalate_role bigint", "escalate_lent boolean", "escalate_told boolean"),
	{Table: releases.Table, Key: "project_id, id", IDs: archive.DistantIDs},
	archive.NewTable("release_members", "project_id, release_id, entry_id", archive.NoIDs, "project_id bigint", "release_id bigint", "entry_id bigint",
		"collection_id bigint", "collection text", "locale text", "action text", "from_number bigint", "content_hash text",
		"base_number bigint", "base_hash text", "title text", "title_field integer", "changed text", "snapshot text", "withheld text"),
	archive.NewTable("release_marks", "project_id, release_id, user_id, entry_id", archive.NoIDs, "project_id bigint", "release_id bigint",
		"user_id bigint", "entry_id bigint", "content_hash text"),
	archive.NewTable("release_counts", "project_id", archive.NoIDs, "project_id bigint", "published bigint"),
	archive.NewTable("approval_release_counters", "tenant_id, year", archive.NoIDs, "tenant_id bigint", "year integer", "released bigint"),
	{Table: schedules.Table, Key: "project_id, entry_id, release_id, action"},
	archive.NewTable("publications", "project_id, entry_id, number", archive.NoIDs, "project_id bigint", "entry_id bigint", "number bigint",
		"collection_id bigint", "group_id bigint", "content_hash text",
		"published_at bigint", "unpublished_at bigint", "since bigint", "created_at bigint", "by_kind text", "by_id bigint", "by_name text",
		"by_maker bigint", "request_id bigint", "content bytea", "ended_on_time boolean", "ended_release bigint", "ended_request bigint"),
	archive.NewTable("publication_media", "project_id, entry_id, number, media_id", archive.NoIDs, "project_id bigint", "entry_id bigint",
		"number bigint", "media_id bigint"),
	archive.NewTable("former_slugs", "project_id, entry_id, slug", archive.NoIDs, "project_id bigint", "entry_id bigint", "slug text", "collection_id bigint",
		"locale text", "field_id bigint", "ended_at bigint"),
	{Table: signingKeys.Table, Key: "id", IDs: archive.PlainIDs},
	archive.NewSeededTable("secret_check", "value bytea"),
	{Table: events.Table, Key: "id", IDs: archive.TimedIDs},
	archive.NewSeededTable("event_log", "kept_since bigint"),
	{Table: webhooks.Table, Key: "id", IDs: archive.PlainIDs},
	{Table: deliveries.Table, Key: "project_id, id", IDs: archive.TimedIDs},
	{Table: deliveryAttempts.Table, Key: "project_id, delivery_id, number"},
	{Table: notices.Table, Key: "id", IDs: archive.PlainIDs},
	{Table: mails.Table, Key: "id", IDs: archive.PlainIDs},
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

// ArchiveTables returns the names of archivedTables.
func ArchiveTables() []string { return archivedTables.Names() }

// newArchiveOf returns what reads and writes the tables of archives in db.
func newArchiveOf(db *sqldb.DB) *archive.Archive {
	return archive.New(db, archive.Parts{
		Tables: archivedTables, LeftOut: slices.Sorted(maps.Keys(leftOut)), HeldNames: heldNames(""),
		Begin: beginEpoch,
	})
}
