// Program process-compose is the unmodified process-compose of the version in go.mod. `go install` is no alternative: it asks the
// module proxy for a list of all versions, which not every proxy serves.
package main

import "github.com/f1bonacc1/process-compose/src/cmd"

func main() {
	cmd.Execute()
}
