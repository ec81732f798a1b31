//go:build !linux

package service

import "net"

// Elsewhere the queue of a listener cannot be had: its connections are reset,
// and so are those that come while it is being closed.

func refuseNew(*net.TCPListener) {}

func acceptQueued(*net.TCPListener) []int { return nil }

func connections([]int) []net.Conn { return nil }
