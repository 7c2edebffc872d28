import type { Scope } from "../../../model/object/object-key.js";
import type { User } from "../../access/user.js";
import type { ApiRequest, GroupVersionResource, RequestOptions } from "../../request/api-request.js";
import type { ResourceType, Verb } from "../../resources/resource-type.js";
import { formOf } from "../response/form.js";
import type { HttpContext } from "../context.js";
import type { Exchange } from "../exchange.js";
import { listOffer, objectOffer, watchOffer, type Negotiated, type Offered } from "../negotiate.js";
import { managerFromUserAgent } from "./field-manager.js";
import { HttpBody } from "./http-body.js";
import { deleteOptions, getOptions, listOptions, watchOptions, writeOptions } from "./options.js";
import type { ResourcePath } from "./path.js";
import type { Query } from "./query.js";

/** Properties of a request from its request line and headers. */
export interface RequestLine {
  readonly user: User;
  readonly verb: Verb;
  readonly path: ResourcePath;
  /** Kind at the path, if one is served there. */
  readonly type: ResourceType | undefined;
}

/** An HTTP request as the pipeline sees it. Query and body are read when they are first used. */
export class HttpApiRequest<V extends Verb = Verb> implements ApiRequest<V> {
  readonly user: User;
  readonly verb: V;
  readonly resource: GroupVersionResource;
  readonly scope: Scope;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #context: HttpContext;
  readonly #exchange: Exchange;
  #options: RequestOptions[V] | undefined;
  #form: Negotiated | undefined;

  constructor(
    context: HttpContext,
    exchange: Exchange,
    line: RequestLine & { readonly verb: V },
    signal?: AbortSignal,
  ) {
    const { user, verb, path, type } = line;
    this.#context = context;
    this.#exchange = exchange;
    this.user = user;
    this.verb = verb;
    this.resource = path;
    this.name = path.name;
    this.subresource = path.subresource;
    // The path of a namespace has its name where others have their namespace.
    const isNamespace = path.resource === "namespaces" && type?.namespaced !== true;
    this.scope = { namespace: isNamespace ? undefined : path.namespace };
    this.#signal = signal;
  }

  /** Negotiated format of the response. Read with the options, so that a 406 comes before any write. */
  get form(): Negotiated {
    this.#form ??= formOf(this.#exchange, offers[this.verb] ?? objectOffer);
    return this.#form;
  }

  get options(): RequestOptions[V] {
    if (this.#options === undefined) {
      void this.form;
      this.#options = parsers[this.verb](this.#exchange.query, this.#context);
    }
    return this.#options;
  }

  /** Signal of the exchange for verbs that can take long; a watch has its own. */
  get signal(): AbortSignal | undefined {
    return this.#signal ?? (longVerbs.has(this.verb) ? this.#exchange.signal : undefined);
  }

  get streams(): boolean {
    return this.verb === "list";
  }

  get program(): string {
    return managerFromUserAgent(this.#exchange.header("user-agent"));
  }

  get body(): HttpBody {
    return new HttpBody(this.#exchange, this.#context.limits.bodyBytes);
  }

  get warn(): (text: string) => void {
    return (text) => this.#exchange.warnings.add(text);
  }
}

/** Verbs that wait for others, or whose work grows with the number of objects. */
const longVerbs: ReadonlySet<Verb> = new Set(["list", "update", "patch", "delete", "deletecollection"]);

const offers: Partial<Record<Verb, Offered>> = {
  list: listOffer,
  deletecollection: listOffer,
  watch: watchOffer,
};

const parsers: { readonly [V in Verb]: (query: Query, context: HttpContext) => RequestOptions[V] } = {
  get: getOptions,
  list: listOptions,
  watch(query, { limits }) {
    // Random, so that watches that started together do not all end together.
    return watchOptions(query, Math.round((limits.watchTimeout / 1000) * (1 + Math.random())));
  },
  create: writeOptions,
  update: writeOptions,
  patch: writeOptions,
  delete: deleteOptions,
  deletecollection: (query) => ({ ...listOptions(query), ...deleteOptions(query) }),
};
