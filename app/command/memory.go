package command

import "github.com/KimMachineGun/automemlimit/memlimit"

// heapShare is the share of a container's memory for the Go heap. The rest is for memory
// outside of the heap: the caches of SQLite, stacks and the program itself.
const heapShare = 0.8

// limitMemory sets the soft memory limit of the Go runtime from the memory limit of the
// container, if any. GOMEMLIMIT in the environment has precedence.
func limitMemory() {
	_, _ = memlimit.Set(memlimit.WithRatio(heapShare)) // fails without cgroups
}
