package command

import (
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// heapShare is the share of the memory for the Go heap. The rest is for memory outside of the
	// heap: the caches of SQLite, stacks and the program itself.
	heapShare = 0.8
	// lazyGC is the GOGC of the process. Memory is cheaper than processors: a read took 11 to 22 % less
	// processor time at 400 than at 100 when pages and rows were pooled, and the process at rest has
	// less than 64 MB. To measure it again: go run ./test/bench read and start, with GOGC=100 and 400.
	lazyGC = 400
	// thriftyGC is the GOGC of collectOften.
	thriftyGC = 50
)

// ConfigureCollector sets GOGC to lazyGC, and the soft memory limit of the Go runtime to heapShare
// of the memory of the container or else of the machine. GOGC and GOMEMLIMIT in the environment
// have precedence.
func ConfigureCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(lazyGC)
	}
	memory := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)
	_, _ = memlimit.Set(memlimit.WithRatio(heapShare), memlimit.WithProvider(memory)) // fails where neither is known
}

// collectOften sets the GOGC of a process whose memory must stay small whatever it reads: that of a backup, a restore or
// an import of a whole site, which are to stay below 256 MB. GOGC in the environment has precedence.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(thriftyGC)
	}
}
