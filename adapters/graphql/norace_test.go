//go:build !race

package graphql_test

// slowdown is how much longer work may take than was promised: not at all.
const slowdown = 1
