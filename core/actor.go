package core

// ActorRef identifies an actor in records. It stays valid after the account or the token was
// deleted or renamed.
type ActorRef struct {
	Kind   string `json:"kind"`             // user, token, assistant or system
	ID     int64  `json:"id"`               // 0: the system
	Name   string `json:"name"`             // at that time
	MadeBy int64  `json:"madeBy,omitempty"` // of a token: the user that created it; 0: an operator command. Of an assistant: its user
}

// Person returns the id of the user responsible for the actions of a: the user itself, the user of the assistant, or
// the user that created the token. It is 0 for the system and for a token created by a
// command.
func (a ActorRef) Person() int64 {
	if a.Kind == "user" {
		return a.ID
	}
	return a.MadeBy
}

// Same reports whether a and other are the same user, token or system, whatever their names.
func (a ActorRef) Same(other ActorRef) bool { return a.Kind == other.Kind && a.ID == other.ID }

// KindAssistant is ActorRef.Kind of assistants. Their Name has that of the assistant and, in brackets, that of its user.
const KindAssistant = "assistant"

// Ref returns the reference to the actor for records.
func (a Actor) Ref() ActorRef {
	switch {
	case a.Assistant != nil:
		return ActorRef{Kind: KindAssistant, ID: a.Assistant.ID, Name: a.Assistant.Name + " (" + a.User.Name + ")", MadeBy: a.User.ID}
	case a.User != nil:
		return ActorRef{Kind: "user", ID: a.User.ID, Name: a.User.Name}
	case a.Token != nil && a.Maker != nil:
		return ActorRef{Kind: "token", ID: a.Token.ID, Name: a.Token.Name + " (" + a.Maker.Name + ")", MadeBy: a.Token.CreatedBy}
	case a.Token != nil:
		return ActorRef{Kind: "token", ID: a.Token.ID, Name: a.Token.Name, MadeBy: a.Token.CreatedBy}
	default:
		return ActorRef{Kind: "system", Name: "system"}
	}
}
