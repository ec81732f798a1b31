// Package demo creates the example organisation: Meridian Media, a publisher with a
// newsroom, countries in five languages, and articles and releases in all states. Its collections and components are defined
// by the schema files in data/schema. Start with Seed.
package demo
