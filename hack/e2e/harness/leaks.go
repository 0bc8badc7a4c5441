package harness

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Leaks tells which secrets stand in which texts, as they are, in base64 or escaped as JSON does; of what has several
// lines, such as a private key, one line is enough. It repeats no secret.
func Leaks(texts, secrets map[string]string) []string {
	var found []string
	for origin, secret := range secrets {
		forms := disguises(secret)
		for place, text := range texts {
			if slices.ContainsFunc(forms, func(s string) bool { return strings.Contains(text, s) }) {
				found = append(found, fmt.Sprintf("%s stands in %s", origin, place))
			}
		}
	}
	slices.Sort(found)
	return found
}

func disguises(secret string) []string {
	trimmed := strings.TrimSpace(secret)
	forms := []string{
		trimmed,
		// Without the last characters, which padding and what follows change.
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(trimmed)), "="),
	}
	if quoted, err := json.Marshal(trimmed); err == nil {
		forms = append(forms, strings.Trim(string(quoted), `"`))
	}
	if lines := strings.Split(trimmed, "\n"); len(lines) > 2 {
		// Not the first and the last, which say what it is.
		forms = append(forms, lines[1:len(lines)-1]...)
	}
	return forms
}
