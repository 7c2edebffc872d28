package main

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// What runtime-widgets.ts defines, in the types that a controller in Go would have.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Image    string            `json:"image"`
	Replicas int               `json:"replicas"`
	Sequence int               `json:"sequence"`
	Paused   bool              `json:"paused"`
	Ports    []WidgetPort      `json:"ports"`
	Settings map[string]string `json:"settings"`
}

type WidgetPort struct {
	Name     string `json:"name"`
	Port     int    `json:"port"`
	Protocol string `json:"protocol"`
}

type WidgetStatus struct {
	// Zero is said too: that nothing has been seen is another thing.
	Seen               *int               `json:"seen,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Widget `json:"items"`
}

var (
	groupVersion = schema.GroupVersion{Group: "bench.fettle.dev", Version: "v1"}
	builder      = (&scheme.Builder{GroupVersion: groupVersion}).Register(&Widget{}, &WidgetList{})
)

func (w *Widget) DeepCopyObject() runtime.Object {
	return w.copy()
}

func (w *Widget) copy() *Widget {
	other := *w
	other.ObjectMeta = *w.ObjectMeta.DeepCopy()
	other.Spec.Ports = slices.Clone(w.Spec.Ports)
	other.Spec.Settings = maps.Clone(w.Spec.Settings)
	if w.Status.Seen != nil {
		seen := *w.Status.Seen
		other.Status.Seen = &seen
	}
	// A condition has no pointers that anybody writes through.
	other.Status.Conditions = slices.Clone(w.Status.Conditions)
	return &other
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	other := *l
	other.ListMeta = *l.ListMeta.DeepCopy()
	other.Items = make([]Widget, len(l.Items))
	for index := range l.Items {
		other.Items[index] = *l.Items[index].copy()
	}
	return &other
}
