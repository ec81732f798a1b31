// Package projectclient has the tests of a client that oapi-codegen generates from the OpenAPI document of one
// Project, as a site of the Project would generate it. With the tag generated, it needs the generated file.
package projectclient
