package command

import "os"

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
