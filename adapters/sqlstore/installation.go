package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/identity"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/installation"
	"imprimatur/core/notice"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// installationStore implements ports.InstallationReader.
type installationStore struct{ sqldb.Conn }

func (s installationStore) Installation(ctx context.Context) (installation.Installation, error) {
	return sqldb.Single(ctx, s.Conn, "installation", sqldb.Into(func(i *installation.Installation) []any { return []any{&i.Epoch, (*sqldb.Instant)(&i.PausedAt)} }),
		"SELECT epoch, paused_at FROM installation")
}

var _ ports.EpochStore = (*DB)(nil)

// BeginEpoch implements ports.EpochStore.
func (db *DB) BeginEpoch(ctx context.Context) error {
	return db.Alone(ctx, beginNextEpoch)
}

// beginNextEpoch is BeginEpoch in a transaction.
func beginNextEpoch(ctx context.Context, c sqldb.Conn) error {
	last, err := archivedTables.LastIDs(ctx, c)
	if err != nil {
		return err
	}
	return beginEpoch(ctx, c, last)
}

// beginEpoch is BeginEpoch for a database that gave the ids last.
func beginEpoch(ctx context.Context, c sqldb.Conn, last map[string]int64) error {
	if err := c.LockBy(ctx, "LOCK TABLE installation IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return err
	}
	before, err := installationStore{c}.Installation(ctx)
	if err != nil {
		return err
	}
	if err := archivedTables.ContinueIDs(ctx, c, last); err != nil {
		return err
	}
	if err := separateDeliveries(ctx, c); err != nil {
		return err
	}
	now := c.DB.Dialect.Now()
	for _, text := range append(c.DB.Dialect.PastTransactions(),
		"DELETE FROM sessions",
		"DELETE FROM links",
		"UPDATE users SET generation = generation + 1", // ends the tickets of sign-ins
		"UPDATE invitations SET revoked_at = "+now+" WHERE accepted_at IS NULL AND revoked_at IS NULL",
		"UPDATE mails SET status = 'dropped', letter = NULL, ended_at = "+now+" WHERE notice_id IS NULL AND ended_at IS NULL", // their links are dead
		"UPDATE assistants SET revoked_at = "+now+" WHERE revoked_at IS NULL",
		"UPDATE tokens SET off = true WHERE revoked_at IS NULL AND (allow_drafts OR allow_history OR allow_schema <> '' OR abilities NOT IN ('[\"read\"]', '[]'))",
	) {
		if _, err := c.Exec(ctx, text); err != nil {
			return err
		}
	}
	if _, err := c.Exec(ctx, "UPDATE installation SET epoch = ?, place = NULL, paused_at = "+now, installation.NextEpoch(before.Epoch)); err != nil {
		return err
	}
	c.Record(event.Event{Type: event.InstallationRestored})
	return nil
}

// separateDeliveries gives the deliveries that gather events other messages: before the restore they may
// have gathered other events and been sent.
func separateDeliveries(ctx context.Context, c sqldb.Conn) error {
	gathering, err := sqldb.Collect(ctx, c, sqldb.ScanValue[int64], "SELECT id FROM deliveries WHERE ended_at IS NULL AND status = '"+string(webhook.DeliveryGathering)+"'")
	if err != nil {
		return err
	}
	for _, id := range gathering {
		if _, err := c.Exec(ctx, "UPDATE deliveries SET message = ? WHERE id = ?", webhook.NewDeliveryMessage(), id); err != nil {
			return err
		}
	}
	return nil
}

// Resume implements ports.EpochStore.
func (db *DB) Resume(ctx context.Context, r installation.Resumption) error {
	return db.Alone(ctx, func(ctx context.Context, c sqldb.Conn) error {
		n, err := c.Exec(ctx, "UPDATE installation SET paused_at = NULL WHERE paused_at IS NOT NULL")
		if err != nil || n == 0 {
			return err
		}
		c.Record(event.Event{Type: event.InstallationResumed})
		if err := resumeTokens(ctx, c, r.KeepTokens); err != nil {
			return err
		}
		if r.Park {
			if err := park(ctx, c); err != nil {
				return err
			}
		}
		if r.ReleaseNumbersFrom > 0 {
			return releaseFrom(ctx, c, r.ReleaseNumbersFrom)
		}
		return nil
	})
}

// resumeTokens switches the tokens on that are off, or revokes them.
func resumeTokens(ctx context.Context, c sqldb.Conn, keep bool) error {
	tokens, err := offTokens(ctx, c)
	if err != nil {
		return err
	}
	now, err := databaseClock{c}.Now(ctx)
	if err != nil {
		return err
	}
	stores := storesOf(c)
	for _, t := range tokens {
		if t.Off = false; !keep {
			t.RevokedAt = now
		}
		if err := stores.Tokens.Update(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// park parks the deliveries and e-mails that wait, and forgets the outgoing events of before the restore.
func park(ctx context.Context, c sqldb.Conn) error {
	now := c.DB.Dialect.Now()
	for _, text := range []string{
		"UPDATE deliveries SET status = '" + string(webhook.DeliveryParked) + "', ended_at = " + now + " WHERE ended_at IS NULL",
		"UPDATE mails SET status = '" + string(notice.MailParked) + "', ended_at = " + now + ", letter = NULL WHERE ended_at IS NULL",
		"UPDATE events SET outgoing = false WHERE outgoing AND id < (SELECT max(id) FROM events WHERE type = '" + string(event.InstallationRestored) + "')",
	} {
		if _, err := c.Exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// releaseFrom lets release numbers of this year continue at a number.
func releaseFrom(ctx context.Context, c sqldb.Conn, number int64) error {
	now, err := databaseClock{c}.Now(ctx)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, "INSERT INTO approval_release_counters (tenant_id, year, released) SELECT id, ?, ? FROM tenants WHERE true"+
		" ON CONFLICT (tenant_id, year) DO UPDATE SET released = excluded.released WHERE approval_release_counters.released < excluded.released",
		int64(now.UTC().Year()), number-1)
	return err
}

// OffTokens implements ports.EpochStore.
func (db *DB) OffTokens(ctx context.Context) ([]core.Token, error) {
	return offTokens(ctx, db.Outside())
}

func offTokens(ctx context.Context, c sqldb.Conn) ([]core.Token, error) {
	return identity.Tokens.All(ctx, c, " WHERE off AND revoked_at IS NULL ORDER BY id")
}
