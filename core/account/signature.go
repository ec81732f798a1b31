package account

import "time"

// Limits of signatures.
const (
	ChallengeLifetime = 5 * time.Minute
)
