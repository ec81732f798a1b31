package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

const (
	secretPrefix    = "whsec_"
	signaturePrefix = "v1,"
)

// signatures returns the value of webhook-signature: a signature by each secret. A secret is the
// prefix whsec_ and the key in base64.
func signatures(secrets []string, id, timestamp string, body []byte) string {
	var all []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			continue // the program made it
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		all = append(all, signaturePrefix+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(all, " ")
}
