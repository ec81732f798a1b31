package identity

import (
	"context"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/secret"
	"imprimatur/core/words"
)

// The largest lengths of texts of identity providers.
const (
	maxIssuer   = 500 // bytes
	maxClientID = 500 // bytes
	maxSecret   = 1000
	maxScope    = 100
	maxGroup    = 200 // code points; also of the claim with the groups
)

// templateIssuers are the last parts of the paths of issuers that stand for all tenants of a provider: anybody
// with an account there could sign in.
var templateIssuers = []string{"common", "organizations", "consumers"}

// apply changes a provider by in, or returns all faults of in. changed reports whether anything differs. Whether the
// actor may give the roles of mappings is not checked.
func (p *Providers) apply(ctx context.Context, actor core.Actor, in ProviderChange, provider *account.IdentityProvider) (changed bool, err error) {
	var faults core.Faults
	before := *provider
	kept, err := p.clientSecret(provider)
	unknown := err != nil // also of a new one
	core.Assign(&provider.Name, in.Name)
	core.Assign(&provider.ClientID, in.ClientID)
	core.Assign(&provider.CreateUsers, in.CreateUsers)
	core.Assign(&provider.Passwords, in.Passwords)
	core.Assign(&provider.PasswordUserID, in.PasswordUserID)
	core.Assign(&provider.SecondFactor, in.SecondFactor)
	core.Assign(&provider.GroupsClaim, in.GroupsClaim)
	core.Assign(&provider.Scopes, in.Scopes)
	core.Assign(&provider.Mappings, in.Mappings)
	if in.Issuer != nil && (*in.Issuer != provider.Issuer || provider.Issuer == "") {
		p.changeIssuer(ctx, in, provider, &faults)
	}
	if in.Domains != nil {
		provider.Domains = checkDomains(*in.Domains, &faults)
	}
	renewed := in.Secret != nil && (unknown || *in.Secret != kept || provider.Issuer != before.Issuer)
	if renewed || provider.Issuer != before.Issuer || provider.ClientID != before.ClientID || !slices.Equal(provider.Scopes, before.Scopes) {
		forgetTrial(provider)
	}
	if in.State != nil {
		if err := changeState(provider, *in.State, actor, &faults); err != nil {
			return false, err
		}
	}
	checkProvider(provider, in, &faults)
	if err := faults.Err(); err != nil {
		return false, err
	}
	if renewed {
		provider.Secret = p.key.Seal(secret.Providers, []byte(*in.Secret), sealedFor(provider))
	}
	if !renewed && reflect.DeepEqual(before, *provider) {
		return false, nil
	}
	provider.UpdatedAt = later(p.clock.Now(), before.UpdatedAt)
	return true, nil
}

// changeIssuer gives a provider another issuer.
func (p *Providers) changeIssuer(ctx context.Context, in ProviderChange, provider *account.IdentityProvider, faults *core.Faults) {
	if provider.State != account.ProviderDraft {
		faults.Add("issuer", core.Clip(*in.Issuer), "cannot change after the draft: people are known by it; add another identity provider")
		return
	}
	if in.Secret == nil {
		faults.Add("clientSecret", nil, "must be given again, because the issuer is another one")
	}
	provider.Issuer = *in.Issuer
	if fault := issuerFault(provider.Issuer); fault != "" {
		faults.Add("issuer", core.Clip(provider.Issuer), fault)
	} else if fault := in.outside(ctx, p, provider.Issuer); fault != "" {
		faults.Add("issuer", core.Clip(provider.Issuer), fault)
	}
}

// outside returns why no request may be sent to an issuer; "": it may, or that was checked before.
func (in *ProviderChange) outside(ctx context.Context, p *Providers, issuer string) string {
	if in.checked {
		return ""
	}
	return p.outside.Fault(ctx, issuer)
}

// issuerFault returns why a text is no issuer (OpenID Connect Discovery 1.0, 4.1), or "".
func issuerFault(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "is required"
	case len(text) > maxIssuer:
		return "must have at most " + strconv.Itoa(maxIssuer) + " characters"
	case err != nil || !address.WebURL(text) || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(text, "#"):
		return "must be the https address of a provider, without a query"
	case strings.ContainsAny(text, "{}"):
		return "must be the address of one organisation: replace what is in braces"
	}
	for part := range strings.SplitSeq(strings.ToLower(u.Path), "/") {
		if slices.Contains(templateIssuers, part) {
			return "must be the address of one organisation: " + part + " stands for all of them"
		}
	}
	return ""
}

// forgetTrial makes a provider one that was not tried. One that is on stays on: its secret expires, and a new one must not
// lock people out.
func forgetTrial(provider *account.IdentityProvider) {
	provider.TriedBy, provider.TriedAt = 0, time.Time{}
	if provider.State == account.ProviderTested {
		provider.State = account.ProviderDraft
	}
}

