package command

import "github.com/KimMachineGun/automemlimit/memlimit"

// heapShare is how much of the memory of a container the heap may have. The rest is for
// what the collector does not see: the caches of SQLite, stacks, the program itself.
const heapShare = 0.8

// limitMemory has the collector work harder before the heap passes what the container
// allows. GOMEMLIMIT in the environment goes first. Outside of a container nothing is
// limited.
func limitMemory() {
	_, _ = memlimit.Set(memlimit.WithRatio(heapShare)) // fails where no cgroups are
}
