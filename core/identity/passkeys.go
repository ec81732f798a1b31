package identity

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/secret"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// maxPasskeyName is the largest length of the name of a passkey in characters.
const maxPasskeyName = 100

// Passkeys manages the passkeys of users.
type Passkeys struct {
	factors    *Factors
	store      ports.PasskeyStore
	reader     ports.PasskeyReader
	challenges challenges
}

// NewPasskeys returns Passkeys. key encrypts challenges.
func NewPasskeys(stores ports.Stores, factors *Factors, clock ports.Clock, key secret.Key, reader ports.PasskeyReader) *Passkeys {
	return &Passkeys{factors, stores.Passkeys, reader, challenges{key, clock}}
}

// PasskeyCreation is what a browser needs to create a passkey.
type PasskeyCreation struct {
	RelyingParty string
	UserHandle   []byte // identifies the user in the authenticator
	User         core.User
	Challenge    []byte
	Known        []account.Passkey // those that the user has already
}

// PasskeyRequest is what a browser needs to use a passkey.
type PasskeyRequest struct {
	RelyingParty string
	Challenge    []byte
}

// RelyingParty returns the host name that passkeys belong to; "": browsers refuse passkeys.
func (p *Passkeys) RelyingParty() string { return p.reader.RelyingParty() }

// List returns the passkeys of the actor, in the order of their creation.
func (p *Passkeys) List(ctx context.Context, actor core.Actor) ([]account.Passkey, error) {
	return p.store.Passkeys(ctx, actor.UserID())
}

// Create returns what a browser needs to create a passkey of the actor, within ChallengeLifetime. It
// returns core.KindConflict for an actor with account.MaxPasskeys and where browsers refuse passkeys, and
// core.KindForbidden with code "verify_first" for an actor that has neither given a fresh proof nor
// just signed in.
func (p *Passkeys) Create(ctx context.Context, actor core.Actor) (PasskeyCreation, error) {
	var made PasskeyCreation
	err := p.factors.change(ctx, actor, func(ctx context.Context, stores ports.Stores, user core.User) error {
		if err := p.mayAdd(ctx, stores, actor, user); err != nil {
			return err
		}
		known, err := stores.Passkeys.Passkeys(ctx, user.ID)
		made = PasskeyCreation{p.reader.RelyingParty(), userHandle(p.challenges.key, user.ID), user, p.challenges.issue(toCreate, user.ID), known}
		return err
	})
	return made, err
}

// Add adds the passkey that a browser has created after Create. An empty name becomes "Passkey" and a
// number. It returns core.KindInvalid for a credential that was not created for the actor on a page of
// this service in the last five minutes, and for one that was added before.
func (p *Passkeys) Add(ctx context.Context, actor core.Actor, credential []byte, name string) (account.Passkey, error) {
	name, err := passkeyName(name)
	if err != nil {
		return account.Passkey{}, err
	}
	made, challenge, err := p.reader.Created(credential)
	if err != nil {
		return account.Passkey{}, wrongCredential()
	}
	err = p.factors.change(ctx, actor, func(ctx context.Context, stores ports.Stores, user core.User) error {
		hash, expiresAt, valid := p.challenges.open(challenge, toCreate, user.ID)
		if !valid {
			return wrongCredential()
		}
		if err := p.mayAdd(ctx, stores, actor, user); err != nil {
			return err
		}
		if fresh, err := stores.Spent.Spend(ctx, hash, expiresAt); err != nil || !fresh {
			return orElse(err, wrongCredential())
		}
		made.UserID, made.Name, made.CreatedAt = user.ID, name, p.factors.clock.Now()
		if made.Name == "" {
			made.Name = "Passkey " + strconv.Itoa(user.Passkeys+1)
		}
		return stores.Passkeys.Insert(ctx, &made)
	})
	if core.KindOf(err) == core.KindConflict && made.ID == 0 && made.UserID != 0 {
		return account.Passkey{}, wrongCredential() // another passkey has its id
	}
	return made, err
}

