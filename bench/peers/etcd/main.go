// etcd in a version that kube-apiserver 1.34 is released with: those that distributions carry may lack what it needs to
// answer consistent lists from its cache.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
