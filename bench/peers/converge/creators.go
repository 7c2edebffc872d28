package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// Clients that each create one widget at a time, on a connection of their own as ours have it.
type creators []*rest.RESTClient

func newCreators(connection *rest.Config, count int) (creators, error) {
	own := rest.CopyConfig(connection)
	own.GroupVersion = &groupVersion
	own.APIPath = "/apis"
	own.NegotiatedSerializer = serializer.NewCodecFactory(types).WithoutConversion()
	own.RateLimiter = flowcontrol.NewFakeAlwaysRateLimiter()
	// HTTP/2 would put all of them on one connection, whose single reader is then what is measured.
	own.NextProtos = []string{"http/1.1"}
	client, err := rest.RESTClientFor(own)
	if err != nil {
		return nil, err
	}
	all := make(creators, count)
	for index := range all {
		all[index] = client
	}
	return all, nil
}

func (c creators) createAll(ctx context.Context, namespace string, count int) error {
	var next atomic.Int64
	var failed atomic.Value
	var all sync.WaitGroup
	for _, client := range c {
		all.Go(func() {
			for index := int(next.Add(1)) - 1; index < count && failed.Load() == nil; index = int(next.Add(1)) - 1 {
				body, err := json.Marshal(widget(namespace, index))
				if err == nil {
					// The answer is not parsed: ours does not either.
					_, err = client.Post().Namespace(namespace).Resource("widgets").Body(body).DoRaw(ctx)
				}
				if err != nil {
					failed.Store(err)
				}
			}
		})
	}
	all.Wait()
	if err, ok := failed.Load().(error); ok {
		return err
	}
	return nil
}

func (c creators) close() {
	for _, client := range c {
		client.Client.CloseIdleConnections()
	}
}

func widget(namespace string, index int) *Widget {
	return &Widget{
		TypeMeta: metav1.TypeMeta{APIVersion: groupVersion.String(), Kind: "Widget"},
		ObjectMeta: metav1.ObjectMeta{
			Name:      fmt.Sprintf("widget-%08x", uint32(index*2654435761)),
			Namespace: namespace,
			Labels: map[string]string{
				"app.kubernetes.io/name": "widget",
				"team":                   fmt.Sprintf("team-%d", index%100),
				"tier":                   "backend",
			},
			Annotations: map[string]string{"bench.fettle.dev/owner": fmt.Sprintf("person-%d@example.com", index%997)},
		},
		Spec: WidgetSpec{
			Image:    fmt.Sprintf("registry.example.com/widgets/server:1.%d.%d", index%50, index%7),
			Replicas: index%9 + 1,
			Paused:   index%10 == 0,
			Ports: []WidgetPort{
				{Name: "http", Port: 8080, Protocol: "TCP"},
				{Name: "metrics", Port: 9090 + index%10, Protocol: "TCP"},
			},
			Settings: map[string]string{
				"LOG_LEVEL": "info",
				"DATABASE":  fmt.Sprintf("postgres://db-%d.example.com:5432/widgets", index%31),
				"CACHE":     fmt.Sprintf("redis://cache-%d.example.com:6379", index%17),
				"REGION":    fmt.Sprintf("region-%d", index%5),
			},
		},
	}
}
