// Package restclient has the tests of a client of the content API that oapi-codegen generates from the OpenAPI
// document, as users of the service would generate it. With the tag generated, it needs the generated file.
package restclient
