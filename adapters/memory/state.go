package memory

import (
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
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
	spent       table[[32]byte, time.Time] // when they expire
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
	marks         table[releaseMark, string]         // content hashes
	releaseCounts table[int64, int64]                // of published releases, by Project
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

	now func() time.Time // the clock of the store

	installation installation.Installation // its zero value: never restored

	// events are ordered by id. Copies of the state share them: a transaction only
	// appends.
	events    []event.Event
	lastEvent int64
	keptSince time.Time // the latest time before which events were deleted
	outgoing  []int64   // ids of events in the outbox, ascending
}

// heldBlob is a name in the ledger of blobs.
type heldBlob struct{ holders, mark int64 }

// personKey is a person at an identity provider.
type personKey struct {
	providerID int64
	subject    string
}

// holding is a custom role of a user.
type holding struct{ roleID, userID int64 }

// pastGroup is a translation group of which an entry was deleted.
type pastGroup struct{ projectID, group int64 }

// freeze makes tables copy their rows before the next change, because other copies of the
// state will share the rows.
func (s *state) freeze() {
	for _, t := range []interface{ freeze() }{
		&s.tenants, &s.departments, &s.customRoles, &s.holdings, &s.projects, &s.users, &s.grants, &s.sessions,
		&s.signIns, &s.spent, &s.previews, &s.byteHolds, &s.totp, &s.recovery, &s.passkeys, &s.tokens, &s.tokenUsage, &s.collections, &s.components,
		&s.entries, &s.origins, &s.pastGroups, &s.media, &s.kept, &s.blobs, &s.renditions,
		&s.workflows, &s.requests, &s.actions, &s.numbers, &s.releases, &s.members, &s.sealed, &s.marks, &s.releaseCounts, &s.comments, &s.delegations, &s.assistants,
		&s.schedules, &s.revisions, &s.publications, &s.former, &s.claims, &s.signingKeys,
		&s.webhooks, &s.deliveries, &s.attempts, &s.notices, &s.reminders, &s.mails, &s.invitations, &s.links, &s.providers, &s.domains, &s.identities,
	} {
		t.freeze()
	}
}

// table contains rows by key. It copies the rows before the first change in a
// transaction. Values are replaced, never changed.
type table[K comparable, V any] struct {
	rows  map[K]V
	owned bool // the current transaction has copied rows
	last  int64
}

// next returns an id that no row has ever had.
func (t *table[K, V]) next() int64 {
	t.last++
	return t.last
}

func (t *table[K, V]) get(key K) (V, bool) {
	value, ok := t.rows[key]
	return value, ok
}

func (t *table[K, V]) has(key K) bool {
	_, ok := t.rows[key]
	return ok
}

func (t *table[K, V]) put(key K, value V) {
	t.own()
	t.rows[key] = value
}

func (t *table[K, V]) remove(key K) {
	t.own()
	delete(t.rows, key)
}

// removeIf removes the rows that match.
func (t *table[K, V]) removeIf(match func(K, V) bool) {
	t.own()
	maps.DeleteFunc(t.rows, match)
}

// any reports whether a row matches.
func (t *table[K, V]) any(match func(V) bool) bool {
	_, ok := t.find(match)
	return ok
}

// find returns a row that matches.
func (t *table[K, V]) find(match func(V) bool) (V, bool) {
	for _, value := range t.rows {
		if match(value) {
			return value, true
		}
	}
	return *new(V), false
}

// all returns the rows that match, in no order.
func (t *table[K, V]) all(match func(V) bool) []V {
	var rows []V
	for _, value := range t.rows {
		if match(value) {
			rows = append(rows, value)
		}
	}
	return rows
}

// sorted returns copies of the rows that match, in the given order.
func (t *table[K, V]) sorted(match func(V) bool, compare func(a, b V) int, copyRow func(V) V) []V {
	rows := t.all(match)
	slices.SortFunc(rows, compare)
	for i, row := range rows {
		rows[i] = copyRow(row)
	}
	return rows
}

// byID returns copies of the rows that match, by id.
func byID[V any](t *table[int64, V], match func(V) bool, copyRow func(V) V) (rows []V) {
	var ids []int64
	for id, row := range t.rows {
		if match(row) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		rows = append(rows, copyRow(t.rows[id]))
	}
	return rows
}

// unshared copies nothing. It is for rows without references, and for callers that only read.
func unshared[V any](row V) V { return row }

func (t *table[K, V]) freeze() { t.owned = false }

func (t *table[K, V]) own() {
	if t.owned {
		return
	}
	if t.rows = maps.Clone(t.rows); t.rows == nil {
		t.rows = map[K]V{}
	}
	t.owned = true
}
