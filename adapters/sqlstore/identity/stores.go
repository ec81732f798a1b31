package identity

import (
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/ports"
)

// SetStores sets the stores of this package.
func SetStores(s *ports.Stores, c sqldb.Conn) {
	s.Tenants = tenantStore{c}
	s.Departments = departmentStore{c}
	s.CustomRoles = customRoleStore{c}
	s.Users = userStore{c}
	s.Sessions = sessionStore{c}
	s.SignIns = failedSignInStore{c}
	s.Invitations = invitationStore{c}
	s.Links = linkStore{c}
	s.Providers = identityProviderStore{c}
	s.Domains = domainClaimStore{c}
	s.Identities = userIdentityStore{c}
	s.Spent = spentStore{c}
	s.Previews = previewStore{c}
	s.TOTP = totpStore{c}
	s.Recovery = recoveryCodeStore{c}
	s.Passkeys = passkeyStore{c}
	s.Tokens = tokenStore{c}
}
