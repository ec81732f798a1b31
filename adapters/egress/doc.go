// Package egress sends HTTP requests to addresses that users give. A user must not reach through
// the service what only the service can reach, so a [Client] connects only
//
//   - to public addresses with HTTPS on port 443, and
//   - to what the operator allows ([Allowed]), there also with HTTP and on other ports.
//
// The address is checked when the connection is made, after the name is resolved: what a name
// resolved to before does not matter. Redirects are not followed, and proxies of the environment are
// not used. [Fetcher] reads files with a Client.
package egress
