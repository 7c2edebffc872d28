/** What keeps something from being started, in words that need no cause; the cause is for those who debug. */
export class StartError extends Error {
  override readonly name = "StartError";
}
