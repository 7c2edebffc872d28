import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../model/core.js";
import { aggregatedConversions } from "../discovery/aggregated.js";
import { listOffer, negotiate, objectOffer, plainOffer, watchOffer, type Offered } from "./negotiate.js";

function formOf(accept: string | undefined, offered: Offered = objectOffer): string {
  const { mediaType, as, pretty } = negotiate(accept, offered);
  const target = as ? ` as ${as.kind} ${as.group}/${as.version}` : "";
  return `${mediaType}${target}${pretty ? " pretty" : ""}`;
}

describe("negotiation", () => {
  it.each([
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["*", "application/json"],
    ["application/*", "application/json"],
    ["application/yaml", "application/yaml"],
    ["Application/YAML; charset=utf-8", "application/yaml"],
    ["text/html, application/yaml;q=0.5, application/json;q=0.9", "application/json"],
    ["*/*, application/yaml", "application/yaml"],
    ["application/*;q=0.5, application/yaml;q=0.5", "application/yaml"],
    ["application/yaml;q=0, */*;q=0.1", "application/json"],
    ["application/json;pretty=1", "application/json pretty"],
    ["application/vnd.kubernetes.protobuf, application/json", "application/json"],
    ["application/vnd.kubernetes.protobuf,*/*", "application/json"],
    ["application/json;as=Unknown;v=v1;g=meta.k8s.io,application/yaml", "application/yaml"],
    ["application/json;stream=watch", "application/json"],
    ["application/yaml;stream=watch,application/json", "application/json"],
    ["application/json;sv=v1,application/yaml", "application/yaml"],
    ["application/json/x, application, ;;;, =, application/yaml", "application/yaml"],
    ['application/json;as="Table";v="v1";g="meta.k8s.io"', "application/json as Table meta.k8s.io/v1"],
  ])("negotiates %j as %s", (accept, form) => {
    expect(formOf(accept)).toBe(form);
  });

  it("gives kubectl get a Table", () => {
    const accept =
      "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
    expect(formOf(accept, listOffer)).toBe("application/json as Table meta.k8s.io/v1");
    expect(formOf(accept, watchOffer)).toBe("application/json as Table meta.k8s.io/v1");
    expect(formOf(accept, plainOffer)).toBe("application/json");
  });

  it("gives metadata clients PartialObjectMetadata", () => {
    const accept = (kind: string) =>
      `application/vnd.kubernetes.protobuf;as=${kind};g=meta.k8s.io;v=v1,application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
    expect(formOf(accept("PartialObjectMetadataList"), listOffer)).toBe(
      "application/json as PartialObjectMetadataList meta.k8s.io/v1",
    );
    expect(formOf(accept("PartialObjectMetadata"), watchOffer)).toBe(
      "application/json as PartialObjectMetadata meta.k8s.io/v1",
    );
  });

  it("gives every version of kubectl the discovery format it requests", () => {
    const offered = { mediaTypes: ["application/json"], conversions: aggregatedConversions };
    const old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
    expect(formOf(old, offered)).toBe(
      "application/json as APIGroupDiscoveryList apidiscovery.k8s.io/v2beta1",
    );
    expect(formOf(`${old.replace("v2beta1", "v2")},${old}`, offered)).toBe(
      "application/json as APIGroupDiscoveryList apidiscovery.k8s.io/v2",
    );
    expect(formOf("application/json", offered)).toBe("application/json");
  });

  it("returns 406 with the supported formats", () => {
    const refusal = (accept: string, offered: Offered) => {
      try {
        return formOf(accept, offered);
      } catch (error) {
        return error instanceof ApiError ? `${error.status.code} ${error.message}` : error;
      }
    };
    expect(refusal("application/vnd.kubernetes.protobuf", objectOffer)).toBe(
      "406 only the following media types are accepted: application/json, application/yaml",
    );
    expect(refusal("application/yaml", watchOffer)).toBe(
      "406 only the following media types are accepted: application/json;stream=watch",
    );
    expect(refusal("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", objectOffer)).toMatch(
      /^406 /,
    );
    expect(refusal("application/json;as=Table", objectOffer)).toMatch(/^406 /);
    expect(refusal("application/json;q=0", objectOffer)).toMatch(/^406 /);
    expect(refusal("application/json;q=x", objectOffer)).toMatch(/^406 /);
  });

  it("any Accept header gives an offered format or 406", () => {
    const piece = fc.constantFrom(
      ...'* / ; , = q 0 1 . " as v'.split(" "),
      " ",
      "application/json",
      "application/yaml",
      "as=Table",
      "__proto__",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        try {
          expect(objectOffer.mediaTypes).toContain(negotiate(pieces.join(""), objectOffer).mediaType);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });
});
