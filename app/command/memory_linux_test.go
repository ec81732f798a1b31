package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// TestHeadroomTakesNoMemory makes it where the heap has been in use before, so that the
// runtime has to clear it.
func TestHeadroomTakesNoMemory(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	used := make([]byte, 2*headroomSize)
	for i := range used {
		used[i] = 1
	}
	runtime.KeepAlive(used)
	used = nil //nolint:ineffassign,wastedassign // the collector sees that it is dropped
	debug.FreeOSMemory()
	before := resident(t)
	room := headroom()
	if len(room) != headroomSize {
		t.Fatalf("%d bytes of headroom", len(room))
	}
	if more := resident(t) - before; more > headroomSize/4 {
		t.Errorf("the headroom holds %d bytes", more)
	}
	runtime.KeepAlive(room)
}

// resident returns the bytes of this process that are in memory.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
