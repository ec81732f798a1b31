// Package restclient is a client of the content API that oapi-codegen makes from the OpenAPI
// document, as a user of the service would.
package restclient

//go:generate go tool -modfile=../../../.tools/go.mod oapi-codegen -config generate.yaml -o restclient.gen.go ../../../api/openapi.yaml
