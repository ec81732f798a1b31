package installation

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Installation is the state of the whole installation.
type Installation struct {
	// Epoch is the name of its history: FirstEpoch until the database is restored, and another one after
	// each restore. What happened after the backup belongs to no epoch of the restored database.
	Epoch string
	// PausedAt is the time of the restore until an operator ends the pause: nothing is published or
	// unpublished by time, and no webhook, e-mail or notice is sent. Otherwise it is zero.
	PausedAt time.Time
}

// Paused reports whether the installation is paused since a restore.
func (i *Installation) Paused() bool { return !i.PausedAt.IsZero() }

// FirstEpoch is the epoch of an installation that was never restored.
const FirstEpoch = "1"

// NextEpoch returns a name for the epoch after another: its number and random characters, because a
// backup can be restored twice.
func NextEpoch(epoch string) string {
	digits, _, _ := strings.Cut(epoch, "-")
	number, _ := strconv.Atoi(digits) // every epoch begins with its number
	return fmt.Sprintf("%d-%s", number+1, strings.ToLower(rand.Text()[:8]))
}

// Resumption is how an installation goes on after a restore.
type Resumption struct {
	// KeepTokens switches the tokens on that the restore switched off. Otherwise they are revoked.
	KeepTokens bool
	// Park parks the deliveries and e-mails that waited at the time of the backup. Otherwise they are sent.
	Park bool
	// ReleaseNumbersFrom, unless 0, is the smallest release number of this year that Tenants give next:
	// those before it may have been given after the backup.
	ReleaseNumbersFrom int64
}
