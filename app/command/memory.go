package command

import "os"

// headroom is memory that is never touched, and so costs none. The collector runs
// when the heap has doubled: what the program itself keeps, a few megabytes, doubles
// dozens of times a second under load, and this with it does not. A large heap is
// collected as often as ever, unlike with a larger GOGC, and none too often, unlike
// with a limit.
var headroom []byte

const headroomSize = 32 << 20

// makeHeadroom leaves the collector to the operator who has set it up.
func makeHeadroom() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		headroom = make([]byte, headroomSize)
	}
}
