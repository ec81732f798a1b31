package contract_test

import (
	"testing"

	"imprimatur/adapters/memory"
	"imprimatur/ports"
	"imprimatur/test/contract"
)

func openMemory(*testing.T) (ports.Stores, ports.Tx) {
	store := memory.New()
	return store.Stores(), store
}

func TestMemory(t *testing.T) {
	t.Parallel()
	contract.Stores(t, openMemory)
}
