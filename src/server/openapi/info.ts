/** Information about the server. Without its version, so that cached documents stay valid after an update. */
export const info = { title: "Fettle", version: "unversioned" } as const;

export const securitySchemes = {
  BearerToken: {
    description: "A token: `Bearer …`.",
    type: "apiKey",
    name: "authorization",
    in: "header",
  },
} as const;
