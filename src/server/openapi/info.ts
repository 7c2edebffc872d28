/** What documents say of the server. Not its version: they would have to be read again after every update. */
export const info = { title: "Fettle", version: "unversioned" } as const;

export const securitySchemes = {
  BearerToken: {
    description: "A token: `Bearer …`.",
    type: "apiKey",
    name: "authorization",
    in: "header",
  },
} as const;
