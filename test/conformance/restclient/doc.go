// Package restclient is a client of the content API that oapi-codegen generates from the OpenAPI
// document, as users of the service would generate it.
package restclient

//go:generate go tool -modfile=../../../.tools/go.mod oapi-codegen -config generate.yaml -o restclient.gen.go ../../../api/openapi.yaml
