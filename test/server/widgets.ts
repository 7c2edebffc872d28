/** Kind with everything that kubectl can show: columns, short names, categories, status, scale, selectable fields. */
export const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.demo.dev
spec:
  group: demo.dev
  names: { kind: Widget, plural: widgets, singular: widget, listKind: WidgetList, shortNames: [wd], categories: [all, demo] }
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector }
    selectableFields:
    - jsonPath: .spec.color
    additionalPrinterColumns:
    - { name: Color, type: string, jsonPath: .spec.color }
    - { name: Replicas, type: integer, jsonPath: .spec.replicas }
    - { name: Size, type: string, jsonPath: .spec.size, priority: 1 }
    - { name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status' }
    - { name: Age, type: date, jsonPath: .metadata.creationTimestamp }
    schema:
      openAPIV3Schema:
        type: object
        description: A thing with a color.
        required: [spec]
        properties:
          spec:
            type: object
            required: [color]
            properties:
              color: { type: string, description: What it looks like., enum: [red, green, blue] }
              size: { type: string, default: medium }
              replicas: { type: integer, minimum: 0, default: 1 }
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: { name: { type: string }, port: { type: integer } }
          status:
            type: object
            properties:
              replicas: { type: integer }
              selector: { type: string }
              conditions:
                type: array
                items:
                  type: object
                  properties:
                    type: { type: string }
                    status: { type: string }
                    reason: { type: string }
                    message: { type: string }
                    lastTransitionTime: { type: string, format: date-time }
`;

/** Manifest of a widget. */
export function widget(name: string, color: string, more = ""): string {
  return `
apiVersion: demo.dev/v1
kind: Widget
metadata: { name: ${name}, labels: { color: ${color} } }
spec: { color: ${color}${more === "" ? "" : `, ${more}`} }
`;
}
