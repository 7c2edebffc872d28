// The controller of runtime-widgets.ts in controller-runtime, from the first create to the last Ready, measured in the way
// runtime-converge.ts measures ours: creators, controller and who waits for Ready are in this process.
//
//	converge <kubeconfig>
//
// Each line of standard input is a question about a namespace that is there and empty, since a version of the store:
// {"namespace":"converge-1","since":"218","objects":10000,"creators":64,"concurrency":64}. It is answered by a line on
// standard output, {"milliseconds":9000,"processor":12000,"peak":80000000}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"log"
	"os"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
)

type question struct {
	Namespace   string `json:"namespace"`
	Since       string `json:"since"`
	Objects     int    `json:"objects"`
	Creators    int    `json:"creators"`
	Concurrency int    `json:"concurrency"`
}

type answer struct {
	Milliseconds float64 `json:"milliseconds"`
	// Milliseconds of processor time that this process took, with all its threads.
	Processor float64 `json:"processor"`
	// The most memory this process ever had, in bytes.
	Peak int64 `json:"peak"`
}

var types = runtime.NewScheme()

func main() {
	ctrl.SetLogger(logr.Discard())
	if err := builder.AddToScheme(types); err != nil {
		log.Fatal(err)
	}
	connection, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	// No limit of the client's own: the server is what is asked for.
	connection.QPS = -1
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			log.Fatal(err)
		}
		found, err := converge(connection, asked)
		if err != nil {
			log.Fatal(err)
		}
		if err := answers.Encode(found); err != nil {
			log.Fatal(err)
		}
	}
}

func converge(connection *rest.Config, asked question) (answer, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := startController(ctx, connection, asked.Namespace, asked.Concurrency); err != nil {
		return answer{}, err
	}
	creators, err := newCreators(connection, asked.Creators)
	if err != nil {
		return answer{}, err
	}
	defer creators.close()
	watching, err := watchReady(connection, asked.Namespace, asked.Since)
	if err != nil {
		return answer{}, err
	}
	before := usage()
	begin := time.Now()
	ready := make(chan error, 1)
	go func() { ready <- watching.until(ctx, asked.Objects) }()
	if err := creators.createAll(ctx, asked.Namespace, asked.Objects); err != nil {
		return answer{}, err
	}
	if err := <-ready; err != nil {
		return answer{}, err
	}
	took := time.Since(begin)
	after := usage()
	return answer{
		Milliseconds: float64(took.Microseconds()) / 1000,
		Processor:    float64((processorTime(after) - processorTime(before)).Microseconds()) / 1000,
		Peak:         after.Maxrss * 1024,
	}, nil
}

func usage() syscall.Rusage {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		log.Fatal(err)
	}
	return used
}

func processorTime(used syscall.Rusage) time.Duration {
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
