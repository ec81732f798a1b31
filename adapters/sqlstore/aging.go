package sqlstore

import (
	"context"
	"fmt"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/ports"
)

// agingStore implements ports.AgingStore.
type agingStore struct{ sqldb.Conn }

// agedTable has rows of a kind. An index has them in the order of the time, except events.
type agedTable struct{ name, key, time string }

var agedTables = map[ports.Aged]agedTable{
	ports.AgedSessions:    {"sessions", "id", "expires_at"},
	ports.AgedSignIns:     {"failed_sign_ins", "key", "ends_at"},
	ports.AgedLinks:       {"links", "hash", "expires_at"},
	ports.AgedInvitations: {"invitations", "id", "expires_at"},
	ports.AgedSpent:       {"spent", "hash", "expires_at"},
	ports.AgedPreviews:    {"previews", "hash", "expires_at"},
	ports.AgedUsage:       {"token_usage", "project_id, token_id, day", "day"},
	ports.AgedKeys:        {"idempotency_keys", "caller, key", "claimed_at"},
	ports.AgedEvents:      {"events", "id", "at"},
	ports.AgedDeliveries:  {"deliveries", "project_id, id", "ended_at"},
	ports.AgedMails:       {"mails", "id", "ended_at"},
	ports.AgedNotices:     {"notices", "id", "at"},
}

func (s agingStore) Delete(ctx context.Context, kind ports.Aged, t time.Time, limit int) (deleted int, err error) {
	table := agedTables[kind]
	if kind != ports.AgedEvents {
		return deleteOld(ctx, s.Conn, table, table.time, t, limit)
	}
	err = s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		// No index has their time, and their ids are almost in its order.
		if deleted, err = deleteOld(ctx, c, table, table.key, t, limit); err != nil || deleted == 0 {
			return err
		}
		_, err = c.Do(ctx, table.name, "UPDATE event_log SET kept_since = @time WHERE kept_since < @time", sqldb.Instant(t))
		return err
	})
	return deleted, err
}

// deleteOld deletes those of the first rows in an order that are from before t.
func deleteOld(ctx context.Context, c sqldb.Conn, table agedTable, order string, t time.Time, limit int) (int, error) {
	n, err := c.Do(ctx, table.name, fmt.Sprintf("DELETE FROM %[1]s WHERE (%[2]s) IN (SELECT %[2]s FROM"+
		" (SELECT %[2]s, %[3]s AS past FROM %[1]s WHERE %[3]s IS NOT NULL ORDER BY %[4]s LIMIT ?) AS oldest WHERE past < ?)",
		table.name, table.key, table.time, order), limit, sqldb.Instant(t))
	return int(n), err
}
