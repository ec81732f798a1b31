package wire

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/reading"
)

// PreviewVersion is the version of an entry that a preview shows: "draft", "snapshot" or {"publication": 3}.
type PreviewVersion struct {
	of          core.PreviewOf
	publication int64
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *PreviewVersion) UnmarshalJSON(raw []byte) error {
	var of core.PreviewOf
	if json.Unmarshal(raw, &of) == nil && (of == core.PreviewDraft || of == core.PreviewSnapshot) {
		*v = PreviewVersion{of: of}
		return nil
	}
	number, err := publicationIn(raw)
	*v = PreviewVersion{core.PreviewPublication, number}
	return err
}

// Expectation describes the JSON of a version, as a fault.
func (PreviewVersion) Expectation() string {
	return `must be "draft", "snapshot" or {"publication": <number>}`
}

// Schema implements huma.SchemaProvider.
func (PreviewVersion) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "The draft, as it is at each read; the snapshot that an open request has sealed; or a publication by its number.",
		OneOf: []*huma.Schema{
			{Type: huma.TypeString, Enum: []any{string(core.PreviewDraft), string(core.PreviewSnapshot)}},
			publicationSchema,
		},
		Examples: []any{"draft"},
	}
}

// PreviewInput describes a preview.
type PreviewInput struct {
	Of     PreviewVersion `json:"of"`
	Others string         `json:"others,omitempty" enum:"published,drafts" doc:"What all other entries show. Omitted means published." example:"published"`
}

// Input returns the input of the use case.
func (in PreviewInput) Input() reading.PreviewInput {
	return reading.PreviewInput{Of: in.Of.of, Publication: in.Of.publication, Others: in.Others}
}

// NewPreview is a preview with its secret.
type NewPreview struct {
	Token     string `json:"token" doc:"The bearer token for reads of the project. Only this response contains it." example:"imv_0000000000000000000000000000000000000000000_000000"`
	ExpiresAt string `json:"expiresAt" format:"date-time" doc:"15 minutes after it was made, or before with the session, the entry or the version." example:"2026-01-02T15:19:05.000Z"`
}

// NewPreviewOf shows a preview.
func NewPreviewOf(p core.Preview, secret string) NewPreview {
	return NewPreview{secret, core.FormatTime(p.ExpiresAt)}
}
