package access

// SchemaTokenDays is the number of days for which a token with AllowSchema is valid at most.
const SchemaTokenDays = 90

// Limits of a Project.
const (
	MaxAllowedOrigins = 50
	MaxPreviewOrigins = 10
)

// AnyOrigin in core.Project.AllowedOrigins allows every origin.
const AnyOrigin = "*"

// MaxSharedCache is the largest core.Project.SharedCache: a day.
const MaxSharedCache = 86_400

// DefaultRevisionLimit is the core.Project.RevisionLimit of a new Project.
const DefaultRevisionLimit = 100
