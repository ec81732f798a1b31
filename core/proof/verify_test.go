package proof_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/proof"
)
