// Measures Go's queues of keys in the way runtime-queue.ts measures ours: the same keys, the same two patterns.
//
// Each line of standard input is a question, {"queue":"client-go","pattern":"steady state","size":1000}, and is answered
// by a line on standard output, {"nanoseconds":350}: what an item costs from being added to being done. A process that
// stays can be asked in turn with others.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// As many as runtime-queue-process.ts has; of a queue that takes ten times as long a quarter is enough.
const (
	leastItems     = 8_000_000
	leastSlowItems = 2_000_000
	leastRounds    = 2
)

type question struct {
	Queue   string `json:"queue"`
	Pattern string `json:"pattern"`
	Size    int    `json:"size"`
}

type answer struct {
	Nanoseconds float64 `json:"nanoseconds"`
}

type queue interface {
	Add(key string)
	Get() (key string, shutdown bool)
	Done(key string)
	Len() int
	ShutDown()
}

// Both without metrics, as ours is: a queue that has no name keeps none.
var makers = map[string]func() queue{
	"client-go":          func() queue { return workqueue.NewTyped[string]() },
	"controller-runtime": func() queue { return priorityqueue.New[string]("") },
}

var leastOf = map[string]int{"client-go": leastItems, "controller-runtime": leastSlowItems}

var patterns = map[string]func(queue queue, keys []string, rounds int) float64{
	"fill and drain": fillAndDrain,
	"steady state":   steadyState,
}

func main() {
	var keys []string
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			log.Fatal(err)
		}
		makeQueue, measure := makers[asked.Queue], patterns[asked.Pattern]
		if makeQueue == nil || measure == nil {
			log.Fatalf("no such queue or pattern: %s", lines.Text())
		}
		for len(keys) < asked.Size {
			keys = append(keys, key(len(keys)))
		}
		runtime.GC()
		queue := makeQueue()
		nanoseconds := measure(queue, keys[:asked.Size], roundsOf(leastOf[asked.Queue], asked.Size))
		queue.ShutDown()
		if err := answers.Encode(answer{nanoseconds}); err != nil {
			log.Fatal(err)
		}
	}
}

func key(index int) string {
	return fmt.Sprintf("team-%d/widget-%08x", index%100, uint32(index*2654435761))
}

// All are added, then all are worked off, as after a start.
func fillAndDrain(queue queue, keys []string, rounds int) float64 {
	begin := time.Now()
	for range rounds {
		for _, key := range keys {
			queue.Add(key)
		}
		for range keys {
			work(queue)
		}
	}
	cost := perItem(begin, rounds*len(keys))
	if left := queue.Len(); left != 0 {
		log.Fatalf("%d of %d items are left in the queue", left, len(keys))
	}
	return cost
}

// So many wait all the time: each that is done is added again.
func steadyState(queue queue, keys []string, rounds int) float64 {
	for _, key := range keys {
		queue.Add(key)
	}
	runtime.GC()
	items := rounds * len(keys)
	begin := time.Now()
	for range items {
		queue.Add(work(queue))
	}
	return perItem(begin, items)
}

func roundsOf(least, size int) int {
	if size < 100_000 {
		return (least + size - 1) / size
	}
	return leastRounds
}

func work(queue queue) string {
	key, shutdown := queue.Get()
	if shutdown {
		log.Fatal("the queue ended")
	}
	queue.Done(key)
	return key
}

func perItem(begin time.Time, items int) float64 {
	return float64(time.Since(begin).Nanoseconds()) / float64(items)
}
