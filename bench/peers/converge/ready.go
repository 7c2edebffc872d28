package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A watch of its own, which sees what any other client would see.
type readyWatch struct {
	client    client.WithWatch
	namespace string
	// The version it has seen last.
	since string
}

func watchReady(connection *rest.Config, namespace, since string) (*readyWatch, error) {
	watcher, err := client.NewWithWatch(connection, client.Options{Scheme: types})
	return &readyWatch{watcher, namespace, since}, err
}

// Returns when so many different widgets were ready.
func (w *readyWatch) until(ctx context.Context, count int) error {
	ready := make(map[string]bool, count)
	for len(ready) < count {
		// A server ends the watch of a client that does not keep up; that goes on where it was.
		if err := w.once(ctx, ready, count); err != nil {
			return fmt.Errorf("after %d of %d were ready: %w", len(ready), count, err)
		}
	}
	return nil
}

func (w *readyWatch) once(ctx context.Context, ready map[string]bool, count int) error {
	// A watch that begins at a version is there at once; without one, the server first makes sure of what is newest.
	from := client.ListOptions{Namespace: w.namespace, Raw: &metav1.ListOptions{ResourceVersion: w.since}}
	events, err := w.client.Watch(ctx, &WidgetList{}, &from)
	if err != nil {
		return err
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		widget, ok := event.Object.(*Widget)
		if !ok {
			return fmt.Errorf("the watch says %s: %v", event.Type, event.Object)
		}
		w.since = widget.ResourceVersion
		if meta.IsStatusConditionTrue(widget.Status.Conditions, "Ready") {
			ready[widget.Name] = true
		}
		if len(ready) >= count {
			return nil
		}
	}
	return ctx.Err()
}
