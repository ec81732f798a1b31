// Package approval puts reviews before the public: who must agree, what they agreed
// to, and when it is published. Nothing goes public on a governed Project but the
// snapshot of a request that every step approved, and everything done is on record.
package approval

import "imprimatur/ports"

// Deps are the parts that the use cases of this package are made of.
type Deps struct {
	Stores    ports.Stores
	Tx        ports.Tx
	Publisher ports.Publisher
	Clock     ports.Clock
	// Wake, when not nil, is called after something was scheduled: what publishes on
	// this process need not wait for its next look.
	Wake func()
}

func (d Deps) wake() {
	if d.Wake != nil {
		d.Wake()
	}
}
