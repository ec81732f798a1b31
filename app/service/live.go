package service

import (
	"imprimatur/app/config"
	"imprimatur/core/live"
	"imprimatur/core/reading"
	"imprimatur/ports"
)

// minLive is the number of connections that may listen to changes however few files the process may have open.
const minLive = 16

// newHub returns the Hub of the process. Its connections have no slots of the listener, so that files bound them.
func newHub(cfg config.Config, changes *reading.Changes, schemas ports.Schemas, feed ports.Changes) *live.Hub {
	return live.New(changes, schemas, feed, liveLimit(cfg.LiveLimit, openFiles()))
}

// liveLimit returns the limit of a process that may have that many files open.
func liveLimit(wanted int, files uint64) int {
	taken := uint64(2*connectionLimit(files) + otherFiles) //nolint:gosec // it is small
	if files < taken+uint64(wanted) {                      //nolint:gosec // it is not negative
		return min(wanted, max(minLive, int(files-min(files, taken)))) //nolint:gosec // it is less than wanted
	}
	return wanted
}
