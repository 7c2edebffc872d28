import { isOwnership, textOf, type Theme } from "./known-difference.js";

export const fieldOwnership: Theme = {
  title: "Field ownership",
  differences: [
    {
      why: "Writers of `status` do not own labels and annotations in the request, which are not written.",
      covers: ({ path }) => /managedFields\[\d+\]\.fieldsV1\.f:metadata$/.test(path),
    },
    {
      why: "Field managers are differences when an object is written in several versions with different fields. Kubernetes drops all of them.",
      covers: (found) =>
        found.step.line.includes('"spec":{"old":"z"}') ||
        (isOwnership(found) && found.theirs === undefined && Array.isArray(found.ours)),
    },
    {
      why: "Entries of `scale` have a time, and conflicts with them name the version in which the object was written.",
      covers: ({ path, ours, theirs }) =>
        /managedFields\[\d+\]\.time$/.test(path) && theirs === undefined
          ? true
          : textOf(theirs).includes('subresource "scale" using autoscaling/v1') &&
            textOf(ours).includes('subresource "scale"'),
    },
    {
      why: "Fields that an apply gives up are removed. Kubernetes leaves `null` in some cases, and then rejects the resulting object.",
      covers: ({ step, path, answers: [ours, theirs] }) =>
        (ours.code === 200 &&
          theirs.code === 422 &&
          JSON.stringify(theirs.body).includes('of type object: \\"null')) ||
        (ours.code === 200 &&
          theirs.code === 422 &&
          JSON.stringify(theirs.body).includes('of type array: \\"null')) ||
        (step.path.includes("/gadgets/") && /^body\.metadata\.(resourceVersion|generation)$/.test(path)),
    },
    {
      why: "Applied list items without their keys are rejected before any other check.",
      covers: ({ answers: [ours] }) => JSON.stringify(ours.body).includes("omits all key fields"),
    },
    {
      why: "metadata.generation is always set by the server. Kubernetes keeps the client's value for kinds without generation.",
      covers: ({ step, path, ours }) =>
        step.method === "POST" && path === "body.metadata.generation" && ours === undefined,
    },
  ],
};
