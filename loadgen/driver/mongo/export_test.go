package mongo

import driver "go.mongodb.org/mongo-driver/v2/mongo"

// ObserverClient is for tests of who a client is, as are the next two.
func ObserverClient(t *Target) (*driver.Client, error) { return t.observer.Deployment() }

// ActionClient is that of the user that carries out actions.
func ActionClient(t *Target) (*driver.Client, error) { return t.action.Deployment() }

// ActionMember is a client of one member as that user.
func ActionMember(t *Target, host string) (*driver.Client, error) {
	return t.action.ConnectMember(host)
}
