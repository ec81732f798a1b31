//go:build !race

package graphql_test

// slowdown is the factor for time limits.
const slowdown = 1
