package legacy

import (
	"crypto/md5" //nolint:gosec // MONGODB-CR is defined by it.
	"encoding/hex"

	"github.com/mongobench/mongobench-operator/loadgen/driver/wire"
)

// firstWithSCRAM is the wire version of MongoDB 3.0, which no longer knows MONGODB-CR for new users.
const firstWithSCRAM = 3

// mongodbCR is the mechanism of MongoDB 2.x and TokuMX.
const mongodbCR = "MONGODB-CR"

// logIn logs in by what the server knows. SCRAM-SHA-256 came with 4.0, whose users have SCRAM-SHA-1 too unless they
// were made without; so that is what is taken unless the connection string asks for the other.
func (c *conn) logIn(login *wire.Login) error {
	if c.hello.wireVersion < firstWithSCRAM {
		return login.Failed(mongodbCR, c.challengeResponse(login))
	}
	mechanism := login.Mechanism
	if mechanism == "" {
		mechanism = wire.ScramSHA1
	}
	return login.Authenticate([]string{mechanism}, c.run)
}

// challengeResponse proves the password without sending it.
func (c *conn) challengeResponse(login *wire.Login) error {
	answer, err := c.run(login.Source, newCommand("getnonce", int32(1)))
	if err != nil {
		return err
	}
	nonce := text(answer, "nonce")
	_, err = c.run(login.Source, newCommand("authenticate", int32(1), "user", login.Username, "nonce", nonce,
		"key", responseKey(nonce, login)))
	return err
}

func responseKey(nonce string, login *wire.Login) string {
	digest := hexMD5(login.Username + ":mongo:" + login.Password)
	return hexMD5(nonce + login.Username + digest)
}

func hexMD5(text string) string {
	sum := md5.Sum([]byte(text)) //nolint:gosec // As the import says.
	return hex.EncodeToString(sum[:])
}
