/** Nothing is served here, not even an error of the API's own: `404 page not found`. */
export class PageNotFound extends Error {
  override readonly name = "PageNotFound";
}