// Rename sets the name of a passkey of the actor.
func (p *Passkeys) Rename(ctx context.Context, actor core.Actor, id int64, name string) (account.Passkey, error) {
	name, err := passkeyName(name)
	if err == nil && name == "" {
		err = core.Invalid(core.FieldError{Location: "name", Message: "is required"})
	}
	if err != nil {
		return account.Passkey{}, err
	}
	var renamed account.Passkey
	err = p.factors.change(ctx, actor, func(ctx context.Context, stores ports.Stores, user core.User) error {
		if err := stores.Passkeys.Rename(ctx, user.ID, id, name); err != nil {
			return err
		}
		var err error
		renamed, err = own(ctx, stores, user.ID, id)
		return err
	})
	return renamed, err
}

// Remove removes a passkey of the actor, who must have given a fresh proof, and with the last second
// factor the recovery codes.
func (p *Passkeys) Remove(ctx context.Context, actor core.Actor, id int64) error {
	return p.factors.change(ctx, actor, func(ctx context.Context, stores ports.Stores, user core.User) error {
		if _, err := own(ctx, stores, user.ID, id); err != nil {
			return err
		}
		if err := mustVerify(ctx, stores, actor); err != nil {
			return err
		}
		if err := stores.Passkeys.Delete(ctx, user.ID, id); err != nil || user.TOTP || user.Passkeys > 1 {
			return err
		}
		return stores.Recovery.Replace(ctx, user.ID, nil)
	})
}

// Request returns what a browser needs to use a passkey, within ChallengeLifetime. It returns
// core.KindConflict where browsers refuse passkeys.
func (p *Passkeys) Request() (PasskeyRequest, error) {
	if p.reader.RelyingParty() == "" {
		return PasskeyRequest{}, noPasskeys()
	}
	return PasskeyRequest{p.reader.RelyingParty(), p.challenges.issue(toAssert, 0)}, nil
}

func (p *Passkeys) mayAdd(ctx context.Context, stores ports.Stores, actor core.Actor, user core.User) error {
	if p.reader.RelyingParty() == "" {
		return noPasskeys()
	}
	if user.Passkeys >= account.MaxPasskeys {
		return core.Conflict("too_many_passkeys", "a user can have at most %d passkeys", account.MaxPasskeys)
	}
	return mustHaveProven(ctx, stores, actor)
}

// own returns a passkey of the user.
func own(ctx context.Context, stores ports.Stores, userID, id int64) (account.Passkey, error) {
	all, err := stores.Passkeys.Passkeys(ctx, userID)
	at := slices.IndexFunc(all, func(p account.Passkey) bool { return p.ID == id })
	if err != nil || at < 0 {
		return account.Passkey{}, orElse(err, core.NotFound("passkey"))
	}
	return all[at], nil
}

func noPasskeys() *core.Error {
	return core.Conflict("no_passkeys", "browsers use passkeys only if the address of the service (--base-url) is https:// with a host name, or http://localhost")
}

func wrongCredential() *core.Error {
	return core.Invalid(core.FieldError{Location: "credential", Message: "was not created for this request; begin again"})
}

// passkeyName returns the name without surrounding white space. It returns core.ErrInvalid for an
// invalid one.
func passkeyName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if !utf8.ValidString(name) || strings.ContainsFunc(name, words.Control) {
		return "", core.Invalid(core.FieldError{Location: "name", Message: "must not contain control characters"})
	}
	if utf8.RuneCountInString(name) > maxPasskeyName {
		return "", core.Invalid(core.FieldError{Location: "name", Message: "must be at most " + strconv.Itoa(maxPasskeyName) + " characters long"})
	}
	return name, nil
}

// userHandle returns what identifies the user in authenticators. It does not contain the account, and
// differs between installations, which may share a host name.
func userHandle(key secret.Key, userID int64) []byte {
	mac := key.MAC(secret.UserHandles, strconv.AppendInt(nil, userID, 10))
	return mac[:]
}
