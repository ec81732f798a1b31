//go:build nodynamic || !(linux || darwin || freebsd)

package imaging

type libwebp struct{}

func loadLibwebp() *libwebp { return nil }

func (*libwebp) encode([]plane) ([]byte, error) { panic("imaging: no libwebp") }
