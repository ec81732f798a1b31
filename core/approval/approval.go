package approval

import "imprimatur/ports"

// Deps are the dependencies of the use cases in this package.
type Deps struct {
	Stores    ports.Stores
	Tx        ports.Tx
	Publisher ports.Publisher
	Clock     ports.Clock
	// Wake, when not nil, is called after a publication was scheduled, so that the worker of
	// this process does not wait for its next poll.
	Wake func()
}

func (d Deps) wake() {
	if d.Wake != nil {
		d.Wake()
	}
}
