import { isOwnership, said, type Theme } from "./kept.js";

export const inOwnership: Theme = {
  title: "Who owns what",
  kept: [
    {
      why: "Who writes to `status` does not own the labels and annotations that came along: they are not written.",
      covers: ({ path }) => /managedFields\[\d+\]\.fieldsV1\.f:metadata$/.test(path),
    },
    {
      why: "Owners survive when an object is written in several versions with different fields. Kubernetes forgets all of them.",
      covers: (found) =>
        found.step.line.includes('"spec":{"old":"z"}') ||
        (isOwnership(found) && found.theirs === undefined && Array.isArray(found.ours)),
    },
    {
      why: "Entries made through `scale` have a time, and conflicts with them name the version in which the object was written.",
      covers: ({ path, ours, theirs }) =>
        /managedFields\[\d+\]\.time$/.test(path) && theirs === undefined
          ? true
          : said(theirs).includes('subresource "scale" using autoscaling/v1') &&
            said(ours).includes('subresource "scale"'),
    },
    {
      why: "What an apply gives up is gone. Kubernetes leaves `null` in its place in some cases, and then refuses the object that it made.",
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
      why: "A list by key, of which an applied item has no key, is refused before anything else is looked at.",
      covers: ({ answers: [ours] }) => JSON.stringify(ours.body).includes("omits all key fields"),
    },
    {
      why: "The generation is always the server's. Kubernetes keeps what it is given for kinds that have none.",
      covers: ({ step, path, ours }) =>
        step.method === "POST" && path === "body.metadata.generation" && ours === undefined,
    },
  ],
};
