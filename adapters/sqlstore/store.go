package sqlstore

import (
	"context"
	"slices"

	"imprimatur/adapters/sqlstore/archive"
	"imprimatur/adapters/sqlstore/identity"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/ports"
)

// DB is a database with all the stores in it. It implements ports.Tx.
type DB struct {
	*sqldb.DB
	*archive.Archive
}

var _ ports.Tx = (*DB)(nil)

// New returns the database behind pools. DB.Close closes the pools.
func New(dialect sqldb.Dialect, pools sqldb.Pools) *DB {
	db := sqldb.New(dialect, pools, last)
	return &DB{db, newArchiveOf(db)}
}

// Stores returns the stores outside any transaction.
func (db *DB) Stores() ports.Stores { return storesOf(db.Outside()) }

// Do implements ports.Tx.
func (db *DB) Do(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return db.Transact(ctx, actor, false, func(ctx context.Context, c sqldb.Conn) error { return do(ctx, storesOf(c)) })
}

// DoAlone implements ports.Tx.
func (db *DB) DoAlone(ctx context.Context, actor core.Actor, do func(context.Context, ports.Stores) error) error {
	return db.Transact(ctx, actor, true, func(ctx context.Context, c sqldb.Conn) error { return do(ctx, storesOf(c)) })
}

// last returns the statements that end a transaction: they write what it has recorded.
func last(ctx context.Context, c sqldb.Conn, actor core.Actor) ([]sqldb.Statement, error) {
	if actor.Claim != nil {
		if err := (idempotencyStore{c}).TakeEffect(ctx, *actor.Claim); err != nil {
			return nil, err
		}
	}
	return slices.Concat(pendingRevisions(c), pendingReleases(c), pendingEvents(ctx, c, actor)), nil
}

func storesOf(c sqldb.Conn) ports.Stores {
	stores := ports.Stores{
		Projects:    projectStore{c},
		Grants:      grantStore{c},
		Collections: collectionStore{c},
		Components:  componentStore{c},
		Entries:     entryStore{Conn: c},
		Revisions:   revisionStore{c},
		Origins:     originStore{c},
		Media:       mediaStore{c},
		Blobs:       blobLedger{c},
		Renditions:  renditionStore{c},
		Holds:       holdStore{c},

		Installation: installationStore{c},

		LocaleFills: localeFillStore{c},
		Deletions:   deletionStore{c},

		IndexChecks: indexChecker{entryStore{Conn: c}},
		BlobChecks:  blobChecker{blobLedger{c}},

		Workflows:    workflowStore{c},
		Requests:     requestStore{c},
		Releases:     releaseStore{c},
		Comments:     commentStore{c},
		Delegations:  delegationStore{c},
		Assistants:   assistantStore{c},
		Schedules:    scheduleStore{c},
		Publications: publicationStore{c},
		Idempotency:  idempotencyStore{c},
		SigningKeys:  signingKeyStore{c},
		Events:       eventStore{c},
		Log:          eventStore{c},
		Outbox:       deliveryStore{c},
		Webhooks:     webhookStore{c},
		Deliveries:   deliveryStore{c},
		DeliveryLog:  deliveryStore{c},
		Notices:      noticeStore{c},
		Reminders:    requestStore{c},
		Mails:        mailStore{c},
		Aging:        agingStore{c},
		Overviews:    overviewStore{c},
		Clock:        databaseClock{c},
	}
	identity.SetStores(&stores, c)
	return stores
}
