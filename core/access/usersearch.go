package access

import (
	"context"
	"strings"

	"imprimatur/core"
	"imprimatur/ports"
)

// scanPage is how many accounts a search reads at once.
const scanPage = 500

// findUsers returns up to limit accounts for which match returns true, from offset on, ordered
// by id: those that the tenant manages, or all when tenantID is 0. It reads the accounts page
// by page: a tenant has few, and engines differ in how they compare the case of letters.
func findUsers(ctx context.Context, users ports.UserStore, tenantID, offset, limit int64, match func(core.User) bool) ([]core.User, error) {
	var found []core.User
	for from := int64(0); ; from += scanPage {
		page, err := users.Users(ctx, tenantID, from, scanPage)
		if err != nil {
			return nil, err
		}
		more := len(page) > scanPage
		for _, user := range page[:min(len(page), scanPage)] {
			switch {
			case !match(user):
			case offset > 0:
				offset--
			default:
				found = append(found, user)
			}
			if int64(len(found)) == limit {
				return found, nil
			}
		}
		if !more {
			return found, nil
		}
	}
}

// named returns whether the name or the e-mail of an account contains search, whatever the
// case.
func named(search string) func(core.User) bool {
	text := core.Fold(search)
	return func(user core.User) bool {
		return strings.Contains(core.Fold(user.Name), text) || strings.Contains(core.Fold(user.Email), text)
	}
}
