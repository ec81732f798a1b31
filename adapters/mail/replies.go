package mail

import "net"

// replies is a connection whose reader sees every reply with a text. The text of a reply is optional
// (RFC 5321, 4.2), but package textproto fails for "250" without a space. A mail that was accepted
// this way would be sent again.
type replies struct {
	net.Conn
	pending []byte // bytes that Read returns next
	column  int    // of the next byte of the connection in its line
}

// codeLength is the length of the code of a reply.
const codeLength = 3

// Read implements net.Conn.
func (r *replies) Read(p []byte) (int, error) {
	if len(r.pending) == 0 {
		var received [1024]byte
		n, err := r.Conn.Read(received[:])
		if n == 0 {
			return 0, err
		}
		r.complete(received[:n]) // after an error, the next call returns it
	}
	n := copy(p, r.pending)
	r.pending = r.pending[n:]
	return n, nil
}

// complete appends received to the pending bytes, with a space after each code that ends its line.
func (r *replies) complete(received []byte) {
	for _, b := range received {
		if r.column == codeLength && (b == '\r' || b == '\n') {
			r.pending = append(r.pending, ' ')
		}
		r.pending = append(r.pending, b)
		if r.column++; b == '\n' {
			r.column = 0
		}
	}
}
