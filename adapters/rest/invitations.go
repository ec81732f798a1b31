package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/identity"
)

// stateParam is the query parameter of the list of invitations.
var stateParam = endpoint.TextParam("state", "open, accepted, revoked or expired. Empty selects all.", "open")

func (a *API) registerInvitations() {
	const tag, all, one = "Invitations", "/api/invitations", "/api/invitations/{invitationId}"
	const who = " Callers see the invitations that they made, and those to places all of which they administer."
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listInvitations", Tag: tag, Action: access.SignedIn,
		Title: "List invitations", About: "Returns invitations, the newest first. One that cannot be accepted any more, because its inviter may no longer give its roles or a place no longer exists, has the state `revoked`." + who, Query: []*endpoint.QueryParam{stateParam, endpoint.OffsetParam, endpoint.LimitParam},
	}, a.listInvitations)
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "invite", Tag: tag, Action: access.SignedIn, Status: http.StatusCreated,
		Refusal: func(c *endpoint.Call) error { return access.ManageProjectMembers.Anywhere(c.Actor) },
		Title:   "Invite a person",
		About: "Sends a mail with a link, which works once, for 7 days. It withdraws the earlier open invitations to the address that the caller could withdraw: the newest stands. The caller must be allowed to give each of the roles. " +
			"If the installation sends no e-mails, the response has the link. At most 200 invitations of a caller are open, and an address gets three mails an hour.",
		Fails: []core.Kind{core.KindNotFound, core.KindConflict, core.KindTooManyRequests},
	}, func(c *endpoint.Call, in wire.InvitationInput) (wire.Invitation, error) {
		if len(in.Roles)+len(in.CustomRoleIDs) == 0 { // no place says who may invite
			if err := access.ManageProjectMembers.Anywhere(c.Actor); err != nil {
				return wire.Invitation{}, err
			}
		}
		made, err := a.Invitations.Create(c.Context(), c.Actor, in.Core())
		return wire.Shown(made, err, a.invitationOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/resend", ID: "resendInvitation", Tag: tag, Action: access.SignedIn,
		Title: "Send an invitation again", About: "Sends an open or expired invitation with a new link, which works for 7 days. The former link no longer works." + who,
		Fails: []core.Kind{core.KindConflict, core.KindGone, core.KindTooManyRequests},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Invitation, error) {
		sent, err := a.Invitations.Resend(c.Context(), c.Actor, c.ID("invitationId"))
		return wire.Shown(sent, err, a.invitationOf)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "revokeInvitation", Tag: tag, Action: access.SignedIn,
		Title: "Withdraw an invitation", About: "Its link no longer works." + who, Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Invitations.Revoke(c.Context(), c.Actor, c.ID("invitationId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all + "/look", ID: "lookAtInvitation", Tag: tag, Action: endpoint.Anonymous,
		Title: "Read the invitation of a link",
		About: "Returns who invites to what. The status is 410 for a link that does not work: `link_invalid`, `invitation_accepted`, `invitation_revoked`, `invitation_expired`, " +
			"`invitation_place_gone`, or `invitation_void` if the inviter may no longer give the roles.",
		Fails: []core.Kind{core.KindGone},
	}, func(c *endpoint.Call, in wire.LinkSecret) (wire.Offer, error) {
		found, err := a.Invitations.Look(c.Context(), in.Secret)
		return wire.Shown(found, err, wire.OfferOf)
	})
	endpoint.Register[wire.Acceptance, wire.User](a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all + "/accept", ID: "acceptInvitation", Tag: tag, Action: endpoint.Anonymous,
		Title: "Accept an invitation",
		About: "Makes an account with the name, the password and the roles, and signs in: it sets the session cookie, unless too many sign-ins from the client address have failed. If the address has an account, its signed-in user gets the roles instead, " +
			"without name and password; without a session the status is then 409 `account_exists`, with that of another user 403 `other_account`, and 403 `provider_required` if the identity provider of the domain forbids passwords. A higher role in the same place remains.",
		Fails:   []core.Kind{core.KindForbidden, core.KindConflict, core.KindGone},
		Headers: []string{"Set-Cookie"},
	}, a.acceptInvitation)
}

func (a *API) acceptInvitation(c *endpoint.Call, in wire.Acceptance) error {
	from, err := a.client(c)
	if err != nil {
		return err
	}
	actor, err := a.Gateway.Visitor(c.Request)
	if err != nil {
		return err
	}
	user, err := a.Invitations.Accept(c.Context(), actor, identity.Acceptance(in))
	if err != nil {
		return err
	}
	if actor.User == nil {
		step, err := a.Sessions.Advance(c.Context(), from, user, core.WayPassword, account.SessionOrigin{})
		switch {
		case err == nil:
			a.setCookies(c, step)
		case core.KindOf(err) != core.KindTooManyRequests: // the account exists: its owner signs in later
			return err
		}
	}
	return c.WriteJSON(wire.UserOf(user))
}

