package service

import (
	"context"
	"errors"
	"time"

	"imprimatur/adapters/rest"
	"imprimatur/core"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

const (
	day = 24 * time.Hour
	// agingBatch is the number of old rows that one statement deletes.
	agingBatch = 500
)

// kept says for how long rows are kept after their time. Events have a setting.
var kept = map[ports.Aged]time.Duration{
	ports.AgedSessions:    0,
	ports.AgedSignIns:     0,
	ports.AgedLinks:       0,
	ports.AgedSpent:       0,
	ports.AgedPreviews:    0,
	ports.AgedInvitations: 90 * day,
	ports.AgedUsage:       core.UsageDays * day,
	ports.AgedKeys:        rest.IdempotencyLifetime,
	ports.AgedDeliveries:  30 * day,
	ports.AgedMails:       30 * day,
	ports.AgedNotices:     notice.Retention,
}

// deleteOld deletes old rows by the clock of the database. eventRetention is 0 if all events are kept.
func deleteOld(ctx context.Context, stores ports.Stores, eventRetention time.Duration) error {
	now, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	age := func(kind ports.Aged, lifetime time.Duration) error {
		return drain(ctx, func(ctx context.Context) (bool, error) {
			deleted, err := stores.Aging.Delete(ctx, kind, now.Add(-lifetime), agingBatch)
			return deleted == agingBatch, err
		})
	}
	var faults []error
	for kind, lifetime := range kept {
		faults = append(faults, age(kind, lifetime))
	}
	if eventRetention > 0 {
		faults = append(faults, age(ports.AgedEvents, eventRetention))
	}
	return errors.Join(faults...)
}