// changeState puts a provider into a state that a user may set.
func changeState(provider *account.IdentityProvider, to account.ProviderState, actor core.Actor, faults *core.Faults) error {
	switch to {
	case provider.State:
	case account.ProviderOff, account.ProviderDraft:
		provider.State = to
	case account.ProviderOn:
		if provider.TriedBy == 0 || provider.TriedBy != actor.UserID() {
			return core.Conflict("not_tested", "the identity provider must be tried first, by the user that switches it on")
		}
		provider.State = to
	default:
		faults.Add("state", core.Clip(string(to)), "must be draft, on or off")
	}
	return nil
}

func checkProvider(provider *account.IdentityProvider, in ProviderChange, faults *core.Faults) {
	if fault := words.NameFault(provider.Name); fault != "" {
		faults.Add("name", nil, fault)
	}
	if fault := plainFault(provider.ClientID, maxClientID); fault != "" {
		faults.Add("clientId", nil, fault)
	}
	if in.Secret != nil {
		if fault := plainFault(*in.Secret, maxSecret); fault != "" {
			faults.Add("clientSecret", nil, fault)
		}
	}
	if fault := words.NameFault(provider.GroupsClaim); provider.GroupsClaim != "" && fault != "" {
		faults.Add("groupsClaim", nil, fault)
	}
	if !slices.Contains(account.PasswordRules(), provider.Passwords) {
		faults.Add("passwords", core.Clip(string(provider.Passwords)), "must be allowed or forbidden")
	}
	if !slices.Contains(account.FactorRules(), provider.SecondFactor) {
		faults.Add("secondFactor", core.Clip(string(provider.SecondFactor)), "must be theirs or ours")
	}
	checkScopes(provider.Scopes, faults)
	checkMappings(provider.Mappings, faults)
}

// plainFault returns why a text is no identifier or secret at a provider, or "". OAuth 2.0 (RFC 6749, appendix A)
// admits printable ASCII.
func plainFault(text string, most int) string {
	switch {
	case text == "":
		return "is required"
	case len(text) > most:
		return "must have at most " + strconv.Itoa(most) + " characters"
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }):
		return "must be printable ASCII"
	}
	return ""
}

func checkScopes(scopes []string, faults *core.Faults) {
	if len(scopes) > maxScopes {
		faults.Addf("scopes", nil, "must have at most %d elements", maxScopes)
		return
	}
	for i, scope := range scopes {
		at := "scopes[" + strconv.Itoa(i) + "]"
		switch {
		case scope == "openid":
			faults.Add(at, scope, "is always asked for: leave it out")
		case slices.Contains(scopes[:i], scope):
			faults.Add(at, core.Clip(scope), "is there twice")
		case scope == "" || len(scope) > maxScope || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }):
			faults.Add(at, core.Clip(scope), "must be the name of a scope")
		}
	}
}

func checkMappings(mappings []account.GroupMapping, faults *core.Faults) {
	if len(mappings) > maxMappings {
		faults.Addf("mappings", nil, "must have at most %d elements", maxMappings)
		return
	}
	for i, m := range mappings {
		at := "mappings[" + strconv.Itoa(i) + "]"
		if words.Blank(m.Group) || !core.ValidText(m.Group) || utf8.RuneCountInString(m.Group) > maxGroup {
			faults.Addf(at+".group", nil, "must be the name or the id of a group, at most %d characters", maxGroup)
		}
		if countSet(m.Grant.TenantID, m.Grant.DepartmentID, m.Grant.ProjectID, m.CustomRole) != 1 || (m.CustomRole != 0) == (m.Grant.Role != "") {
			faults.Add(at, nil, "must have either customRoleId, or role and one of tenantId, departmentId and projectId")
		} else if slices.Contains(mappings[:i], m) {
			faults.Add(at, nil, "is there twice")
		}
	}
}

// checkDomains returns domains as they are stored.
func checkDomains(given []string, faults *core.Faults) []string {
	domains := make([]string, 0, len(given))
	if len(given) > maxDomains {
		faults.Addf("domains", nil, "must have at most %d elements", maxDomains)
		return domains
	}
	for i, text := range given {
		domain, ok := address.Domain(text)
		fault := ""
		switch {
		case !ok:
			fault = "must be a domain of e-mail addresses, as meridian.example"
		case address.PublicMail(domain):
			fault = "is a domain in which anybody can have an address"
		case slices.Contains(domains, domain):
			fault = "is there twice"
		}
		if fault != "" {
			faults.Add("domains["+strconv.Itoa(i)+"]", core.Clip(text), fault)
		}
		domains = append(domains, domain)
	}
	return domains
}

// claimable returns a domain of a provider as it is stored.
func claimable(provider account.IdentityProvider, text string, means account.ClaimMeans) (domain string, err error) {
	var faults core.Faults
	domain, _ = address.Domain(text)
	if !slices.Contains(provider.Domains, domain) {
		faults.Add("domain", core.Clip(text), "is none of the domains of the identity provider")
	}
	if !slices.Contains(account.ClaimMeansAll(), means) {
		faults.Add("means", core.Clip(string(means)), "must be record or admin")
	}
	return domain, faults.Err()
}