func (a *API) invitationOf(i identity.Invited) wire.Invitation { return wire.InvitationOf(i, a.Base) }

func (a *API) listInvitations(c *endpoint.Call, _ endpoint.None) (page wire.Page[wire.Invitation], err error) {
	offset, limit := c.Int("offset"), c.Int("limit")
	if err := c.BadQuery(); err != nil {
		return page, err
	}
	from, most, err := checkWindow(offset, limit)
	if err != nil {
		return page, err
	}
	state := account.InvitationState(c.Params["state"])
	if state != "" && !state.Known() {
		return page, endpoint.BadParameter("state", "must be open, accepted, revoked or expired")
	}
	found, more, err := a.Invitations.List(c.Context(), c.Actor, state, from, most)
	return wire.Page[wire.Invitation]{Data: wire.Each(found, a.invitationOf), Meta: wire.PageMeta{Offset: from, Limit: most, HasMore: more}}, err
}

func (a *API) registerLinks() {
	const reset, own = "/api/password-reset", "/api/me/email"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: reset, ID: "requestPasswordReset", Tag: "Session", Action: endpoint.Anonymous, Status: http.StatusAccepted,
		Title: "Ask for a new password",
		About: "Sends a link to the address if it has an active account: it works once, for 30 minutes. An address without an account that has an open invitation gets the invitation again. The response and its time do not depend on that. An address gets three mails an hour.",
	}, func(c *endpoint.Call, in wire.Email) (wire.Accepted, error) {
		if _, err := a.Gateway.SignIn(c.Request); err != nil {
			return wire.Accepted{}, err
		}
		return wire.Accepted{Accepted: true}, a.Resets.Request(c.Context(), in.Email, address(c.Request))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: reset + "/look", ID: "lookAtPasswordReset", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Read whose password a link sets", About: "The status is 410 `link_invalid` for a link that does not work.", Fails: []core.Kind{core.KindGone},
	}, func(c *endpoint.Call, in wire.LinkSecret) (wire.Email, error) {
		user, err := a.Resets.Look(c.Context(), in.Secret)
		return wire.Email{Email: user.Email}, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: reset + "/finish", ID: "finishPasswordReset", Tag: "Session", Action: endpoint.Anonymous,
		Title: "Set a new password by a link",
		About: "Ends all sessions of the account and all its links, and returns its address. It does not sign in: a second factor is still needed.", Fails: []core.Kind{core.KindGone},
	}, func(c *endpoint.Call, in wire.NewPassword) (wire.Email, error) {
		if _, err := a.Gateway.SignIn(c.Request); err != nil {
			return wire.Email{}, err
		}
		user, err := a.Resets.Finish(c.Context(), in.Secret, in.Password)
		return wire.Email{Email: user.Email}, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: own, ID: "changeMyEmail", Tag: "Me", Action: access.SignedIn, Status: http.StatusAccepted,
		Title: "Change my address",
		About: "Sends a link to the new address, which works once, for 24 hours, and replaces earlier ones. The address changes when the link is confirmed; the former address is then told. " +
			"It needs a fresh proof (`POST /api/session/verify`), else it answers 403 with `verify_first`, unless the caller has signed in in the last five minutes. " +
			"The status is 409 `no_mail` if the installation sends no e-mails.",
		Fails: []core.Kind{core.KindConflict, core.KindTooManyRequests},
	}, func(c *endpoint.Call, in wire.Email) (wire.Accepted, error) {
		return wire.Accepted{Accepted: true}, a.Addresses.Request(c.Context(), c.Actor, in.Email)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: own + "/look", ID: "lookAtMyEmail", Tag: "Me", Action: endpoint.Anonymous,
		Title: "Read the new address of a link", About: "The status is 410 `link_invalid` for a link that does not work.", Fails: []core.Kind{core.KindGone},
	}, func(c *endpoint.Call, in wire.LinkSecret) (wire.Email, error) {
		_, email, err := a.Addresses.Look(c.Context(), in.Secret)
		return wire.Email{Email: email}, err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: own + "/confirm", ID: "confirmMyEmail", Tag: "Me", Action: endpoint.Anonymous,
		Title: "Confirm a new address", About: "Changes the address of the account of the link, and tells the former one. The status is 409 `email_taken` if another account has the address meanwhile.",
		Fails: []core.Kind{core.KindConflict, core.KindGone},
	}, func(c *endpoint.Call, in wire.LinkSecret) (wire.Email, error) {
		if _, err := a.Gateway.SignIn(c.Request); err != nil {
			return wire.Email{}, err
		}
		user, err := a.Addresses.Confirm(c.Context(), in.Secret)
		return wire.Email{Email: user.Email}, err
	})
}
