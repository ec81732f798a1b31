// Package oidc reaches OpenID providers for the program, and the records of domains that claim them. It connects
// only to addresses that egress.Client admits. The main type is Client.
package oidc
