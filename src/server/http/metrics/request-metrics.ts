import type { ResourceType } from "../../resources/resource-type.js";
import type { DroppedRequests } from "../limits/in-flight.js";
import { Histogram, requestBuckets } from "./histogram.js";

/** Labels of a request. */
export interface RequestLabels {
  /** As in Kubernetes: `GET`, `LIST`, `WATCH`, `POST`, `PUT`, `PATCH`, `DELETE`, `DELETECOLLECTION`. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** For paths that name no resource, the path. */
  readonly subresource: string;
}

/** Counters of all requests with the same labels. */
export class RequestSeries {
  readonly labels: RequestLabels;
  /** Number of requests by status code. */
  readonly codes = new Map<number, number>();
  readonly duration = new Histogram(requestBuckets);
  /** Open watches. */
  open = 0;
  /** Events sent to watches. */
  events = 0;

  constructor(labels: RequestLabels) {
    this.labels = labels;
  }

  count(code: number, seconds: number | undefined): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    if (seconds !== undefined) this.duration.observe(seconds);
  }
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counters of requests, in plain fields; rendered as metrics on demand. */
export class RequestMetrics {
  readonly #series = new Map<string, RequestSeries>();
  /** Index of the series that needs no string key, since it is used for each request. */
  readonly #byType = new WeakMap<ResourceType, Map<string, Map<string, RequestSeries>>>();
  /** Requests rejected with 429. */
  readonly dropped: DroppedRequests = { readOnly: 0, mutating: 0, watch: 0 };

  get all(): Iterable<RequestSeries> {
    return this.#series.values();
  }

  ofResource(type: ResourceType, verb: string, subresource: string): RequestSeries {
    let verbs = this.#byType.get(type);
    if (verbs === undefined) this.#byType.set(type, (verbs = new Map()));
    let parts = verbs.get(verb);
    if (parts === undefined) verbs.set(verb, (parts = new Map()));
    let series = parts.get(subresource);
    if (series === undefined) {
      const { group, version, plural: resource } = type;
      series = this.of({ verb, group, version, resource, subresource });
      parts.set(subresource, series);
    }
    return series;
  }

  /** Series of a path without a resource; `path` must not come from the client. */
  ofPath(path: string): RequestSeries {
    return this.of({ verb: "GET", group: "", version: "", resource: "", subresource: path });
  }

  /** Series of requests that failed before they had a path or resource. */
  other(method: string): RequestSeries {
    const verb = methods.has(method) ? method : "OTHER";
    return this.of({ verb, group: "", version: "", resource: "", subresource: "" });
  }

  of(labels: RequestLabels): RequestSeries {
    const key = JSON.stringify(Object.values(labels));
    let series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, (series = new RequestSeries(labels)));
    return series;
  }
}
