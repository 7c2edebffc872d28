import {
  documentInSteps,
  type Document,
  type DocumentSteps,
  type LazyContent,
} from "../discovery/document.js";
import { groupsOf } from "../discovery/groups.js";
import type { ResourceType } from "../resources/resource-type.js";
import { info, securitySchemes } from "./info.js";
import { codeNames, consumes, produces } from "./operations.js";
import type { Parameter } from "./parameters.js";
import { routesOf, type Route, type RoutedOperation } from "./routes.js";
import { Schemas, type Published } from "./schemas.js";

/** `/openapi/v2`: one document for all kinds. Omits what v2 cannot express. */
export function openApiV2(types: readonly ResourceType[]): DocumentSteps<Document<readonly Buffer[]>> {
  return documentInSteps(openApiV2Content(types));
}

/** Content of `/openapi/v2`, before it is encoded. Its paths define the schemas and parameters that they refer to. */
export function openApiV2Content(types: readonly ResourceType[]): LazyContent {
  const writer = new Writer();
  return {
    swagger: "2.0",
    info,
    paths: function* () {
      for (const { versions } of groupsOf(types)) {
        for (const type of versions.flatMap((version) => version.types)) {
          for (const route of routesOf(type)) yield [route.path, writer.pathItem(type, route)];
        }
      }
    },
    definitions: () => writer.schemas.all,
    parameters: () => writer.parameters,
    securityDefinitions: securitySchemes,
    security: [{ BearerToken: [] }],
  };
}

class Writer {
  readonly schemas = new Schemas(2);
  /** Shared parameters by name, which operations refer to. */
  readonly parameters = new Map<string, Published>();

  pathItem(type: ResourceType, { parameters, operations }: Route): Published {
    return {
      ...Object.fromEntries(
        operations.map((operation) => [operation.method, this.#operation(type, operation)]),
      ),
      parameters: parameters.map((parameter) => this.#parameter(parameter)),
    };
  }

  #operation(type: ResourceType, operation: RoutedOperation): Published {
    const { id, tag, description, parameters, body, answer, codes, action, kind } = operation;
    const schema = this.schemas.refTo(answer, type);
    return {
      description,
      consumes: body ? consumes(type, body.model) : ["*/*"],
      produces: produces(answer),
      schemes: ["https"],
      tags: [tag],
      operationId: id,
      parameters: [
        ...(body
          ? [
              {
                name: "body",
                in: "body",
                ...(body.required && { required: true }),
                schema: this.schemas.refTo(body.model, type),
              },
            ]
          : []),
        ...parameters.map((parameter) => this.#parameter(parameter)),
      ],
      responses: Object.fromEntries(
        codes.map((code) => [code, { description: codeNames[code], ...(code !== 401 && { schema }) }]),
      ),
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": kind,
    };
  }

  #parameter({ name, in: place, type, description }: Parameter): Published {
    if (!this.parameters.has(name)) {
      this.parameters.set(name, {
        name,
        in: place,
        description,
        ...(place === "path" && { required: true }),
        type,
        uniqueItems: true,
      });
    }
    return { $ref: `#/parameters/${name}` };
  }
}
