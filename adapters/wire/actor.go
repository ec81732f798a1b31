package wire

// ActorRef describes core.ActorRef.
type ActorRef struct {
	Kind   string `json:"kind" enum:"user,token,assistant,system" example:"user"`
	ID     int64  `json:"id" doc:"0 means the system." example:"6"`
	Name   string `json:"name" doc:"The name at that time; for an assistant with that of its user in brackets." example:"Emil Santos"`
	MadeBy int64  `json:"madeBy,omitempty" doc:"The id of the user that created the token, omitted for one of an operator command; or of the assistant's user." example:"4"`
}
