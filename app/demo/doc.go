// Package demo creates the example organisation: Meridian Media, a publisher with a
// newsroom, countries in five languages, and articles and releases in all states. Start with Seed.
package demo
