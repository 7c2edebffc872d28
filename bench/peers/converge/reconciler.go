package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// Says of every widget that it is ready, and does no more than that.
type reconciler struct {
	client client.Client
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := r.client.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := widget.copy()
	seen := widget.Spec.Sequence
	widget.Status.Seen = &seen
	widget.Status.ObservedGeneration = widget.Generation
	changed := meta.SetStatusCondition(&widget.Status.Conditions, metav1.Condition{
		Type:               "Ready",
		Status:             metav1.ConditionTrue,
		Reason:             "Reconciled",
		ObservedGeneration: widget.Generation,
	})
	// Our runtime writes nothing either where nothing is new.
	if !changed && before.Status.Seen != nil && *before.Status.Seen == seen {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.client.Status().Patch(ctx, &widget, client.MergeFrom(before))
}

// Starts the controller for one namespace, as a user would: reads come from the cache, nothing is slowed down on purpose.
// Resolves when the cache is filled; the controller ends with ctx.
func startController(ctx context.Context, connection *rest.Config, namespace string, concurrency int) error {
	skipNames := true
	manager, err := ctrl.NewManager(connection, ctrl.Options{
		Scheme:  types,
		Metrics: server.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		// Every measurement starts a controller of this name in the same process.
		Controller: config.Controller{SkipNameValidation: &skipNames},
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Widget{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		Complete(&reconciler{client: manager.GetClient()})
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- manager.Start(ctx) }()
	select {
	case err := <-failed:
		return err
	case <-manager.Elected():
	}
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return ctx.Err()
	}
	return nil
}
