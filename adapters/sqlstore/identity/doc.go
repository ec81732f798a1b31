// Package identity has the repositories of Tenants, departments, users and tokens: who they are, how they sign in and what
// custom roles permit. [SetStores] hands them out. The tables are exported for archives.
package identity
