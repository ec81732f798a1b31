// Package account has what belongs to the accounts of users: sessions, second factors, invitations, links in mails, and
// identity providers with the domains and groups that they may speak for.
//
// The account itself and its permissions are core.User, core.Grant and core.Actor. Package core/identity signs users in.
package account
