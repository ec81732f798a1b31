//go:build race

package graphql_test

// slowdown is the factor for time limits under the race detector.
const slowdown = 12
