package demo

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Facts are the ids and secrets of the example organisation, as in demo.json.
type Facts struct {
	BaseURL     string `json:"baseUrl"`
	OpsURL      string `json:"opsUrl"`
	MailURL     string `json:"mailUrl,omitempty"` // the page with the e-mails that the demo would send
	TenantID    int64  `json:"tenantId"`
	Departments struct {
		Newsroom  int64 `json:"newsroom"`
		Marketing int64 `json:"marketing"`
	} `json:"departments"`
	CustomRoles struct {
		Legal int64 `json:"legal"`
	} `json:"customRoles"`
	Projects struct {
		WorldDesk         ProjectRef `json:"worldDesk"`
		Blog              ProjectRef `json:"blog"`
		InvestorRelations ProjectRef `json:"investorRelations"`
		Archive           ProjectRef `json:"archive"`
	} `json:"projects"`
	Collections struct {
		Countries int64 `json:"countries"` // of World Desk, as articles
		Articles  int64 `json:"articles"`
		Pages     int64 `json:"pages"`
		Posts     int64 `json:"posts"`     // of Blog
		BlogPages int64 `json:"blogPages"` // of Blog
		Notices   int64 `json:"notices"`   // of Investor Relations
	} `json:"collections"`
	Releases struct {
		InReview  int64 `json:"inReview"`
		Scheduled int64 `json:"scheduled"`
		Published int64 `json:"published"`
		Reverted  int64 `json:"reverted"` // published, and taken back by another one
	} `json:"releases"` // of World Desk
	Users  map[string]Account `json:"users"`
	Tokens struct {
		WorldDesk struct {
			Full     string `json:"full"`
			ReadOnly string `json:"readOnly"`
			Drafts   string `json:"drafts"`
			NoRead   string `json:"noRead"`
		} `json:"worldDesk"`
		Blog struct {
			Full     string `json:"full"`
			ReadOnly string `json:"readOnly"`
		} `json:"blog"`
	} `json:"tokens"` // the secrets
	Assistant string `json:"assistant"` // the secret of the editor's assistant in World Desk
}

// ProjectRef holds the id and the UUID of a project.
type ProjectRef struct {
	ID   int64  `json:"id"`
	UUID string `json:"uuid"`
}

// Account holds the credentials of a user.
type Account struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

const (
	factsFile       = "demo.json"
	environmentFile = "demo.env"
)

// Load reads the facts of the organisation in dir. The error is fs.ErrNotExist when dir
// has none.
func Load(dir string) (Facts, error) {
	var facts Facts
	text, err := os.ReadFile(filepath.Join(dir, factsFile))
	if err != nil {
		return facts, err
	}
	return facts, json.Unmarshal(text, &facts)
}

// Save writes the facts to demo.json in dir, and the most needed ones as shell variables to
// demo.env. Both files contain secrets and are readable only by their owner.
func (f Facts) Save(dir string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	if err := writeWhole(filepath.Join(dir, environmentFile), f.environment()); err != nil {
		return err
	}
	return writeWhole(filepath.Join(dir, factsFile), append(text, '\n'))
}

// shellNames are the names of the users in demo.env.
var shellNames = [][2]string{{"editor", "EDITOR"}, {"projectAdmin", "DESK"}, {"legal", "LEGAL"}, {"departmentAdmin", "HEAD"}}

func (f Facts) environment() []byte {
	text := fmt.Appendf(nil, "BASE='%s'\nPROJECT='%s'\nPROJECT_ID=%d\nARTICLES_ID=%d\nTOKEN='%s'\nFULL_TOKEN='%s'\n",
		f.BaseURL, f.Projects.WorldDesk.UUID, f.Projects.WorldDesk.ID, f.Collections.Articles,
		f.Tokens.WorldDesk.ReadOnly, f.Tokens.WorldDesk.Full)
	for _, name := range shellNames {
		user := f.Users[name[0]]
		text = fmt.Appendf(text, "%[1]s_EMAIL='%[2]s'\n%[1]s_PASSWORD='%[3]s'\n", name[1], user.Email, user.Password)
	}
	return text
}

// writeWhole writes a file atomically.
func writeWhole(path string, text []byte) error {
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
