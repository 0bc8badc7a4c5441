package legacy

import (
	"encoding/binary"
	"testing"
)

// FuzzParseReply: whatever comes from a network, it is read within its bounds, or refused.
func FuzzParseReply(f *testing.F) {
	whole := make([]byte, replyBytes, replyBytes+5)
	binary.LittleEndian.PutUint32(whole[12:], opReply)
	binary.LittleEndian.PutUint32(whole[32:], 1)
	f.Add(append(whole, 5, 0, 0, 0, 0))
	f.Add(whole)
	f.Fuzz(func(t *testing.T, message []byte) {
		answer, err := parseReply(message, 0)
		if err != nil {
			return
		}
		var documents int64
		for rest := answer.documents; len(rest) > 0; documents++ {
			length, ok := documentLength(rest)
			if !ok {
				t.Fatal("a document is cut off")
			}
			rest = rest[length:]
		}
		if documents != answer.count {
			t.Errorf("%d documents, and it says %d", documents, answer.count)
		}
	})
}
