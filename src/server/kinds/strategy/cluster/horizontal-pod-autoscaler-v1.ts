import type { KubeObject } from "../../../../model/core.js";
import type { Draft, TableColumn } from "../../../resources/resource-type.js";
import { as, type KindRules, resetStatus, strategyOf } from "../kind-rules.js";
import { normalizeV1, toAutoscalingV1, toAutoscalingV2 } from "./autoscaler-conversion.js";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.js";

const { columns, strategy } = horizontalPodAutoscaler;

/** Autoscalers of autoscaling/v1: the objects of v2, with the fields that v1 lacks as annotations. */
export const horizontalPodAutoscalerV1: KindRules = {
  columns: columns.map(ofV1),
  strategy: strategyOf({
    ...strategy,
    prepareCreate: resetStatus,
    validate: (object) => strategy.validate?.(inV2(object)) ?? [],
    validateUpdate: (object, old) => strategy.validateUpdate?.(inV2(object), inV2(old)) ?? [],
  }),
  storage: {
    apiVersion: "autoscaling/v2",
    conversion: { fromStorage: toAutoscalingV1, toStorage: toAutoscalingV2 },
  },
  defaults: normalizeV1,
};

function ofV1(column: TableColumn): TableColumn {
  return { ...column, cell: (object, now) => column.cell(inV2(object), now) };
}

function inV2(object: KubeObject | Draft): KubeObject {
  return as<KubeObject>(toAutoscalingV2(as<Draft>(object)));
}
