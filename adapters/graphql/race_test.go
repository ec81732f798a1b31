//go:build race

package graphql_test

// slowdown is how much longer work may take: the race detector watches every step.
const slowdown = 12
