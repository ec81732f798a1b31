package command

import (
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// heapShare is how much of the memory of a container the heap may have. The rest is for
// what the collector does not see: the caches of SQLite, stacks, the program itself.
const heapShare = 0.8

// limitMemory has the collector work harder before the heap passes what the container
// allows. GOMEMLIMIT in the environment goes first. Outside of a container nothing is
// limited.
func limitMemory() {
	_, _ = memlimit.Set(memlimit.WithRatio(heapShare)) // fails where no cgroups are
}

const headroomSize = 32 << 20

// headroom returns memory that is never touched, and so costs none. The collector
// runs when the heap has doubled: what the program itself keeps, a few megabytes,
// doubles dozens of times a second under load, and this with it does not. A large
// heap is collected as often as ever, unlike with a larger GOGC, and none too often,
// unlike with a limit. Where the operator has set the collector up, there is none.
func headroom() []byte {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	room := make([]byte, headroomSize)
	forget(room) // the runtime writes zeros where something was before
	return room
}
