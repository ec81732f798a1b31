package wire

// ActorRef describes core.ActorRef.
type ActorRef struct {
	Kind   string `json:"kind" enum:"user,token,assistant,system" example:"user"`
	ID     int64  `json:"id" doc:"0 means the system." example:"6"`
	Name   string `json:"name" doc:"The name at that time. For an assistant: its name and, in brackets, that of its user." example:"Emil Santos"`
	MadeBy int64  `json:"madeBy,omitempty" doc:"For a token: the id of the user that created it; omitted if an operator command created it. For an assistant: the id of its user." example:"4"`
}
