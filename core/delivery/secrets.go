package delivery

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/secret"
	"imprimatur/core/webhook"
)

// secrets are the parts of a webhook that are stored encrypted.
type secrets struct {
	Signing []signingSecret   `json:"signing"` // the newest first
	Headers map[string]string `json:"headers,omitempty"`
}

// signingSecret is a secret that signs messages until its end.
type signingSecret struct {
	Secret string    `json:"secret"`
	Until  time.Time `json:"until,omitzero"` // zero: no end
}

const (
	secretPrefix = "whsec_"
	secretSize   = 32 // bytes
	// overlap is how long the previous secret signs beside a new one.
	overlap = 24 * time.Hour
	// mostSecrets is the maximum number of secrets that sign at the same time.
	mostSecrets = 5
)

// newSecret returns a random secret as Standard Webhooks writes it.
func newSecret() string {
	var raw [secretSize]byte
	_, _ = rand.Read(raw[:]) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(raw[:])
}

// rotate adds a new secret, which it returns. The present one is valid until overlap after now, earlier
// ones as long as they were.
func (s *secrets) rotate(now time.Time) string {
	added := newSecret()
	kept := []signingSecret{{Secret: added}}
	for _, earlier := range s.Signing {
		if earlier.Until.IsZero() {
			earlier.Until = now.Add(overlap)
		}
		if now.Before(earlier.Until) && len(kept) < mostSecrets {
			kept = append(kept, earlier)
		}
	}
	s.Signing = kept
	return added
}

// valid returns the secrets that sign at now, the newest first.
func (s *secrets) valid(now time.Time) (texts []string) {
	for _, signing := range s.Signing {
		if signing.Until.IsZero() || now.Before(signing.Until) {
			texts = append(texts, signing.Secret)
		}
	}
	return texts
}

// seal stores s in w, encrypted.
func (s *secrets) seal(key secret.Key, w *webhook.Webhook) {
	plain, _ := json.Marshal(s) // texts and times always encode
	w.Secrets = key.Seal(secret.Webhooks, plain, sealContext(w))
}

// openSecrets returns the secrets of w. The error is core.KindInternal if they were encrypted with
// another secret key.
func openSecrets(key secret.Key, w *webhook.Webhook) (s secrets, err error) {
	plain, err := key.Open(secret.Webhooks, w.Secrets, sealContext(w))
	if err == nil {
		err = json.Unmarshal(plain, &s)
	}
	if err != nil {
		err = &core.Error{Kind: core.KindInternal, Code: "secret_key", Message: "the secret of the webhook was made with another secret key: make a new one", Err: err}
	}
	return s, err
}

// sealContext binds the secrets to the Project, so that those of another one are of no use there.
func sealContext(w *webhook.Webhook) []byte { return strconv.AppendInt(nil, w.ProjectID, 10) }
