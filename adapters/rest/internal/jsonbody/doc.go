// Package jsonbody decodes the JSON bodies of requests.
//
// Decode is stricter than encoding/json: it rejects what two parsers could read differently (scan.go), and reports
// all unknown members and all values of the wrong type together, with their places. The Go types are those of package
// wire.
package jsonbody
