import type { Scope } from "../../../model/object/object-key.js";
import type { User } from "../../access/user.js";
import type { ApiRequest, GroupVersionResource, RequestOptions } from "../../request/api-request.js";
import type { ResourceType, Verb } from "../../resources/resource-type.js";
import type { HttpContext } from "../context.js";
import type { Exchange } from "../exchange.js";
import {
  listOffer,
  negotiateCached,
  objectOffer,
  objectWithoutTableOffer,
  watchOffer,
  type Negotiated,
  type Offered,
} from "../negotiate.js";
import { hasTable } from "../../resources/subresources.js";
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
  readonly #type: ResourceType | undefined;
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
    this.#type = type;
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
    this.#form ??= negotiateCached(this.#exchange.request.headers.accept ?? "", this.#offer);
    return this.#form;
  }

  get #offer(): Offered {
    if (this.#type !== undefined && !hasTable(this.#type, this.subresource)) return objectWithoutTableOffer;
    return offers[this.verb] ?? objectOffer;
  }

  get options(): RequestOptions[V] {
    if (this.#options === undefined) {
      void this.form;
      this.#options = parsers[this.verb](this.#exchange.query, this.#context);
    }
    return this.#options;
  }

  /** Signal of the exchange for requests that can take long, among them the binding and eviction of a pod; a watch has its own. */
  get signal(): AbortSignal | undefined {
    const isLong = longVerbs.has(this.verb) || this.subresource !== undefined;
    return this.#signal ?? (isLong ? this.#exchange.signal : undefined);
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

const maxManagerLength = 128;
const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** Default field manager of a write: the program in the `User-Agent` header. */
export function managerFromUserAgent(userAgent: string | undefined): string {
  let manager = "";
  let size = 0;
  for (const character of (userAgent ?? "").split("/", 1)[0] ?? "") {
    if (unprintable.test(character)) continue;
    size += Buffer.byteLength(character);
    if (size > maxManagerLength) break;
    manager += character;
  }
  return manager;
}

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
